package org.pgas4j.kernels;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.util.HashMap;
import java.util.Map;
import org.pgas4j.KernelRefusedException;

/** The class files that one kernel reaches, as its class loader finds them. */
final class ClassFiles {

    private final ClassLoader loader;
    private final Map<String, ClassModel> models = new HashMap<>();

    ClassFiles(ClassLoader loader) {
        this.loader = loader;
    }

    /** The class of a name in internal form, such as {@code java/lang/Math}. */
    Class<?> type(String internalName) {
        try {
            return Class.forName(internalName.replace('/', '.'), false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new KernelRefusedException("class " + internalName.replace('/', '.') + " of a kernel cannot be loaded: " + e, e);
        }
    }

    /** The class that a descriptor names. */
    Class<?> type(ClassDesc type) {
        if (type.isPrimitive()) {
            return switch (type.descriptorString().charAt(0)) {
                case 'Z' -> boolean.class;
                case 'B' -> byte.class;
                case 'S' -> short.class;
                case 'C' -> char.class;
                case 'I' -> int.class;
                case 'J' -> long.class;
                case 'F' -> float.class;
                case 'D' -> double.class;
                default -> void.class;
            };
        }
        String text = type.descriptorString();
        return type.isArray() ? type(text) : type(text.substring(1, text.length() - 1));
    }

    /** The method, or null if the class itself has none of that name and descriptor. */
    MethodModel method(String internalName, String name, String descriptor) {
        for (MethodModel method : model(internalName).methods()) {
            if (method.methodName().equalsString(name) && method.methodType().equalsString(descriptor)) {
                return method;
            }
        }
        return null;
    }

    /** The class, or the superclass of it, that has the method; the class itself if none has. */
    String declaring(String internalName, String name, String descriptor) {
        for (Class<?> type = type(internalName); type != null; type = type.getSuperclass()) {
            String declaring = type.getName().replace('.', '/');
            if (method(declaring, name, descriptor) != null) {
                return declaring;
            }
        }
        return internalName;
    }

    /** The class file of a name in internal form. */
    ClassModel model(String internalName) {
        return models.computeIfAbsent(internalName, this::read);
    }

    private ClassModel read(String internalName) {
        String file = internalName + ".class";
        try (InputStream in = open(file)) {
            if (in == null) {
                throw new KernelRefusedException("class file of " + internalName.replace('/', '.') + " cannot be found: kernels are "
                        + "translated from class files; write the kernel in a class that is compiled and loaded from a file or jar");
            }
            return ClassFile.of().parse(in.readAllBytes());
        } catch (IOException e) {
            throw new KernelRefusedException("class file of " + internalName.replace('/', '.') + " cannot be read: " + e, e);
        }
    }

    private InputStream open(String file) {
        return loader == null ? ClassLoader.getSystemResourceAsStream(file) : loader.getResourceAsStream(file);
    }
}
