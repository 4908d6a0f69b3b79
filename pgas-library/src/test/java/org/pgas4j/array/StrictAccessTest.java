package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.SharedRecords;

/** Values that strict accesses read and write, of every type, and what they refuse. */
@Timeout(120)
class StrictAccessTest {

    @ParameterizedTest
    @CsvSource({"HOST, auto", "DEVICE, auto", "HOST, fastpath", "DEVICE, rendezvous"})
    void shouldReadAndWriteEveryType(MemoryKind kind, String route) {
        Pgas.run(GlobalArrayTest.config(2, route), rank -> {
            int next = (rank.rank() + 1) % 2;
            try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
                Strict bytes = Strict.of(rank, rank.allAllocBytes(Layout.cyclic(), 4));
                Strict shorts = Strict.of(rank, rank.allAllocShorts(Layout.cyclic(), 4));
                Strict chars = Strict.of(rank, rank.allAllocChars(Layout.cyclic(), 4));
                Strict booleans = Strict.of(rank, rank.allAllocBooleans(Layout.cyclic(), 4));
                Strict ints = Strict.of(rank, rank.allAllocInts(Layout.cyclic(), 4));
                Strict longs = Strict.of(rank, rank.allAllocLongs(Layout.cyclic(), 4));
                Strict floats = Strict.of(rank, rank.allAllocFloats(Layout.cyclic(), 4));
                Strict doubles = Strict.of(rank, rank.allAllocDoubles(Layout.cyclic(), 4));
                for (int at : new int[] {next + 2, next}) { // the second is in front of the first and leaves it as it is
                    bytes.putByte(at, (byte) (-100 - at));
                    shorts.putShort(at, (short) (-30_000 - at));
                    chars.putChar(at, (char) (65_000 + at));
                    booleans.putBoolean(at, at >= 2);
                    ints.putInt(at, -7 - at);
                    longs.putLong(at, Long.MIN_VALUE + at);
                    floats.putFloat(at, 0.5f + at);
                    doubles.putDouble(at, Math.PI + at);
                }
                rank.barrier();
                for (int at = 0; at < 4; at++) {
                    assertEquals((byte) (-100 - at), bytes.getByte(at));
                    assertEquals((short) (-30_000 - at), shorts.getShort(at));
                    assertEquals((char) (65_000 + at), chars.getChar(at));
                    assertEquals(at >= 2, booleans.getBoolean(at));
                    assertEquals(-7 - at, ints.getInt(at));
                    assertEquals(Long.MIN_VALUE + at, longs.getLong(at));
                    assertEquals(0.5f + at, floats.getFloat(at));
                    assertEquals(Math.PI + at, doubles.getDouble(at));
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"HOST, auto", "DEVICE, auto", "HOST, rendezvous", "DEVICE, fastpath"})
    void shouldReadAndWriteWhereAPointerPoints(MemoryKind kind, String route) {
        Pgas.run(GlobalArrayTest.config(2, route), rank -> {
            SharedPointer place;
            try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
                place = rank.allAlloc(2, 64).onRank(1 - rank.rank()).resetPhase();
            }
            StrictRma words = StrictRma.of(rank);
            words.putLong(place, -1);
            words.putByte(place.plus(3), (byte) 0x12);
            assertEquals(0xffff_ffff_12ff_ffffL, words.getLong(place));
            words.putShort(place.plus(4), (short) 0x3456);
            assertEquals(0xffff_3456_12ff_ffffL, words.getLong(place));
            words.putChar(place.plus(6), '\u789a');
            words.putBoolean(place.plus(2), false);
            words.putBoolean(place.plus(1), true);
            assertEquals(0x789a_3456_1200_01ffL, words.getLong(place));
            assertEquals((byte) 0x12, words.getByte(place.plus(3)));
            assertEquals((short) 0x3456, words.getShort(place.plus(4)));
            assertEquals('\u789a', words.getChar(place.plus(6)));
            assertFalse(words.getBoolean(place.plus(2)));
            assertTrue(words.getBoolean(place.plus(1)));
            words.putInt(place.plus(12), Integer.MIN_VALUE);
            words.putFloat(place.plus(16), -0.5f);
            words.putDouble(place.plus(24), Math.E);
            assertEquals(Integer.MIN_VALUE, words.getInt(place.plus(12)));
            assertEquals(-0.5f, words.getFloat(place.plus(16)));
            assertEquals(Math.E, words.getDouble(place.plus(24)));
            assertThrows(IllegalArgumentException.class, () -> words.getShort(place.plus(1)));
            assertThrows(IllegalArgumentException.class, () -> words.putLong(place.plus(4), 0));
            assertThrows(IndexOutOfBoundsException.class, () -> words.putByte(place.cast(0, 1).plus(64), (byte) 0));
            assertThrows(IndexOutOfBoundsException.class, () -> words.getLong(place.cast(0, 1).plus(64)));
        });
    }

    @Test
    void shouldRefuseOtherElementsAndIndices() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            SharedLongs array = rank.allAllocLongs(Layout.cyclic(), 2);
            Strict longs = Strict.of(rank, array);
            Strict booleans = Strict.of(rank, rank.allAllocBooleans(Layout.cyclic(), 2));
            assertEquals("Strict[" + array + "]", longs.toString());
            assertThrows(IndexOutOfBoundsException.class, () -> longs.getLong(2));
            assertThrows(IndexOutOfBoundsException.class, () -> longs.putLong(-1, 0));
            assertThrows(IllegalArgumentException.class, () -> longs.getDouble(0));
            assertThrows(IllegalArgumentException.class, () -> booleans.getByte(0));
            SharedRecords records = rank.allAllocRecords(ValueLayout.JAVA_LONG, Layout.cyclic(), 2);
            assertThrows(IllegalArgumentException.class, () -> Strict.of(rank, records).getLong(0));
            assertThrows(IllegalArgumentException.class, () -> Strict.of(rank, records).putRecord(0, MemorySegment.ofArray(new byte[7])));
            assertThrows(IllegalArgumentException.class, () -> longs.getRecord(0, MemorySegment.ofArray(new byte[8])));
        });
    }

    @ParameterizedTest
    @CsvSource({"HOST, auto", "DEVICE, auto", "HOST, rendezvous", "DEVICE, fastpath"})
    void shouldReadAndWriteRecordsAndGlobalArrays(MemoryKind kind, String route) {
        Pgas.run(GlobalArrayTest.config(2, route), rank -> {
            SharedRecords complex;
            try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
                complex = rank.allAllocRecords(MemoryLayout.structLayout(ValueLayout.JAVA_DOUBLE.withName("real"),
                        ValueLayout.JAVA_DOUBLE.withName("imaginary")), Layout.cyclic(), 4);
            }
            GlobalArray matrix = GlobalArray.allocate(rank, ElementType.DOUBLE, kind,
                    Distribution.of(Axis.block(4, 2), Axis.block(3, 1)));
            Strict strict = Strict.of(rank, complex);
            StrictRma words = StrictRma.of(rank);
            for (int i = 1 - rank.rank(); i < 4; i += 2) {
                strict.putRecord(i, MemorySegment.ofArray(new double[] {i, -i}));
                words.putDouble(matrix.locate(i, 2), i + 0.5);
            }
            rank.barrier();
            for (int i = 0; i < 4; i++) {
                double[] seen = new double[2];
                strict.getRecord(i, MemorySegment.ofArray(seen));
                assertArrayEquals(new double[] {i, -i}, seen);
                assertEquals(i + 0.5, words.getDouble(matrix.locate(i, 2)));
            }
            rank.barrier();
        });
    }
}
