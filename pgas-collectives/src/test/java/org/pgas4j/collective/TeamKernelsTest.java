package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostBackend;

/** Java forms of the kernels by which members meet, each member a stream of one host device. */
@Timeout(60)
class TeamKernelsTest {

    private static final long LIMIT_NS = 30_000_000_000L;
    private static final Kernel.Shape ONE = new Kernel.Shape(1, 1);

    private final HostBackend backend = new HostBackend(1, 2);
    private final Accelerator device = backend.open(0);
    private final List<AutoCloseable> held = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : held.reversed()) {
            each.close();
        }
        backend.close();
    }

    private DeviceMemory zeros(long bytes) {
        DeviceMemory memory = device.allocate(bytes, false);
        held.add(memory);
        AcceleratorStream stream = stream();
        stream.fill(memory, 0, bytes, (byte) 0);
        assertTrue(stream.sync(System.nanoTime() + LIMIT_NS));
        return memory;
    }

    private AcceleratorStream stream() {
        AcceleratorStream stream = device.newStream();
        held.add(stream);
        return stream;
    }

    private Buffer longs(long... values) {
        DeviceMemory memory = zeros(Math.max(1, values.length) * 8L);
        AcceleratorStream stream = stream();
        stream.copyIn(memory, 0, Arena.ofAuto().allocateFrom(ElementType.LAYOUT_LONG, values), 0, values.length * 8L);
        assertTrue(stream.sync(System.nanoTime() + LIMIT_NS));
        return Buffer.ofDevice(memory, 0, ElementType.LONG, values.length);
    }

    private long at(Buffer buffer, long index) {
        MemorySegment host = Arena.ofAuto().allocate(8, 8);
        AcceleratorStream stream = stream();
        stream.copyOut(host, 0, buffer.deviceMemory(), buffer.deviceOffset() + index * 8, 8);
        assertTrue(stream.sync(System.nanoTime() + LIMIT_NS));
        return host.get(ElementType.LAYOUT_LONG, 0);
    }

    private List<Buffer> areas(int members) {
        List<Buffer> areas = new ArrayList<>();
        for (int m = 0; m < members; m++) {
            long bytes = DeviceArea.bytes(members, 1, 1);
            areas.add(Buffer.ofDevice(zeros(bytes), 0, ElementType.BYTE, bytes));
        }
        return areas;
    }

    private static Object[] packets(Buffer dst, Buffer src, List<Buffer> areas, long count, long stride, int me, long limitNs) {
        List<Object> args = new ArrayList<>(List.of(dst, src, areas.get(me)));
        args.addAll(areas);
        args.addAll(List.of(count, stride, me, limitNs));
        return args.toArray();
    }

    /** Several operations behind each other, longer than a region: epochs and parities go round. */
    @ParameterizedTest
    @CsvSource({"2, 1", "2, 1024", "2, 2500", "3, 1030", "4, 77"})
    void shouldCombineAgainAndAgain(int members, int count) {
        List<Buffer> areas = areas(members);
        List<Buffer> vectors = new ArrayList<>();
        List<AcceleratorStream> streams = new ArrayList<>();
        for (int m = 0; m < members; m++) {
            long[] values = new long[count];
            Arrays.setAll(values, i -> i);
            values[0] = m;
            vectors.add(longs(values));
            streams.add(stream());
        }
        Kernel kernel = PacketKernels.combining(ElementType.LONG, ReduceOp.SUM, members);
        for (int round = 0; round < 5; round++) {
            for (int m = 0; m < members; m++) {
                streams.get(m).launch(kernel, ONE,
                        packets(vectors.get(m), vectors.get(m), areas, count, 0, m, LIMIT_NS));
            }
        }
        long growth = (long) Math.pow(members, 5);
        for (int m = 0; m < members; m++) {
            assertTrue(streams.get(m).sync(System.nanoTime() + LIMIT_NS));
            assertEquals(growth / members * (members * (members - 1) / 2), at(vectors.get(m), 0), "element 0 of " + m);
            if (count > 1) {
                assertEquals(growth * (count - 1), at(vectors.get(m), count - 1), "last of " + m);
            }
        }
    }

    private static Object[] broadcast(Buffer buffer, List<Buffer> areas, int me, int root, long limitNs) {
        List<Object> args = new ArrayList<>(List.of(packets(buffer, buffer, areas, buffer.length(), 0, me, limitNs)));
        args.add(root);
        return args.toArray();
    }

    private void set(Buffer area, long offset, int value) {
        AcceleratorStream stream = stream();
        stream.writeValue32(area.deviceMemory(), offset, value);
        assertTrue(stream.sync(System.nanoTime() + LIMIT_NS));
    }

    /** Its packets go where those of the last round but one were: a member that has begun the last has read them. */
    @Test
    void shouldSendNoPacketOfABroadcastBeforeAllMembersHaveBegunTheRoundBefore() {
        List<Buffer> areas = areas(3);
        Buffer vector = longs(5);
        set(areas.get(0), 0, 2); // epoch 3 comes
        set(areas.get(0), DeviceArea.flag(0, 1), 2);
        set(areas.get(0), DeviceArea.flag(0, 2), 1);
        AcceleratorStream root = stream();

        root.launch(PacketKernels.broadcasting(ElementType.LONG, 3), ONE, broadcast(vector, areas, 0, 0, 1));

        assertTrue(assertThrows(DeviceException.class, () -> root.sync(System.nanoTime() + LIMIT_NS)).toString()
                .contains("heard nothing of member 2"));
        Buffer packet = Buffer.ofDevice(areas.get(1).deviceMemory(), DeviceArea.region(3, 0, 3, 0), ElementType.LONG, 1);
        assertEquals(0, at(packet, 0), "packet at member 1, which has begun the round before");
    }

    /** The root of a broadcast has no packets of the others, which say that they have begun it. */
    @Test
    void shouldSendNoPacketToAllBeforeTheyHaveBegunTheOwnBroadcastBefore() {
        List<Buffer> areas = areas(2);
        Buffer vector = longs(5);
        AcceleratorStream root = stream();
        root.launch(PacketKernels.broadcasting(ElementType.LONG, 2), ONE, broadcast(vector, areas, 0, 0, LIMIT_NS));
        assertTrue(root.sync(System.nanoTime() + LIMIT_NS), "the first packets need no answer");

        root.launch(PacketKernels.combining(ElementType.LONG, ReduceOp.SUM, 2), ONE, packets(vector, vector, areas, 1, 0, 0, 1));

        assertThrows(DeviceException.class, () -> root.sync(System.nanoTime() + LIMIT_NS));
        Buffer packet = Buffer.ofDevice(areas.get(1).deviceMemory(), DeviceArea.region(2, 0, 2, 0), ElementType.LONG, 1);
        assertEquals(0, at(packet, 0), "packet of the sum");
    }

    /** A root's next packets say that all have taken those that the others passed on, too. */
    @Test
    void shouldAnswerARootWhenAllPartsAreTaken() {
        List<Buffer> areas = areas(3);
        Buffer vector = longs(new long[40]); // two parts
        AcceleratorStream root = stream();
        root.launch(PacketKernels.broadcastingParts(ElementType.LONG, 3), ONE, broadcast(vector, areas, 0, 0, LIMIT_NS));
        assertTrue(root.sync(System.nanoTime() + LIMIT_NS));
        set(areas.get(1), DeviceArea.flag(0, 2), 1); // member 2 has begun, and passes nothing on
        AcceleratorStream other = stream();

        other.launch(PacketKernels.broadcastingParts(ElementType.LONG, 3), ONE, broadcast(vector, areas, 1, 0, 1));

        assertTrue(assertThrows(DeviceException.class, () -> other.sync(System.nanoTime() + LIMIT_NS)).toString()
                .contains("heard nothing of member 2"));
        Buffer flags = Buffer.ofDevice(areas.get(0).deviceMemory(), DeviceArea.flag(0, 0), ElementType.LONG, 1);
        assertEquals(1, at(flags, 0) >>> Integer.SIZE, "flag of member 1, which has begun and has not taken all");
    }

    /** Members go on as early as they may: each follows the operations by itself. Some are longer than a round of their form. */
    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1030", "4, 5", "4, 4100", "8, 40"})
    void shouldMixOperationsInAnyOrder(int members, int count) {
        List<Buffer> areas = areas(members);
        List<Buffer> vectors = new ArrayList<>();
        List<AcceleratorStream> streams = new ArrayList<>();
        for (int m = 0; m < members; m++) {
            long[] values = new long[count];
            Arrays.fill(values, m + 1);
            vectors.add(longs(values));
            streams.add(stream());
        }
        long[] expected = new long[members];
        Arrays.setAll(expected, m -> m + 1);
        Random random = new Random(count);
        for (int i = 0; i < 60; i++) {
            int root = random.nextInt(3) == 0 ? random.nextInt(members) : 0;
            boolean sum = random.nextInt(3) == 0;
            boolean inParts = random.nextBoolean();
            Kernel kernel = sum
                    ? inParts ? PacketKernels.combiningParts(ElementType.LONG, ReduceOp.SUM, members)
                            : PacketKernels.combining(ElementType.LONG, ReduceOp.SUM, members)
                    : inParts ? PacketKernels.broadcastingParts(ElementType.LONG, members)
                            : PacketKernels.broadcasting(ElementType.LONG, members);
            for (int m = 0; m < members; m++) {
                Buffer vector = vectors.get(m);
                streams.get(m).launch(kernel, ONE, sum ? packets(vector, vector, areas, count, 0, m, LIMIT_NS)
                        : broadcast(vector, areas, m, root, LIMIT_NS));
            }
            Arrays.fill(expected, sum ? Arrays.stream(expected).sum() : expected[root]);
        }
        for (int m = 0; m < members; m++) {
            assertTrue(streams.get(m).sync(System.nanoTime() + LIMIT_NS));
            assertEquals(expected[m], at(vectors.get(m), 0), "element 0 of " + m);
            assertEquals(expected[m], at(vectors.get(m), count - 1), "last of " + m);
        }
    }

    /** Each member but the root reads a part and writes it to all of them, several operations behind each other. */
    @ParameterizedTest
    @CsvSource({"2, 5", "3, 1001", "4, 3"})
    void shouldPassOnPartsOfABroadcast(int members, int count) {
        List<Buffer> areas = areas(members);
        List<Buffer> vectors = new ArrayList<>();
        List<AcceleratorStream> streams = new ArrayList<>();
        for (int m = 0; m < members; m++) {
            long[] values = new long[count];
            int first = m * 10_000;
            Arrays.setAll(values, i -> first + i);
            vectors.add(longs(values));
            streams.add(stream());
        }
        int parts = members - 1;
        int root = 0;
        for (int round = 0; round < 5; round++) {
            root = (root + 1) % members;
            for (int m = 0; m < members; m++) {
                int part = Math.floorMod(m - root - 1, members);
                long begin = m == root ? 0 : CollectiveOperation.partStart(count, 8, part, parts);
                long mine = m == root ? 0 : CollectiveOperation.partStart(count, 8, part + 1, parts) - begin;
                List<Object> args = new ArrayList<>(List.of(areas.get(m)));
                args.addAll(areas);
                args.add(vectors.get(root).slice(begin, mine));
                for (int d = 0; d < members; d++) {
                    if (d != root) {
                        args.add(vectors.get(d).slice(begin, mine));
                    }
                }
                args.addAll(List.of(mine, m, LIMIT_NS));
                streams.get(m).launch(DirectKernels.moving(ElementType.LONG, members, 1, parts), ONE, args.toArray());
            }
        }
        for (int m = 0; m < members; m++) {
            assertTrue(streams.get(m).sync(System.nanoTime() + LIMIT_NS));
            for (int i = 0; i < count; i++) {
                assertEquals(10_000 + i, at(vectors.get(m), i), "element " + i + " of " + m); // the first root's
            }
        }
    }

    /** Vectors of some chunks for each member, and less than a word behind; in place, several operations behind each other. */
    @ParameterizedTest
    @CsvSource({"2, 1", "2, 4103", "3, 1001", "4, 3", "8, 9000"})
    void shouldCombineWhatIsPushed(int members, int count) {
        List<Buffer> areas = areas(members);
        long pushed = DeviceArea.bytes(members, 1, 0);
        List<Buffer> vectors = new ArrayList<>();
        List<AcceleratorStream> streams = new ArrayList<>();
        for (int m = 0; m < members; m++) {
            long[] values = new long[count];
            int first = m;
            Arrays.setAll(values, i -> first + i);
            vectors.add(longs(values));
            streams.add(stream());
        }
        long each = CollectiveOperation.partStart(count, 8, 1, members);
        for (int round = 0; round < 3; round++) {
            for (int m = 0; m < members; m++) {
                List<Object> args = new ArrayList<>(List.of(areas.get(m)));
                args.addAll(areas);
                args.addAll(vectors);
                args.addAll(vectors);
                long chunk = 8 << round;
                args.addAll(List.of(each, (long) count, chunk, pushed, m, LIMIT_NS));
                streams.get(m).launch(PushKernels.combining(ElementType.LONG, ReduceOp.SUM, members), ONE, args.toArray());
            }
        }
        for (int m = 0; m < members; m++) {
            assertTrue(streams.get(m).sync(System.nanoTime() + LIMIT_NS));
            for (int i = 0; i < count; i += Math.max(1, count / 10)) {
                long sum = (long) members * i + members * (members - 1) / 2;
                assertEquals(sum * members * members, at(vectors.get(m), i), "element " + i + " of " + m);
            }
        }
    }

    @Test
    void shouldPushBetweenPlacesThatAreAligned() {
        long aligned = Group.place(MemoryKind.DEVICE, 4096 + 16);

        assertTrue(TeamKernels.areAligned(aligned, aligned));
        assertFalse(TeamKernels.areAligned(aligned, Group.place(MemoryKind.DEVICE, 4096 + 8)));
    }

    @Test
    void shouldEndAWaitForAMemberThatDoesNotCome() {
        List<Buffer> areas = areas(2);
        Buffer vector = longs(1, 2);
        AcceleratorStream late = stream();
        late.launch(PacketKernels.combining(ElementType.LONG, ReduceOp.SUM, 2), ONE, packets(vector, vector, areas, 2, 0, 1, 1));

        String message = assertThrows(DeviceException.class, () -> late.sync(System.nanoTime() + LIMIT_NS)).toString();

        assertTrue(message.contains("heard nothing of member 0") && message.contains("pgas.timeout"), message);
    }

    @Test
    void shouldEndWaitsThatAreStopped() {
        List<Buffer> areas = areas(2);
        AcceleratorStream waiting = stream();
        waiting.launch(DirectKernels.meeting(2), ONE, new Object[] {areas.get(0), areas.get(0), areas.get(1), 0, LIMIT_NS});
        assertFalse(waiting.isIdle());

        stream().writeValue32(areas.get(0).deviceMemory(), DeviceArea.STOP, 1);

        assertTrue(assertThrows(DeviceException.class, () -> waiting.sync(System.nanoTime() + LIMIT_NS)).toString()
                .contains("stopped"));
    }

    @Test
    void shouldHaveASourceOfItsOwnForEachKernel() {
        Set<String> sources = new HashSet<>();
        List<Kernel> kernels = new ArrayList<>();
        for (int members : new int[] {2, 3, 8}) {
            kernels.add(DirectKernels.meeting(members));
            for (ElementType type : new ElementType[] {ElementType.BYTE, ElementType.INT, ElementType.DOUBLE}) {
                kernels.add(PacketKernels.combining(type, ReduceOp.SUM, members));
                kernels.add(PacketKernels.moving(type, members));
                kernels.add(PacketKernels.broadcasting(type, members));
                kernels.add(PacketKernels.combiningParts(type, ReduceOp.SUM, members));
                kernels.add(PacketKernels.broadcastingParts(type, members));
                kernels.add(DirectKernels.combining(type, ReduceOp.MAX, members, 1));
                kernels.add(DirectKernels.combining(type, ReduceOp.MAX, members, members));
                kernels.add(PushKernels.combining(type, ReduceOp.SUM, members));
                kernels.add(DirectKernels.moving(type, members, 1, members - 1));
                kernels.add(DirectKernels.moving(type, members, members, 1));
            }
        }
        for (Kernel kernel : kernels) {
            assertTrue(kernel.cuda().contains(" " + kernel.name() + "("), kernel.name());
            assertFalse(kernel.cuda().matches("(?s).*\\b(MEMBERS|SOURCES|DESTINATIONS|THREADS|BATCH|CAPACITY|PARTS|COMBINED|LOAD"
                    + "|CHUNK_BYTES|CHUNKS|RESULTS|STORE|TREE|LIST_READ|LIST_WRITTEN)\\b.*"), kernel.cuda());
            assertTrue(sources.add(kernel.cuda()), kernel.name());
        }
    }
}
