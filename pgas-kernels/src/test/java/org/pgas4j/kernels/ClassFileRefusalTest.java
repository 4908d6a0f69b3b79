package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.DiscontinuedInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.SerializedLambda;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;

/** Refusals of code that javac does not make, of classes that are not there, and of objects that are no lambda expressions. */
class ClassFileRefusalTest {

    private static final String PREFIX = ClassFileRefusalTest.class.getName();
    private static final ClassDesc MADE = Made.class.describeConstable().orElseThrow();
    private static final ClassDesc POINT = Point.class.describeConstable().orElseThrow();
    private static final MethodTypeDesc AT = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long);

    private record Point(int x) { }

    /** Its class file is made by each test. */
    private static final class Made {

        private Made() {
        }
    }

    private static final class Missing {

        private Missing() {
        }

        static void call() { }
    }

    private static final class Kernels {

        private Kernels() {
        }

        static IndexKernel callsWhatIsMissing() { return i -> Missing.call(); }

        static IndexKernel takesWhatIsMissing() { return i -> Taking.take(null); }
    }

    private static final class Taking {

        private Taking() {
        }

        static void take(Missing missing) { }
    }

    /** Loads the classes of this test itself, without one that is missing. */
    private static final class Loader extends ClassLoader {

        private final String missing;
        private final Map<String, InputStream> files;

        Loader(String missing, Map<String, InputStream> files) {
            super(ClassFileRefusalTest.class.getClassLoader());
            this.missing = missing;
            this.files = files;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(missing)) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(PREFIX + "$") || name.equals(Made.class.getName()) || name.equals(Point.class.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return known != null ? known : defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return files.containsKey(name) ? files.get(name) : super.getResourceAsStream(name);
        }

        Serializable kernel(String method) {
            try {
                var found = loadClass(Kernels.class.getName()).getDeclaredMethod(method);
                found.setAccessible(true);
                return (Serializable) found.invoke(null);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static String file(Class<?> type) {
        return type.getName().replace('.', '/') + ".class";
    }

    private static void assertRefused(String text, Runnable translation) {
        String message = assertThrows(KernelRefusedException.class, translation::run).getMessage();
        assertTrue(message.contains(text), message);
    }

    /** Translates a method with one parameter, a long in slot 0. */
    private static void assertRefused(String what, String advice, int version, Consumer<CodeBuilder> code) {
        byte[] file = ClassFile.of(ClassFile.StackMapsOption.DROP_STACK_MAPS).build(MADE, type -> type.withVersion(version, 0)
                .withMethodBody("at", AT, ClassFile.ACC_STATIC, code));
        ClassFiles files = new ClassFiles(new Loader(null, Map.of(file(Made.class), new ByteArrayInputStream(file))));
        String message = assertThrows(KernelRefusedException.class,
                () -> KernelTranslator.source(files, PREFIX.replace('.', '/') + "$Made", "at", "(J)V", 0, KernelForm.LOOP)).getMessage();
        assertTrue(message.startsWith("kernel ClassFileRefusalTest$Made.at cannot run on a device: ") && message.contains(what + "; "
                + advice), message);
    }

    private static void assertRefused(String what, String advice, Consumer<CodeBuilder> code) {
        assertRefused(what, advice, ClassFile.JAVA_25_VERSION, code);
    }

    @Test
    void shouldRefuseInstructionsThatJavacDoesNotUse() {
        assertRefused("uses JSR", "compile it with javac", ClassFile.JAVA_5_VERSION, code -> {
            var subroutine = code.newLabel();
            code.with(DiscontinuedInstruction.JsrInstruction.of(Opcode.JSR, subroutine)).labelBinding(subroutine).return_();
        });
    }

    @Test
    void shouldRefuseFieldsOfOtherObjects() {
        assertRefused("reads field x of an object", "copy it to a local variable before the kernel",
                code -> code.iconst_1().newarray(java.lang.classfile.TypeKind.INT).getfield(POINT, "x", ConstantDescs.CD_int).pop()
                        .return_());
        assertRefused("writes field x", "kernels write arrays and local variables",
                code -> code.iconst_1().newarray(java.lang.classfile.TypeKind.INT).iconst_1()
                        .putfield(POINT, "x", ConstantDescs.CD_int).return_());
    }

    @Test
    void shouldRefuseAnObjectWhoseConstructorHasNotEnded() {
        assertRefused("uses an object of " + Point.class.getName() + " before its constructor has ended", "give the constructor values",
                code -> code.new_(POINT).getfield(POINT, "x", ConstantDescs.CD_int).pop().return_());
    }

    @Test
    void shouldRefuseElementsOfWhatIsNoArrayOfTheBlock() {
        assertRefused("uses an array that is not memory of its block", "use KernelThread.sharedFloats and its kin, or a Buffer",
                code -> code.iconst_1().iconst_0().iaload().pop().return_());
    }

    @Test
    void shouldRefuseClassesThatAreNotThere() {
        String name = Missing.class.getName();
        assertRefused("class " + name + " of a kernel cannot be loaded: java.lang.ClassNotFoundException: " + name,
                () -> KernelTranslator.translate(new Loader(name, Map.of()).kernel("takesWhatIsMissing"), KernelForm.LOOP));
    }

    @Test
    void shouldRefuseClassesWithoutAFile() {
        java.util.Map<String, InputStream> none = new java.util.HashMap<>();
        none.put(file(Missing.class), null);
        assertRefused("class file of " + Missing.class.getName() + " cannot be found: kernels are translated from class files; write the"
                + " kernel in a class that is compiled and loaded from a file or jar",
                () -> KernelTranslator.translate(new Loader(null, none).kernel("callsWhatIsMissing"), KernelForm.LOOP));
        InputStream broken = new FilterInputStream(InputStream.nullInputStream()) {
            @Override
            public int read(byte[] into, int from, int length) throws IOException {
                throw new IOException("the disk is gone");
            }
        };
        assertRefused("class file of " + Missing.class.getName() + " cannot be read: java.io.IOException: the disk is gone",
                () -> KernelTranslator.translate(new Loader(null, Map.of(file(Missing.class), broken)).kernel("callsWhatIsMissing"),
                        KernelForm.LOOP));
    }

    /** An object that says to be the lambda expression of a class which it is not. */
    private record Pretender(SerializedLambda as) implements LongKernel {

        @Override
        public long at(long index) {
            return index;
        }

        Object writeReplace() {
            if (as == null) {
                throw new IllegalStateException("not now");
            }
            return as;
        }
    }

    private static long twice(long i) {
        return 2 * i;
    }

    @Test
    void shouldRefuseObjectsThatOnlyLookLikeLambdas() {
        assertRefused("kernel of class " + Pretender.class.getName() + " cannot be looked at: java.lang.IllegalStateException: not now;"
                + " kernels are lambda expressions and method references only",
                () -> KernelTranslator.translate(new Pretender(null), KernelForm.REDUCE_LONGS));
        SerializedLambda as = new SerializedLambda(String.class, "org/pgas4j/kernel/LongKernel", "at", "(J)J",
                java.lang.invoke.MethodHandleInfo.REF_invokeStatic, PREFIX.replace('.', '/'), "twice", "(J)J", "(J)J", new Object[0]);
        TranslatedKernel kernel = KernelTranslator.translate(new Pretender(as), KernelForm.REDUCE_LONGS);
        assertRefused("kernel of class " + Pretender.class.getName() + " cannot be made with memory of its host: "
                + "java.lang.NoSuchMethodException: java.lang.String.$deserializeLambda$(java.lang.invoke.SerializedLambda); compile it"
                + " with javac, and open its package to org.pgas4j.kernels (opens ... in module-info)", () -> kernel.with(new Object[0]));
    }

    @Test
    void shouldAskToOpenThePackageOfAKernel() {
        Serializable ofJava = (Serializable) Map.Entry.<Long, Long>comparingByKey();
        KernelRefusedException e = assertThrows(KernelRefusedException.class,
                () -> KernelTranslator.translate(ofJava, KernelForm.REDUCE_LONGS));

        assertInstanceOf(java.lang.reflect.InaccessibleObjectException.class, e.getCause());
        assertTrue(e.getMessage().endsWith("; open its package to org.pgas4j.kernels (opens ... in module-info)"), e.getMessage());
    }
}
