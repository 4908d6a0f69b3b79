package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Serializable;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.SharedFloats;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/** Each construct that kernels do not have is refused with its file and line and what to write instead. */
@SuppressWarnings("unused")
class KernelRefusalTest {

    private static final int[] TABLE = {1, 2, 3};
    private static final Object LOCK = new Object();
    private static final Runnable ACTION = () -> { };
    private static int counter;

    private enum Colour { RED, GREEN }

    private record Named(int number, String name) { }

    private record Listed(int number, int[] values) { }

    private record Plain(int number) { }

    private record Twin(int number) { }

    private static int never(int n) { return n == 0 ? 0 : never(n - 1) + 1; }

    private static int first(int[] values) { return values[0]; }

    private static int[] given(long i) { int[] values = new int[4]; values[0] = (int) i; return values; }

    private static void any(Object object) { }

    private static int chosen(int number) { return number; }

    private static native void absent();

    private static int varied(int... values) { return values.length; }

    private static int line() {
        return StackWalker.getInstance().walk(frames -> frames.filter(frame -> frame.getMethodName().startsWith("should")).findFirst()
                .orElseThrow().getLineNumber());
    }

    /** The kernel is on the line of the call. */
    private static void refused(IndexKernel kernel, String what, String advice) {
        check(message(kernel, KernelForm.LOOP), "(KernelRefusalTest.java:" + line() + ") " + what, advice);
    }

    private static void refusedGrid(ThreadKernel kernel, String what, String advice) {
        check(message(kernel, KernelForm.GRID), "(KernelRefusalTest.java:" + line() + ") " + what, advice);
    }

    /** The kernel itself is refused, or a method that it calls. */
    private static void refusedElsewhere(IndexKernel kernel, String what, String advice) {
        check(message(kernel, KernelForm.LOOP), what, advice);
    }

    private static String message(Serializable kernel, KernelForm form) {
        return assertThrows(KernelRefusedException.class, () -> KernelTranslator.translate(kernel, form)).getMessage();
    }

    private static void check(String message, String what, String advice) {
        assertTrue(message.startsWith("kernel KernelRefusalTest.should") && message.contains(what)
                && message.contains("; " + advice) || what.startsWith("is no lambda") && message.contains(what), message);
    }

    @Test
    void shouldRefuseAllocation() {
        refused(i -> any(new Object()), "allocates an object of java.lang.Object", "use a record of numbers");
        refused(i -> first(new int[(int) i]), "allocates an array of a length that is no constant", "give a literal");
        refused(i -> first(new int[100000]), "allocates an array of 100000 elements", "use memory of the block");
        refused(i -> any(new byte[4]), "allocates an array of byte", "use one of int, long, float or double");
        refused(i -> any(new int[2][2]), "allocates an array of objects", "use an array of numbers for each component");
        refused(i -> any(new Plain[2]), "allocates an array of objects", "use an array of numbers for each component");
        refused(i -> any(i), "makes an object of java.lang.Long", "use the primitive type");
        refused(i -> varied((int) i, new Object().hashCode()), "allocates an object of java.lang.Object", "use a record");
    }

    @Test
    void shouldRefuseReferencesToArrays() {
        refused(i -> { int[] b = {0}; while (b[0] < 9) { int[] a = new int[2]; b[0]++; b = a; } }, "copies a reference", "copy its elements");
        refused(i -> { int[] a = {0}; int[] b = a; while (b[0] < 9) { a = new int[2]; b[0]++; } }, "copies a reference", "copy its elements");
        refused(i -> { int[] a = new int[2]; int[] b = a.clone(); }, "calls [I.clone, which kernels do not have", "copy the elements in a loop");
        refused(i -> { int[] a = {1, 2}; a = new int[] {a[1], a[0]}; }, "uses an array while it makes the next", "copy its");
        refused(i -> { int[] a, b; a = b = new int[2]; a[0] = b[1]; }, "uses an array while it makes the next", "copy its");
        refusedElsewhere(i -> any(given(i).length), "returns an array", "let the caller make it");
        int[] captured = {1};
        refusedElsewhere(i -> first(captured), "uses an object of int[] that is made outside", "copy the array to a shared array");
    }

    @Test
    void shouldRefuseStringsAndClasses() {
        refused(i -> any("text"), "uses a string or null", "kernels have numbers and records; log on the host");
        refused(i -> any("text" + i), "uses a string or null", "kernels have numbers and records; log on the host");
        refused(i -> any(null), "uses a string or null", "kernels have numbers and records; log on the host");
        refused(i -> any(Plain.class), "uses class KernelRefusalTest$Plain as an object", "decide on the host");
        refused(i -> String.valueOf(i).length(), "uses an object of java.lang.String", "decide before the kernel, and use a number");
        refused(i -> any(new StringBuilder().reverse()), "calls StringBuilder.reverse", "kernels have numbers and records");
        refused(i -> any(new Plain(1).toString()), "uses an object of java.lang.String", "decide before the kernel");
    }

    @Test
    void shouldRefuseExceptionsThatAreCaught() {
        refused(i -> { try { counter(); } catch (ArithmeticException e) { return; } }, "catches java.lang.Arith", "test for");
        refused(i -> { try { counter(); } finally { counter(); } }, "has a finally block", "write what it does where it is due");
        refused(i -> { RuntimeException e = new RuntimeException(); throw e; }, "keeps an exception", "throw it at once");
        refused(i -> { throw null; }, "throws something that it did not make there", "throw new SomeException");
    }

    private static void counter() { }

    private static final class Broken {
        static final int NUMBER = Integer.parseInt("no number");

        private Broken() {
        }
    }

    @Test
    void shouldRefuseObjects() {
        refused(i -> { synchronized (LOCK) { counter(); } }, "reads the static field LOCK", "kernels have numbers and records");
        refusedGrid(self -> { synchronized (self) { counter(); } }, "uses synchronized", "use atomic operations");
        refused(i -> ACTION.run(), "reads the static field ACTION, which is no number", "kernels have numbers and records");
        refused(i -> System.out.println(i), "reads the static field out, which is no number", "use printf of the thread");
        refusedGrid(self -> { if (self instanceof Runnable) { counter(); } }, "tests a class by instanceof", "kernels know");
        refusedGrid(self -> { if (self != LOCK) { counter(); } }, "reads the static field LOCK", "kernels have");
        refusedGrid(self -> { if (self == null) { counter(); } }, "compares references", "kernels have numbers and records");
        refused(i -> any(Colour.RED), "uses an enum", "use its number: take ordinal() before the kernel");
        Plain plain = new Plain(1);
        refused(i -> { switch (plain) { case Plain(int n) when n > 1 -> counter(); default -> { } } }, "switches on objects", "switch on n");
        refused(i -> { Runnable r = () -> { }; }, "makes a lambda expression", "call a static method");
        refusedGrid(self -> self.hashCode(), "calls org.pgas4j.kernel.KernelThread.hashCode, which kernels do not have", "docs");
        Colour colour = Colour.RED;
        refusedElsewhere(i -> any(colour), "uses an object of " + Colour.class.getTypeName(), "use its ordinal, or decide before");
        Integer boxed = 300;
        refusedElsewhere(i -> chosen(boxed), "uses an object of java.lang.Integer", "use the primitive type");
        List<Integer> captured = List.of(1);
        refusedElsewhere(i -> captured.get(0), "uses an object of java.util.List", "kernels know numbers");
        SharedFloats floats = null;
        refused(i -> floats.slice(0, 2), "calls org.pgas4j.SharedFloats.slice, which kernels do not have", "docs");
        KernelThread thread = null;
        refusedElsewhere(i -> thread.sync(), "that is made outside", "use the one that the kernel has as its parameter");
    }

    @Test
    void shouldRefuseObjectsOfWhichTheClassIsForgotten() {
        refused(i -> { Object o = new Plain(1); while (i < 9) { any(o); } }, "uses an object that is neither a record, a shared array",
                "copy the numbers that it needs");
        refused(i -> any(i > 1 ? new Plain(1) : new Twin(2)), "uses an object of java.lang.Record", "kernels know numbers, records of");
    }

    private record Shy(int number) {
        @Override
        public int number() {
            throw new IllegalStateException("not now");
        }
    }

    private static void refusedCapture(IndexKernel kernel, String message) {
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.LOOP);
        assertEquals(message, assertThrows(KernelRefusedException.class, () -> translated.captured(kernel)).getMessage());
    }

    @Test
    void shouldRefuseCapturedNull() {
        SharedFloats floats = null;
        int one = 1;
        refusedCapture(i -> floats.put(i, one), "kernel KernelRefusalTest.shouldRefuseCapturedNull has captured null, its value 1 of 2;"
                + " give every variable that it uses a value before");
        Plain plain = null;
        refusedCapture(i -> chosen(plain.number()), "kernel KernelRefusalTest.shouldRefuseCapturedNull has captured null, its value 1 of"
                + " 1; give every variable that it uses a value before");
    }

    @Test
    void shouldRefuseRecordsThatThrow() {
        Shy shy = new Shy(1);
        refusedCapture(i -> chosen(shy.number), "kernel KernelRefusalTest.shouldRefuseRecordsThatThrow has captured record"
                + " " + Shy.class.getName() + ", whose number() has thrown java.lang.IllegalStateException: not now; let it return the"
                + " component");
    }

    @Test
    void shouldRefuseRecordsOfOtherThings() {
        refused(i -> new Named(1, null), "uses record " + Named.class.getTypeName() + ", which has a component of type "
                + "java.lang.String", "records of kernels have numbers");
        refused(i -> new Listed(1, null), "uses record " + Listed.class.getTypeName() + ", which has a component of type int[]",
                "records of kernels have numbers and records of numbers");
        refused(i -> new Plain(1).equals(null), "calls " + Plain.class.getName() + ".equals, which kernels do not have", "compare the");
        refusedElsewhere(i -> chosen(new Plain(1).hashCode()), "calls hashCode of a record", "use its components");
    }

    @Test
    void shouldRefuseStaticFields() {
        refused(i -> counter++, "reads the static field counter, which is not final", "copy it to a local variable");
        refused(i -> { counter = (int) i; }, "writes the static field counter", "kernels write arrays and local variables");
        refused(i -> chosen(Broken.NUMBER), "reads the static field NUMBER, which cannot be read: java.lang.ExceptionInInitializerError",
                "pass it as a local variable");
        refused(i -> first(TABLE), "reads the static field TABLE, which is no number", "copy it to a shared array or a Buffer");
    }

    @Test
    void shouldRefuseCalls() {
        refusedElsewhere(i -> never((int) i), "calls itself: never", "write a loop");
        refused(i -> absent(), "calls org.pgas4j.kernels.KernelRefusalTest.absent, which has no Java code", "call static methods");
        refused(i -> System.nanoTime(), "calls java.lang.System.nanoTime, which kernels do not have", "measure on the host");
        refused(i -> Math.random(), "calls java.lang.Math.random, which kernels do not have", "make random numbers of the index");
        refused(i -> System.arraycopy(new int[2], 0, new int[2], 0, 2), "calls java.lang.System.arraycopy", "copy the elements in a loop");
        refused(i -> Character.getNumericValue('3'), "calls java.lang.Character.getNumericValue, whose code in the JDK", "docs/kernels.md");
        refusedGrid(self -> self.sharedFloats(self.threads()), "asks for memory of the block of a length that is no constant",
                "give a literal or a static final int");
    }

    private int field = 1;

    @Test
    void shouldRefuseKernelsThatAreNoStaticMethods() {
        refusedElsewhere(i -> any(field), "uses a field or a method of its object", "copy what it needs to local variables");
        refusedElsewhere(new IndexKernel() {
            private static final long serialVersionUID = 1;

            @Override
            public void at(long index) {
            }
        }, "is no lambda expression", "kernels are those only");
    }

    @Test
    void shouldNameTheRefusalInTheJdkToo() {
        IndexKernel kernel = i -> Character.getNumericValue('3');
        KernelRefusedException e = assertThrows(KernelRefusedException.class,
                () -> KernelTranslator.translate(kernel, KernelForm.LOOP));
        assertEquals(1, e.getSuppressed().length);
    }
}
