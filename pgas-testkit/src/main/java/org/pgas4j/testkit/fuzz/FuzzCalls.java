package org.pgas4j.testkit.fuzz;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.pgas4j.PgasException;

/** The calls of a generated class in plain Java, method by method, each with all arguments, and what a device made of them. */
final class FuzzCalls {

    private static final String FAULT = "a fault";

    /** Receives each result of a comparison. */
    @FunctionalInterface
    interface Checks {

        /** @param what the difference; null if there is none */
        void that(boolean good, String what);
    }

    private final FuzzClass program;
    private final String name;
    private final FuzzInputs inputs;
    private final MethodHandle plain;
    private long values;
    private long faults;

    /**
     * Calls of a class.
     *
     * @param name  of its batch, for messages
     * @param plain its method {@code run}
     */
    FuzzCalls(FuzzClass program, String name, FuzzInputs inputs, MethodHandle plain) {
        this.program = program;
        this.name = name;
        this.inputs = inputs;
        this.plain = plain;
    }

    /** Number of calls. */
    int count() {
        return program.count() * inputs.count();
    }

    /** Calls that gave a value in plain Java, of those that were compared. */
    long values() {
        return values;
    }

    /** Calls that threw there. */
    long faults() {
        return faults;
    }

    /**
     * Makes all calls in plain Java and compares: one that throws must have ended its thread on the device, any other must have
     * given the same value.
     *
     * @param given longs that the device wrote
     * @param done  ints, 0 for a call that has not come to its end there
     * @param fault what the device reported; null for no fault
     */
    void compare(MemorySegment given, MemorySegment done, String fault, Checks checks) {
        long before = faults;
        for (int call = 0; call < count(); call++) {
            String expected = expected(call);
            String found = done.getAtIndex(ValueLayout.JAVA_INT, call) == 0 ? FAULT
                    : Long.toString(given.getAtIndex(ValueLayout.JAVA_LONG, call));
            checks.that(expected.equals(found), expected.equals(found) ? null : text(call) + ": Java gives " + expected
                    + ", the device " + found + (fault == null ? "" : " (" + fault + ")") + "\n"
                    + program.method(call / inputs.count()));
        }
        checks.that(faults > before == (fault != null), name + ": " + (faults - before)
                + " calls throw in Java, the device reports " + fault);
    }

    private String expected(int call) {
        int input = call % inputs.count();
        try {
            long value = (long) plain.invokeExact(call / inputs.count(), inputs.ints()[input], inputs.longs()[input],
                    inputs.floats()[input], inputs.doubles()[input]);
            values++;
            return Long.toString(value);
        } catch (ArithmeticException | IndexOutOfBoundsException | IllegalArgumentException e) {
            faults++;
            return FAULT;
        } catch (Throwable e) {
            throw new PgasException(text(call) + ": " + e, e);
        }
    }

    private String text(int call) {
        return name + ", method " + call / inputs.count() + " of " + inputs.text(call % inputs.count());
    }
}
