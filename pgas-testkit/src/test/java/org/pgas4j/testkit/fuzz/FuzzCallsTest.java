package org.pgas4j.testkit.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a device gave is told from what Java gives, with a method in place of a generated class. */
class FuzzCallsTest {

    private static final int METHODS = 3;
    private static final int INPUTS = 4;
    private static final int THROWS = 5; // call 1 of method 1

    private final FuzzInputs inputs = FuzzInputs.of(1, INPUTS);
    private final long[] given = new long[METHODS * INPUTS];
    private final int[] done = new int[METHODS * INPUTS];
    private final List<String> differences = new ArrayList<>();
    private FuzzCalls calls;
    private int checks;

    /** In place of a generated {@code run}. */
    static long run(int method, int i, long l, float f, double d) {
        if (method == 1 && i == 1) {
            throw new ArithmeticException("/ by zero");
        }
        return method * 1000L + i;
    }

    @BeforeEach
    void compute() throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(long.class, int.class, int.class, long.class, float.class, double.class);
        calls = new FuzzCalls(new FuzzClass("Some", 7, METHODS), "batch 2, seed 7", inputs,
                MethodHandles.lookup().findStatic(FuzzCallsTest.class, "run", type));
        for (int call = 0; call < given.length; call++) {
            given[call] = call / INPUTS * 1000L + inputs.ints()[call % INPUTS];
            done[call] = call == THROWS ? 0 : 1;
        }
    }

    private void compare(String fault) {
        calls.compare(MemorySegment.ofArray(given), MemorySegment.ofArray(done), fault, (good, what) -> {
            checks++;
            if (!good) {
                differences.add(what);
            }
        });
    }

    @Test
    void shouldFindNoDifference() {
        compare("division by zero");

        assertEquals(List.of(), differences);
        assertEquals(METHODS * INPUTS + 1, checks);
        assertEquals(List.of(METHODS * INPUTS - 1L, 1L), List.of(calls.values(), calls.faults()));
    }

    @Test
    void shouldFindAnotherValue() {
        given[9]++;

        compare("division by zero");

        assertEquals(1, differences.size());
        assertTrue(differences.getFirst().startsWith("batch 2, seed 7, method 2 of " + inputs.text(1)
                + ": Java gives 2001, the device 2002 ("), differences.getFirst());
        assertTrue(differences.getFirst().contains("static long m2("), differences.getFirst());
    }

    @Test
    void shouldFindAFaultTooFewAndOneTooMany() {
        done[THROWS] = 1;
        done[0] = 0;

        compare(null);

        assertEquals(3, differences.size());
        assertTrue(differences.get(0).contains("Java gives 0, the device a fault"), differences.get(0));
        assertTrue(differences.get(1).contains("Java gives a fault, the device 1001"), differences.get(1));
        assertTrue(differences.get(2).contains("1 calls throw in Java, the device reports null"), differences.get(2));
    }
}
