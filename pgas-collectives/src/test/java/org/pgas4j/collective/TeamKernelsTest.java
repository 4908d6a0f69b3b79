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
            long bytes = DeviceArea.bytes(members, 1);
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

    /** A member that has a round of a broadcast may send packets of the next but one, over those of the round before. */
    @Test
    void shouldSendNoPacketOfABroadcastBeforeAllMembersHaveBegunIt() {
        List<Buffer> areas = areas(3);
        Buffer vector = longs(5);
        stream().writeValue32(areas.get(0).deviceMemory(), DeviceArea.flag(0, 1), 1);
        List<Object> args = new ArrayList<>(List.of(packets(vector, vector, areas, 1, 0, 0, 1)));
        args.add(0);
        AcceleratorStream root = stream();

        root.launch(PacketKernels.broadcasting(ElementType.LONG, 3), ONE, args.toArray());

        assertTrue(assertThrows(DeviceException.class, () -> root.sync(System.nanoTime() + LIMIT_NS)).toString()
                .contains("heard nothing of member 2"));
        long region = DeviceArea.region(3, 0, 1, 0);
        Buffer packet = Buffer.ofDevice(areas.get(1).deviceMemory(), region, ElementType.LONG, 1);
        assertEquals(0, at(packet, 0), "packet at member 1, which has begun the round");
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
                kernels.add(DirectKernels.combining(type, ReduceOp.MAX, members, 1));
                kernels.add(DirectKernels.combining(type, ReduceOp.MAX, members, members));
                kernels.add(DirectKernels.moving(type, members, 1));
                kernels.add(DirectKernels.moving(type, members, members));
            }
        }
        for (Kernel kernel : kernels) {
            assertTrue(kernel.cuda().contains(" " + kernel.name() + "("), kernel.name());
            assertFalse(kernel.cuda().matches("(?s).*\\b(MEMBERS|SOURCES|BATCH|CAPACITY|BEGIN|END|TREE|LIST_READ)\\b.*"),
                    kernel.cuda());
            assertTrue(sources.add(kernel.cuda()), kernel.name());
        }
    }
}
