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
        rounds(1, 1, round);
    }

    /** @param epochs of each round; it is run with the first */
    private void rounds(int parts, int epochs, Round round) {
        int epoch = own.get(ValueLayout.JAVA_INT, 0);
        long most = (long) WORDS * Long.BYTES * parts;
        for (long at = 0; at < bytes; at += most) {
            round.run(epoch + 1, at, (int) Math.min(most, bytes - at));
            epoch += epochs;
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

    void combineParts(ReduceOp op) {
        beginToSendAll();
        int parts = areas.length;
        Accumulators blocks = Accumulators.of(type, parts, WORDS * Long.BYTES);
        rounds(parts, 2, (epoch, at, length) -> {
            int width = width(length, parts);
            for (int m = 0; m < parts; m++) {
                if (m != me) {
                    send(m, epoch, src, at + (long) m * width, left(length, width, m));
                }
            }
            if (left(length, width, me) > 0) {
                combinePart(op, blocks, epoch, at + (long) me * width, left(length, width, me));
            }
            for (int m = 0; m < parts; m++) {
                if (m != me) {
                    receive(m, epoch + 1, dst, at + (long) m * width, left(length, width, m));
                }
            }
        });
    }

    private void combinePart(ReduceOp op, Accumulators blocks, int epoch, long at, int length) {
        int n = length / type.bytes();
        for (int m = 0; m < areas.length; m++) {
            if (m == me) {
                blocks.load(m, src, at, n);
            } else {
                receive(m, epoch, piece, 0, length);
                blocks.load(m, piece, 0, n);
            }
        }
        CombineKernels.combineRun(blocks, 0, areas.length, n, op);
        blocks.store(0, dst, at, n);
        for (int m = 0; m < areas.length; m++) {
            if (m != me) {
                send(m, epoch + 1, dst, at, length);
            }
        }
    }

    void broadcastParts(int root) {
        int parts = areas.length - 1;
        rounds(parts, 2, (epoch, at, length) -> {
            int width = width(length, parts);
            if (me == root) {
                awaitBegun(epoch - 1);
                for (int m = 0; m < areas.length; m++) {
                    if (m != me) {
                        send(m, epoch, src, at + (long) part(m, root) * width, left(length, width, part(m, root)));
                    }
                }
            } else {
                passOn(root, epoch, at, length, width);
            }
        });
        if (me == root && bytes > 0) {
            own.set(ValueLayout.JAVA_INT, DeviceArea.LED, own.get(ValueLayout.JAVA_INT, 0));
        }
    }

    private void passOn(int root, int epoch, long at, int length, int width) {
        for (int m = 0; m < areas.length; m++) {
            if (m != me) {
                wait.set(areas[m], DeviceArea.flag(0, me), epoch);
            }
        }
        long first = at + (long) part(me, root) * width;
        int mine = left(length, width, part(me, root));
        receive(root, epoch, dst, first, mine);
        for (int m = 0; m < areas.length; m++) {
            if (m != me && m != root) {
                wait.await(DeviceArea.flag(0, m), epoch, m);
                send(m, epoch + 1, dst, first, mine);
            }
        }
        for (int m = 0; m < areas.length; m++) {
            if (m != me && m != root) {
                receive(m, epoch + 1, dst, at + (long) part(m, root) * width, left(length, width, part(m, root)));
            }
        }
        wait.set(areas[root], DeviceArea.flag(0, me), epoch + 1);
    }

    private static int part(int member, int root) {
        return member < root ? member : member - 1;
    }

    /** Bytes of a part: whole runs of 16 words. */
    private static int width(int length, int parts) {
        int run = 16 * Long.BYTES;
        return Math.ceilDiv(Math.ceilDiv(length, parts), run) * run;
    }

    private static int left(int length, int width, int part) {
        return Math.clamp((long) length - (long) part * width, 0, width);
    }

    private void sendAll(int epoch, long at, int length) {
        for (int m = 0; m < areas.length; m++) {
            if (m != me) {
                send(m, epoch, src, m * strideBytes + at, length);
            }
        }
    }

    private void send(int member, int epoch, MemorySegment data, long from, int length) {
        MemorySegment to = areas[member];
        long region = DeviceArea.region(areas.length, 0, epoch, me);
        long flag = (long) epoch << Integer.SIZE;
        for (int i = 0; i < length; i += Integer.BYTES) {
            // release: pairs with the acquire in receive
            HALF.setRelease(to, region + 2L * i, flag | half(data, from + i, length - i) & LOW);
        }
    }

    private static int half(MemorySegment data, long at, int left) {
        if (left >= Integer.BYTES) {
            return data.get(INT, at);
        }
        int half = 0;
        for (int i = 0; i < left; i++) {
            half |= (data.get(ValueLayout.JAVA_BYTE, at + i) & 0xff) << i * Byte.SIZE;
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
