package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/** Java form of {@link PacketKernels}: one thread does the work of block 0. Used by one thread. */
final class HostPackets {

    private static final int WORDS = DeviceArea.REGION_BYTES / PacketKernels.PACKET_BYTES; // of a round
    private static final VarHandle HALF = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long LOW = 0xffff_ffffL;

    private final MemorySegment dst;
    private final MemorySegment src;
    private final MemorySegment own;
    private final MemorySegment[] areas;
    private final ElementType type;
    private final long bytes;
    private final long strideBytes;
    private final int me;
    private final HostTeamWait wait;
    private final MemorySegment piece = MemorySegment.ofArray(new byte[WORDS * Long.BYTES]);

    /**
     * @param firstArea number of the argument that is the area of member 0; the three before are destination, source, own
     * area
     */
    HostPackets(Kernel.Args args, int firstArea, ElementType type, int members, long count, long stride, int me, long limitNs) {
        this.dst = args.segment(0);
        this.src = args.segment(1);
        this.own = args.segment(2);
        this.areas = new MemorySegment[members];
        for (int m = 0; m < members; m++) {
            areas[m] = args.segment(firstArea + m);
        }
        this.type = type;
        this.bytes = type.bytes(count);
        this.strideBytes = type.bytes(stride);
        this.me = me;
        this.wait = new HostTeamWait(own, me, limitNs);
    }

    private interface Round {
        void run(int epoch, long at, int length);
    }

    private void rounds(Round round) {
        int epoch = own.get(ValueLayout.JAVA_INT, 0);
        for (long at = 0; at < bytes; at += (long) WORDS * Long.BYTES) {
            epoch++;
            round.run(epoch, at, (int) Math.min((long) WORDS * Long.BYTES, bytes - at));
        }
        own.set(ValueLayout.JAVA_INT, 0, epoch);
    }

    /** One that has led the last round knows only that the others have begun the one before it. */
    private void beginToSendAll() {
        int epoch = own.get(ValueLayout.JAVA_INT, 0);
        if (own.get(ValueLayout.JAVA_INT, DeviceArea.LED) == epoch) {
            awaitBegun(epoch);
        }
    }

    /** All others have begun the round, and need no packets of those before it. */
    private void awaitBegun(int epoch) {
        for (int m = 0; m < areas.length; m++) {
            if (m != me) {
                wait.await(DeviceArea.flag(0, m), epoch, m);
            }
        }
    }

    void combine(ReduceOp op) {
        beginToSendAll();
        Accumulators blocks = Accumulators.of(type, areas.length, WORDS * Long.BYTES);
        rounds((epoch, at, length) -> {
            sendAll(epoch, at, length);
            int n = length / type.bytes();
            for (int m = 0; m < areas.length; m++) {
                if (m == me) {
                    blocks.load(m, src, me * strideBytes + at, n);
                } else {
                    receive(m, epoch, piece, 0, length);
                    blocks.load(m, piece, 0, n);
                }
            }
            CombineKernels.combineRun(blocks, 0, areas.length, n, op);
            blocks.store(0, dst, at, n);
        });
    }

    void move() {
        beginToSendAll();
        rounds((epoch, at, length) -> {
            sendAll(epoch, at, length);
            MemorySegment.copy(src, me * strideBytes + at, dst, me * bytes + at, length);
            for (int m = 0; m < areas.length; m++) {
                if (m != me) {
                    receive(m, epoch, dst, m * bytes + at, length);
                }
            }
        });
    }

    void broadcast(int root) {
        rounds((epoch, at, length) -> {
            if (me != root) {
                wait.set(areas[root], DeviceArea.flag(0, me), epoch);
                receive(root, epoch, dst, at, length);
                return;
            }
            awaitBegun(epoch - 1); // packets go where those of the last but one were
            sendAll(epoch, at, length);
        });
        if (me == root && bytes > 0) {
            own.set(ValueLayout.JAVA_INT, DeviceArea.LED, own.get(ValueLayout.JAVA_INT, 0));
        }
    }

    private void sendAll(int epoch, long at, int length) {
        for (int m = 0; m < areas.length; m++) {
            if (m != me) {
                send(m, epoch, m * strideBytes + at, length);
            }
        }
    }

    private void send(int member, int epoch, long from, int length) {
        MemorySegment to = areas[member];
        long region = DeviceArea.region(areas.length, 0, epoch, me);
        long flag = (long) epoch << Integer.SIZE;
        for (int i = 0; i < length; i += Integer.BYTES) {
            // release: pairs with the acquire in receive
            HALF.setRelease(to, region + 2L * i, flag | half(from + i, length - i) & LOW);
        }
    }

    private int half(long at, int left) {
        if (left >= Integer.BYTES) {
            return src.get(INT, at);
        }
        int half = 0;
        for (int i = 0; i < left; i++) {
            half |= (src.get(ValueLayout.JAVA_BYTE, at + i) & 0xff) << i * Byte.SIZE;
        }
        return half;
    }

    private void receive(int member, int epoch, MemorySegment to, long at, int length) {
        long region = DeviceArea.region(areas.length, 0, epoch, member);
        for (int i = 0; i < length; i += Integer.BYTES) {
            long half = (long) HALF.getAcquire(own, region + 2L * i);
            for (wait.begin(); (int) (half >>> Integer.SIZE) != epoch; half = (long) HALF.getAcquire(own, region + 2L * i)) {
                wait.again(member);
            }
            if (length - i >= Integer.BYTES) {
                to.set(INT, at + i, (int) half);
            } else {
                for (int b = 0; b < length - i; b++) {
                    to.set(ValueLayout.JAVA_BYTE, at + i + b, (byte) (half >>> b * Byte.SIZE));
                }
            }
        }
    }
}
