package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Team;

/** Global arrays of records and booleans. */
@Timeout(120)
class GlobalRecordsTest {

    private static final StructLayout CELL = MemoryLayout.structLayout(ValueLayout.JAVA_DOUBLE.withName("pressure"),
            ValueLayout.JAVA_INT.withName("phase"), MemoryLayout.paddingLayout(4));
    private static final Distribution BLOCKS = Distribution.blocks(2, 4, 4);

    @ParameterizedTest
    @CsvSource({"HOST, 1, auto", "HOST, 4, auto", "DEVICE, 4, auto", "HOST, 3, fastpath", "DEVICE, 3, fastpath",
        "HOST, 2, rendezvous", "DEVICE, 2, rendezvous"})
    void shouldDoRandomOperationsAsPlainBytesDo(MemoryKind kind, int ranks, String route) {
        Pgas.run(GlobalArrayTest.config(ranks, route), rank -> new RandomRecords(rank, 7 + ranks).run(kind, 16));
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldReadAndWriteFields(MemoryKind kind) {
        VarHandle pressure = CELL.varHandle(PathElement.groupElement("pressure"));
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            try (GlobalArray cells = GlobalArray.allocateRecords(rank, CELL, kind, BLOCKS)) {
                assertEquals(CELL, cells.record());
                assertEquals(16, cells.elementBytes());
                assertEquals(ElementType.BYTE, cells.type());
                cells.forAllLocal(index -> {
                    rank.rma().putDouble(cells.field(index, PathElement.groupElement("pressure")), 10 * index[0] + index[1]);
                    rank.rma().putInt(cells.field(index, PathElement.groupElement("phase")), (int) index[1]);
                });
                rank.barrier();
                assertEquals(3, rank.rma().getInt(cells.field(new long[] {0, 3}, PathElement.groupElement("phase"))));
                if (kind == MemoryKind.HOST) {
                    LocalPart local = cells.local();
                    long row = cells.distribution().axis(0).index(cells.distribution().coordinates(rank.rank())[0], 1);
                    long column = cells.distribution().axis(1).index(cells.distribution().coordinates(rank.rank())[1], 1);
                    assertEquals(10.0 * row + column, (double) pressure.get(local.element(1, 1), 0L));
                }
                rank.barrier();
            }
        });
    }

    /** More than the copies that a fill puts at once. */
    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldFillLongRows(MemoryKind kind) {
        MemoryLayout record = MemoryLayout.sequenceLayout(12, ValueLayout.JAVA_BYTE);
        byte[] element = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        int length = 30_011;
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            try (GlobalArray array = GlobalArray.allocateRecords(rank, record, kind, Distribution.blocks(2, length))) {
                array.fill(MemorySegment.ofArray(element));
                byte[] seen = new byte[length * element.length];
                array.all().get(Buffer.ofHost(MemorySegment.ofArray(seen), ElementType.BYTE));
                for (int i = 0; i < seen.length; i++) {
                    assertEquals(element[i % element.length], seen[i], "byte " + i);
                }
                rank.barrier();
            }
        });
    }

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldRefuseArithmetic(MemoryKind kind) {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            try (GlobalArray records = GlobalArray.allocateRecords(rank, CELL, kind, BLOCKS);
                    GlobalArray booleans = GlobalArray.allocateBooleans(rank, kind, BLOCKS);
                    GlobalArray bytes = GlobalArray.allocate(rank, ElementType.BYTE, kind, BLOCKS);
                    GlobalArray ints = GlobalArray.allocate(rank, ElementType.INT, kind, BLOCKS)) {
                Buffer one = Buffer.ofHost(MemorySegment.ofArray(new byte[1000]), ElementType.BYTE);
                for (GlobalArray array : new GlobalArray[] {records, booleans}) {
                    Map.<String, Runnable>of("fill", () -> array.fill(1), "scale", () -> array.scale(2),
                            "add", () -> array.add(1, array, 1, array), "dot", () -> array.dot(array),
                            "gemm", () -> ints.gemm(1, array, bytes, 0), "accumulate", () -> array.all().accumulate(one, 1))
                            .forEach((name, call) -> refuse(name + " of GlobalArray[" + (array == records ? "records of 16 bytes"
                                    : "BOOLEAN"), "expected: elements that are numbers", call));
                    refuse("gemm", "numbers", () -> ints.gemm(1, bytes, array, 0));
                    refuse("fetchAdd", "LONG", () -> array.fetchAdd(1, 0, 0));
                    refuse("", "DOUBLE", array::doubles);
                }
                rank.barrier();
            }
        });
    }

    @Test
    void shouldRefuseOtherElements() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            MemoryLayout other = MemoryLayout.sequenceLayout(2, ValueLayout.JAVA_LONG);
            try (GlobalArray records = GlobalArray.allocateRecords(rank, CELL, MemoryKind.HOST, BLOCKS);
                    GlobalArray pairs = GlobalArray.allocateRecords(rank, other, MemoryKind.HOST, BLOCKS);
                    GlobalArray booleans = GlobalArray.allocateBooleans(rank, MemoryKind.HOST, BLOCKS);
                    GlobalArray bytes = GlobalArray.allocate(rank, ElementType.BYTE, MemoryKind.HOST, BLOCKS)) {
                refuse("copyTo", "the same type", () -> records.copyTo(pairs));
                refuse("copyTo", "the same type", () -> booleans.copyTo(bytes));
                refuse("fill", "15 bytes (expected: 16)", () -> records.fill(MemorySegment.ofArray(new byte[15])));
                refuse("fill", "booleans", () -> records.fill(true));
                refuse("get", "booleans", () -> bytes.all().get(new boolean[16]));
                refuse("put", "an array of 15 (expected: 16 or more)", () -> booleans.all().put(new boolean[15]));
                refuse("record of", "an array of records", bytes::record);
                refuse("record of", "an array of records",
                        () -> booleans.field(new long[] {0, 0}, PathElement.groupElement("phase")));
                refuse("section", "(expected: 256 or more of type BYTE)",
                        () -> records.all().get(Buffer.ofHost(MemorySegment.ofArray(new byte[255]), ElementType.BYTE)));
                refuse("section", "(expected: 256 or more of type BYTE)",
                        () -> records.all().put(Buffer.ofHost(MemorySegment.ofArray(new long[32]), ElementType.LONG)));
                refuse("global array of records", "no bytes", () -> GlobalArray.allocateRecords(rank,
                        MemoryLayout.structLayout(), MemoryKind.HOST, BLOCKS));
                rank.barrier();
            }
        });
    }

    private static void refuse(String begin, String part, Runnable call) {
        String message = assertThrows(IllegalArgumentException.class, call::run).getMessage();
        assertTrue(message.startsWith(begin) && message.contains(part), message);
    }

    @Test
    void shouldNoticeThatRanksGiveDifferentElements() {
        Pgas.run(GlobalArrayTest.config(2, "auto"), rank -> {
            MemoryLayout one = MemoryLayout.sequenceLayout(1, ValueLayout.JAVA_BYTE);
            assertThrows(CollectiveMismatchException.class, () -> {
                if (rank.rank() == 0) {
                    GlobalArray.allocateRecords(rank, one, MemoryKind.HOST, BLOCKS);
                } else {
                    GlobalArray.allocateBooleans(rank, MemoryKind.HOST, BLOCKS);
                }
            });
        });
    }

    @Test
    void shouldBelongToATeam() {
        Pgas.run(GlobalArrayTest.config(3, "auto"), rank -> {
            try (Team team = rank.world().split(rank.rank() % 2)) {
                try (GlobalArray flags = GlobalArray.allocateBooleans(rank, team, MemoryKind.HOST,
                        Distribution.blocks(team.ranks(), 5, 3));
                        GlobalArray cells = GlobalArray.allocateRecords(rank, team, CELL, MemoryKind.HOST,
                                Distribution.blocks(team.ranks(), 5, 3))) {
                    flags.fill(rank.rank() % 2 == 1);
                    boolean[] seen = new boolean[15];
                    flags.all().get(seen);
                    for (boolean each : seen) {
                        assertEquals(rank.rank() % 2 == 1, each);
                    }
                    byte[] cell = new byte[16];
                    cell[3] = (byte) (rank.rank() % 2);
                    cells.fill(MemorySegment.ofArray(cell));
                    assertEquals(0, rank.rma().getInt(cells.field(new long[] {4, 2}, PathElement.groupElement("phase"))));
                    team.barrier();
                }
            }
        });
    }
}
