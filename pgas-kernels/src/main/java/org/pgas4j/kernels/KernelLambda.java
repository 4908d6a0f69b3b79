package org.pgas4j.kernels;

import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.FastMath;

/**
 * The method behind lambda expressions of one place of a program, and their captured values. Lambdas of a serializable type have a
 * method that tells both; nothing is serialized. Thread-safe.
 */
final class KernelLambda {

    private static final MethodType ANY = MethodType.methodType(Object.class, Object.class);

    private final Class<?> type;
    private final MethodHandle describe;
    private final SerializedLambda first;
    private LambdaFactory factory; // made when it is first used

    /** @throws KernelRefusedException if {@code lambda} is none, or uses its object */
    KernelLambda(Serializable lambda) {
        this.type = lambda.getClass();
        this.describe = describe(type);
        this.first = told(lambda);
        if (first.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic) {
            throw new KernelRefusedException(usesObject(name()));
        }
    }

    /** Message for a kernel that is no static method. */
    static String usesObject(String kernel) {
        return "kernel " + kernel + " cannot run on a device: it uses a field or a method of its object; copy what it needs to local "
                + "variables before the lambda expression, and call static methods";
    }

    private static MethodHandle describe(Class<?> type) {
        try {
            Method method = type.getDeclaredMethod("writeReplace");
            method.setAccessible(true);
            return MethodHandles.lookup().unreflect(method).asType(ANY);
        } catch (NoSuchMethodException e) {
            throw new KernelRefusedException("kernel of class " + type.getName() + " is no lambda expression or method reference; "
                    + "kernels are those only", e);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new KernelRefusedException("kernel of class " + type.getName() + " cannot be looked at: " + e.getMessage()
                    + "; open its package to org.pgas4j.kernels (opens ... in module-info)", e);
        }
    }

    private SerializedLambda told(Serializable lambda) {
        try {
            return (SerializedLambda) (Object) describe.invokeExact((Object) lambda);
        } catch (Throwable e) {
            throw new KernelRefusedException("kernel of class " + type.getName() + " cannot be looked at: " + e
                    + "; kernels are lambda expressions and method references only", e);
        }
    }

    /** Class and method for messages, as {@code Program.main}. */
    String name() {
        return name(owner(), first.getImplMethodName());
    }

    /** The same for a method of a class in internal form. */
    static String name(String owner, String method) {
        String shown = method.startsWith("lambda$") ? method.split("\\$")[1] : method;
        return owner.substring(owner.lastIndexOf('/') + 1) + "." + shown;
    }

    /** Class of the method, in internal form. */
    String owner() {
        return first.getImplClass();
    }

    String method() {
        return first.getImplMethodName();
    }

    String descriptor() {
        return first.getImplMethodSignature();
    }

    /** True if floating point need not be Java's. */
    boolean isFast() {
        return FastMath.class.isAssignableFrom(type);
    }

    int capturedCount() {
        return first.getCapturedArgCount();
    }

    ClassLoader loader() {
        return type.getClassLoader();
    }

    /** Captured values of another lambda of the same place, in the order of the method's first parameters. */
    Object[] captured(Serializable lambda) {
        SerializedLambda of = told(lambda);
        Object[] values = new Object[of.getCapturedArgCount()];
        for (int i = 0; i < values.length; i++) {
            values[i] = of.getCapturedArg(i);
        }
        return values;
    }

    /** A lambda of the same place with other captured values, always of the same class. */
    Serializable with(Object[] captured) {
        return factory().make(captured);
    }

    private synchronized LambdaFactory factory() {
        if (factory == null) {
            factory = new LambdaFactory(type, first);
        }
        return factory;
    }
}
