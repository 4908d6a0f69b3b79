package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedRecords;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/**
 * Puts and gets of ranges of shared arrays and of slices, in every layout and kind of memory, beside the same on a plain array that
 * all ranks keep.
 */
final class RangeContract extends Contract {

    private static final int SEED = 12;
    private static final int LENGTH = 203;
    private static final int LONG_LENGTH = 90_000; // of blocks of one: more bytes for each owner than page-locked memory holds
    private static final int LARGE_RECORD = 48;
    private static final int ROUNDS = 12;
    private static final int EDGE = 16;

    private final Random same = new Random(SEED); // gives all ranks the same

    RangeContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        Layout[] layouts = {Layout.cyclic(), Layout.blocked(3), Layout.blocked(16), Layout.blocked(LENGTH), Layout.even(),
            Layout.onRank(rank.ranks() - 1)};
        for (MemoryKind kind : MemoryKind.values()) {
            for (Layout layout : layouts) {
                for (int elementBytes : new int[] {1, 2, 4, 8, 24}) {
                    ranges(kind, layout, elementBytes, LENGTH, ROUNDS);
                }
            }
            ranges(kind, Layout.cyclic(), LARGE_RECORD, LONG_LENGTH, 2);
        }
    }

    private void ranges(MemoryKind kind, Layout layout, int elementBytes, int length, int rounds) {
        SharedRecords array;
        try (Scope _ = Program.in(rank, kind)) {
            array = rank.allAllocRecords(MemoryLayout.sequenceLayout(elementBytes, ValueLayout.JAVA_BYTE), layout, length);
        }
        byte[] expected = new byte[length * elementBytes];
        same.nextBytes(expected);
        if (rank.rank() == 0) {
            array.put(0, length, MemorySegment.ofArray(expected));
        }
        rank.barrier();
        check.that(Arrays.equals(expected, read(array, 0, length)), "all of " + array);
        for (int round = 0; round < rounds; round++) {
            rank.barrier();
            int from = same.nextInt(length);
            int count = round % 3 == 0 ? length - from : same.nextInt(length - from + 1);
            byte[] values = new byte[count * elementBytes];
            same.nextBytes(values);
            if (rank.rank() == round % rank.ranks()) {
                put(array, from, count, values, round % 3);
            }
            System.arraycopy(values, 0, expected, from * elementBytes, values.length);
            rank.barrier();
            int begin = same.nextInt(length);
            int many = same.nextInt(length - begin + 1);
            int cut = begin / 2;
            byte[] seen = round % 2 == 0 ? read(array, begin, many) : read(array.slice(cut, length - cut), begin - cut, many);
            check.that(Arrays.equals(seen, 0, seen.length, expected, begin * elementBytes, (begin + many) * elementBytes),
                    "elements " + begin + " to " + (begin + many - 1) + " after a put of " + count + " from " + from
                            + " to " + array);
        }
        rank.barrier();
        check.that(Arrays.equals(expected, read(array, 0, length)), "all of " + array + " at the end");
        rank.allFree(array);
    }

    /** From native memory, a Java array or memory of the device. */
    private void put(SharedArray array, long from, long count, byte[] values, int source) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_BYTE, values);
            if (source < 2) {
                array.put(from, count, source == 0 ? memory : MemorySegment.ofArray(values));
                return;
            }
            try (Buffer buffer = rank.device().alloc(ElementType.BYTE, Math.max(1, values.length))) {
                rank.stream().copy(buffer.slice(0, values.length), Buffer.ofHost(memory, ElementType.BYTE));
                rank.stream().sync();
                array.put(from, count, buffer);
            }
        }
    }

    /** Elements, between bytes that must stay as they are. */
    private byte[] read(SharedArray array, int from, int count) {
        int bytes = (int) (count * array.elementBytes());
        byte[] memory = new byte[bytes + 2 * EDGE];
        Arrays.fill(memory, (byte) 77);
        array.get(from, count, MemorySegment.ofArray(memory).asSlice(EDGE, bytes + EDGE));
        boolean kept = true;
        for (int i = 0; i < EDGE; i++) {
            kept &= memory[i] == 77 && memory[EDGE + bytes + i] == 77;
        }
        check.that(kept, "bytes beside elements " + from + " to " + (from + count - 1) + " of " + array);
        byte[] elements = Arrays.copyOfRange(memory, EDGE, EDGE + bytes);
        check.that(Arrays.equals(elements, readByDevice(array, from, count, bytes)), "elements " + from + " to " + (from + count - 1)
                + " of " + array + " in memory of the device");
        return elements;
    }

    private byte[] readByDevice(SharedArray array, int from, int count, int bytes) {
        try (Buffer buffer = rank.device().alloc(ElementType.BYTE, Math.max(1, bytes)); Arena arena = Arena.ofConfined()) {
            array.get(from, count, buffer);
            MemorySegment memory = arena.allocate(Math.max(1, bytes));
            rank.stream().copy(Buffer.ofHost(memory, ElementType.BYTE), buffer);
            rank.stream().sync();
            return memory.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE);
        }
    }
}
