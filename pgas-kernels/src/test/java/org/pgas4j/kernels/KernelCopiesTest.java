package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.kernel.IndexKernel;

/** Kernels that use elements of buffers in loops write what Java writes, up to the fault if there is one, in the copy that is due. */
@SuppressWarnings("restricted")
class KernelCopiesTest {

    private static final int LENGTH = 8;
    private static final int FAULT_BYTES = 48;
    private static final String COUNTS = "extern \"C\" { int pgas_fast, pgas_slow, pgas_again; }\n";

    @TempDir
    private Path folder;

    private int fast;
    private int slow;
    private int again;

    /** Two buffers of doubles and one of ints, each of {@value #LENGTH} elements. */
    private static Buffer[] buffers(Arena arena) {
        Buffer[] buffers = new Buffer[3];
        for (int i = 0; i < buffers.length; i++) {
            MemorySegment memory = arena.allocate(Long.BYTES * LENGTH, Long.BYTES);
            for (int k = 0; k < LENGTH; k++) {
                if (i < 2) {
                    memory.setAtIndex(ValueLayout.JAVA_DOUBLE, k, i + 0.25 * k);
                } else {
                    memory.setAtIndex(ValueLayout.JAVA_INT, k, k * 5 % LENGTH);
                }
            }
            buffers[i] = Buffer.ofHost(memory.asSlice(0, i < 2 ? 8 * LENGTH : 4 * LENGTH), i < 2 ? ElementType.DOUBLE : ElementType.INT);
        }
        return buffers;
    }

    private void shouldAgree(Function<Buffer[], IndexKernel> made) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            Buffer[] java = buffers(arena);
            String fault = "none";
            try {
                made.apply(java).at(0);
            } catch (IndexOutOfBoundsException e) {
                fault = e.getMessage().replaceFirst("I", "i") + " at line " + line(e);
            }
            Buffer[] cpp = buffers(arena);
            assertEquals(fault, run(made.apply(cpp), arena));
            for (int i = 0; i < java.length; i++) {
                assertTrue(java[i].segment().mismatch(cpp[i].segment()) < 0, "buffer " + i);
            }
        }
    }

    private static int line(Throwable e) {
        return Arrays.stream(e.getStackTrace()).filter(at -> at.getFileName().equals("KernelCopiesTest.java")).findFirst().orElseThrow()
                .getLineNumber();
    }

    /** Runs the kernel's C++ for index 0; returns the fault. */
    private String run(IndexKernel kernel, Arena arena) throws Throwable {
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.LOOP);
        String counted = COUNTS + translated.cuda()
                .replaceAll("if \\(!\\((.*)\\)\\) goto (S\\d+);", "if (!($1)) { pgas_slow++; goto $2; } pgas_fast++;")
                .replaceAll("if \\(outside == 0\\) (goto \\w+;)", "if (outside == 0) $1 pgas_again++;");
        SymbolLookup library = HostCompiler.compile(counted, folder, arena);
        MemorySegment fault = arena.allocate(FAULT_BYTES, 8);
        List<Object> values = new ArrayList<>(List.of(fault, MemorySegment.NULL, 0L, 1L, 1L, 0L, 1, 0, 0L, 1L, 0L));
        for (Object value : translated.captured(kernel)) {
            if (value instanceof Buffer buffer) {
                values.addAll(List.of(buffer.segment(), buffer.bytes(), buffer.length()));
            } else {
                values.add(value);
            }
        }
        HostCompiler.function(library, translated.name(), FunctionDescriptor.ofVoid(values.stream().map(KernelCopiesTest::layout)
                .toArray(MemoryLayout[]::new))).invokeWithArguments(values);
        fast = count(library, "pgas_fast");
        slow = count(library, "pgas_slow");
        again = count(library, "pgas_again");
        return fault.get(ValueLayout.JAVA_INT, 0) == 0 ? "none" : translated.fault(fault.get(ValueLayout.JAVA_INT, 4),
                fault.get(ValueLayout.JAVA_INT, 8), fault.get(ValueLayout.JAVA_LONG, 16), fault.get(ValueLayout.JAVA_LONG, 24))
                .getMessage().replaceFirst(" at .*:(\\d+)\\)", " at line $1");
    }

    private static MemoryLayout layout(Object value) {
        return switch (value) {
            case Integer _ -> ValueLayout.JAVA_INT;
            case Long _ -> ValueLayout.JAVA_LONG;
            case Double _ -> ValueLayout.JAVA_DOUBLE;
            default -> ValueLayout.ADDRESS;
        };
    }

    private static int count(SymbolLookup library, String name) {
        return library.findOrThrow(name).reinterpret(Integer.BYTES).get(ValueLayout.JAVA_INT, 0);
    }

    private static IndexKernel scaled(Buffer[] all, int from, int to) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> {
            for (long k = from; k < to; k++) {
                y.putDouble(k, 2 * x.getDouble(k) + 1);
            }
        };
    }

    @Test
    void shouldNotCheckInLoopsWithinBounds() throws Throwable {
        shouldAgree(all -> scaled(all, 0, LENGTH));
        assertEquals(1, fast);
        assertEquals(0, slow);
    }

    @Test
    void shouldWriteUpToTheFault() throws Throwable {
        shouldAgree(all -> scaled(all, 3, LENGTH + 2));
        assertEquals(0, fast);
        assertEquals(1, slow);
        shouldAgree(all -> scaled(all, -1, 2));
        assertEquals(1, slow);
    }

    private static IndexKernel backwards(Buffer[] all, int from, int step) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> {
            for (int k = from; k > 0; k -= 2) {
                y.putDouble(k * step - 1, x.getDouble(k / 2) + x.getDouble(from - k));
            }
        };
    }

    @Test
    void shouldCountBackwardsAndInSteps() throws Throwable {
        shouldAgree(all -> backwards(all, LENGTH - 1, 1));
        assertEquals(1, fast);
        shouldAgree(all -> backwards(all, LENGTH - 1, 2));
        assertEquals(1, slow);
        shouldAgree(all -> backwards(all, LENGTH - 1, -1));
        assertEquals(1, slow);
    }

    private static IndexKernel gathered(Buffer[] all, int shift) {
        Buffer x = all[0];
        Buffer y = all[1];
        Buffer columns = all[2];
        return _ -> {
            double sum = 0;
            int last = -1;
            for (int k = 0; k < LENGTH; k++) {
                last = columns.getInt(k) + shift;
                sum += x.getDouble(last) * 3;
            }
            y.putDouble(0, sum);
            y.putDouble(1, last);
        };
    }

    @Test
    void shouldRunALoopAgainWhoseLoadedIndexIsOutOfBounds() throws Throwable {
        shouldAgree(all -> gathered(all, 0));
        assertEquals(1, fast);
        assertEquals(0, again);
        shouldAgree(all -> gathered(all, 1));
        assertEquals(1, again);
        shouldAgree(all -> gathered(all, -3));
        assertEquals(1, again);
    }

    private static double beside(Buffer x, int at, int row) {
        return x.getDouble(at - 1) + x.getDouble(at + 1) + x.getDouble(at - row) + x.getDouble(at + row);
    }

    private static IndexKernel star(Buffer[] all, int at, int row) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> y.putDouble(at, beside(x, at, row) - 4 * x.getDouble(at));
    }

    @Test
    void shouldCheckOnceForElementsOfCalledMethods() throws Throwable {
        shouldAgree(all -> star(all, 3, 3));
        assertEquals(0, slow);
        shouldAgree(all -> star(all, 2, 3));
        assertEquals(1, slow);
        shouldAgree(all -> star(all, 5, 3));
        shouldAgree(all -> star(all, 3, -3));
        shouldAgree(all -> star(all, Integer.MAX_VALUE, 1));
        shouldAgree(all -> star(all, 3, Integer.MIN_VALUE));
    }

    private static IndexKernel wrapping(Buffer[] all, int from, int step) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> {
            for (int k = from; k < LENGTH; k += step) {
                y.putDouble(k, x.getDouble((k + Integer.MAX_VALUE) * 2 + 2));
            }
        };
    }

    @Test
    void shouldWrapAsJavaDoes() throws Throwable {
        shouldAgree(all -> wrapping(all, 0, 1));
        shouldAgree(all -> wrapping(all, 0, Integer.MAX_VALUE));
        shouldAgree(all -> wrapping(all, Integer.MIN_VALUE, 1));
    }

    private static IndexKernel cancelled(Buffer[] all, int at) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> {
            int four = at * 4;
            y.putDouble(four - at * 4 + 3, x.getDouble(four - at * 4 + 2) + x.getDouble(((at + 5) * 7) - at * 7 - 34));
        };
    }

    @Test
    void shouldTakeTheSameElementWhenSumsWrapInBetween() throws Throwable {
        for (int at : new int[] {2, 1 << 30, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            shouldAgree(all -> cancelled(all, at));
        }
    }

    private static IndexKernel left(Buffer[] all, int end) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> {
            for (int k = 0; k < end; k++) {
                if (x.getDouble(k) > 1) {
                    break;
                }
                y.putDouble(k + 1, 7);
                if (k > 0) {
                    y.putDouble(0, y.getDouble(k - 1));
                }
            }
        };
    }

    @Test
    void shouldLeaveLoopsEarly() throws Throwable {
        shouldAgree(all -> left(all, LENGTH));
        assertTrue(fast > 0, "copies used");
        shouldAgree(all -> left(all, 2 * LENGTH));
        assertTrue(slow > 0, "checked copies used");
    }

    private static IndexKernel endingWithABreak(Buffer[] all, int at, int rounds) {
        Buffer y = all[1];
        Buffer next = all[2];
        return _ -> {
            int found = at;
            int k = rounds;
            while (k > 0) {
                k--;
                found = next.getInt(found);
                if (found == 7) {
                    break;
                }
            }
            y.putDouble(0, found);
        };
    }

    /** javac ends the loop with a conditional jump back, behind which it is left as well. */
    @Test
    void shouldNoticeABreakAtTheEndOfALoop() throws Throwable {
        shouldAgree(all -> endingWithABreak(all, 1, 9));
        shouldAgree(all -> endingWithABreak(all, 99, 9));
        shouldAgree(all -> endingWithABreak(all, -1, 9));
    }

    private static int follow(Buffer next, int at, int rounds) {
        for (; rounds > 0; rounds--) {
            at = next.getInt(at);
        }
        return at;
    }

    private static IndexKernel followed(Buffer[] all, int far) {
        Buffer y = all[1];
        Buffer next = all[2];
        return _ -> {
            next.putInt(4, far);
            y.putDouble(0, follow(next, 4, 5));
        };
    }

    /** A method that begins again has the parameters that it was called with. */
    @Test
    void shouldBeginAgainWithTheSameParameters() throws Throwable {
        shouldAgree(all -> followed(all, 2));
        assertEquals(0, again);
        shouldAgree(all -> followed(all, LENGTH));
        assertEquals(1, again);
        shouldAgree(all -> followed(all, -7));
        assertEquals(1, again);
    }

    private record Place(int row, int column) {

        static int at(Place place) {
            return 2 * place.row + place.column;
        }
    }

    private static IndexKernel placed(Buffer[] all, int column) {
        Buffer x = all[0];
        Buffer y = all[1];
        Buffer numbers = all[2];
        return _ -> {
            y.putDouble(1, 5);
            Place place = new Place(0, column);
            Place other = new Place(0, 0);
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += x.getDouble(numbers.getInt(k) + Place.at(place));
                place = other;
            }
            y.putDouble(0, sum);
        };
    }

    @Test
    void shouldRunALoopAgainWithTheRecordsBeforeIt() throws Throwable {
        shouldAgree(all -> placed(all, 3));
        assertEquals(0, again);
        shouldAgree(all -> placed(all, LENGTH));
        assertEquals(1, again);
    }

    private static IndexKernel joined(Buffer[] all, int first) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> {
            int k = first;
            if (first < 0) {
                k = 2;
            }
            while (k < LENGTH) {
                y.putDouble(k, 2 * x.getDouble(k));
                k++;
            }
        };
    }

    /** Jumps lead to the very start of the loop. */
    @Test
    void shouldEnterLoopsBehindAnIf() throws Throwable {
        shouldAgree(all -> joined(all, 0));
        shouldAgree(all -> joined(all, -3));
    }

    private static IndexKernel inTwoLines(Buffer[] all, int far) {
        Buffer y = all[1];
        Buffer numbers = all[2];
        return _ -> {
            int sum = numbers.getInt(0) + numbers.getInt(1);
            y.putDouble(sum + far, 1);
        };
    }

    @Test
    void shouldNameTheLineBehindAPartWithoutChecks() throws Throwable {
        shouldAgree(all -> inTwoLines(all, 1));
        shouldAgree(all -> inTwoLines(all, LENGTH));
    }

    private static IndexKernel nested(Buffer[] all, int rounds) {
        Buffer x = all[0];
        Buffer y = all[1];
        return _ -> {
            int at = 0;
            for (int k = 0; k < rounds; k++) {
                if (x.getDouble(0) > 5) {
                    at = 3;
                }
                while (at < LENGTH - 3) {
                    at++;
                }
                y.putDouble(k, at + x.getDouble(at + k));
            }
        };
    }

    /** What an inner loop changes, to whose start jumps lead, is unknown behind it. */
    @Test
    void shouldKnowNothingBehindAnInnerLoop() throws Throwable {
        shouldAgree(all -> nested(all, 3));
        shouldAgree(all -> nested(all, LENGTH));
    }

    @Test
    void shouldKnowWhatMustNotOverlap() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            IndexKernel kernel = scaled(buffers(arena), 0, 1);
            TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.LOOP);
            Object[] captured = translated.captured(kernel);
            assertEquals(1, translated.apart().size());
            ApartPair pair = translated.apart().getFirst();
            assertTrue(captured[pair.read()] instanceof Buffer && captured[pair.written()] instanceof Buffer);
            assertFalse(pair.read() == pair.written());
            assertEquals(1, translated.cuda().split("const char \\*PGAS_APART", -1).length - 1);
        }
    }
}
