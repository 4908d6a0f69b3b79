package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Window;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Tally;

/** Windows and notifications of streams: queued, captured in graphs and prepared. */
final class WindowStreams extends NeighbourContract {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final int PART = 4096;
    private static final int RUN_AHEAD = 10_000;
    private static final int PING_PONGS = 100;
    private static final int GRAPHS = 50;
    private static final int MOST = 192 << 10;
    private static final int[] SIZES = {1, 7, 8, 15, 16, 100, 511, 2048, 8200, 40_000, 128 << 10, (128 << 10) + 1};

    private final Supplier<Stream> streams;

    /** @param streams makes streams of one kind */
    WindowStreams(Rank rank, Tally check, Supplier<Stream> streams) {
        super(rank, check);
        this.streams = streams;
    }

    @Override
    void run() {
        for (MemoryKind kind : MemoryKind.values()) {
            streams(kind);
        }
        streamValues();
        sizes();
        graphs();
        pingPong();
        runAhead();
        prepared();
    }

    /** Puts of many sizes and alignments, whole and in order before their notification or value. */
    private void sizes() {
        SharedPointer base = mine(MemoryKind.DEVICE, MOST);
        try (Window window = rank.createWindow(rank.world(), base, MOST); Arena arena = Arena.ofConfined();
             PatternMemory source = new PatternMemory(rank, MemoryKind.DEVICE, MOST);
             Stream stream = streams.get()) {
            source.fill(700 + me, 0, MOST);
            for (int i = 0; i < SIZES.length; i++) {
                int bytes = SIZES[i];
                for (int shift : new int[] {0, 1, 8}) {
                    stream.fill(rank.memory().local(base, ElementType.BYTE, MOST), 0);
                    stream.sync();
                    rank.barrier();
                    Buffer part = source.block().slice(0, bytes);
                    if ((i & 1) == 0) {
                        stream.putNotifySet(window, next, shift, part, 78, 1);
                        stream.awaitValue(78);
                    } else {
                        stream.putNotify(window, next, shift, part, 79);
                        stream.awaitNotifications(79, 1);
                    }
                    stream.sync();
                    MemorySegment got = read(arena, base, MOST);
                    check.same(-1L, PatternMemory.mismatch(got.asSlice(shift), 700 + previous, 0, bytes),
                            "put of " + bytes + " bytes by a stream, shifted by " + shift);
                    check.same((byte) 0, got.get(ValueLayout.JAVA_BYTE, shift + bytes), "the byte behind it");
                    rank.barrier();
                }
            }
        }
        rank.free(base);
    }

    private void streams(MemoryKind kind) {
        SharedPointer base = mine(kind, PART);
        try (Window window = rank.createWindow(rank.world(), base, PART); Arena arena = Arena.ofConfined();
             PatternMemory device = new PatternMemory(rank, MemoryKind.DEVICE, 1024);
             PatternMemory host = new PatternMemory(rank, MemoryKind.HOST, 1024);
             Stream stream = streams.get()) {
            for (PatternMemory source : new PatternMemory[] {device, host}) {
                source.fill(300 + me, 0, 1024);
                stream.put(window, next, 0, source.block().slice(0, 512));
                stream.putNotify(window, next, 512, source.block().slice(512, 512), 80);
                stream.awaitNotifications(80, 1);
                stream.sync();
                check.same(-1L, PatternMemory.mismatch(read(arena, base, 1024), 300 + previous, 0, 1024), "stream's put of "
                        + source.block().kind() + " to " + kind);
                check.that(stream.isIdle(), "the stream is idle");
                rank.barrier();
            }
            stream.signal(next, 81);
            notifications.await(81, 1);
            check.refuses(IndexOutOfBoundsException.class, "windowBytes=" + PART, () -> stream.putNotify(window, next, PART - 1,
                    device.block(), 80), "stream's put behind the end");
            check.refuses(IllegalArgumentException.class, "tag=-1", () -> stream.signal(next, -1), "stream's wrong tag");
            stream.sync();
            rank.barrier();
        }
        rank.free(base);
    }

    /** Values, set and waited for by streams, behind puts and counted notifications of the same stream. */
    private void streamValues() {
        SharedPointer base = mine(MemoryKind.DEVICE, PART);
        try (Window window = rank.createWindow(rank.world(), base, PART); Arena arena = Arena.ofConfined();
             PatternMemory device = new PatternMemory(rank, MemoryKind.DEVICE, 1024);
             PatternMemory host = new PatternMemory(rank, MemoryKind.HOST, 1024);
             Stream stream = streams.get()) {
            for (PatternMemory source : new PatternMemory[] {device, host}) {
                source.fill(500 + me, 0, 1024);
                stream.signal(next, 82);
                stream.put(window, next, 0, source.block().slice(0, 512));
                stream.putNotifySet(window, next, 512, source.block().slice(512, 512), 83, 9000 + me);
                stream.awaitValue(83);
                stream.sync();
                check.that(notifications.test(82, 1), "what the stream counted before its value");
                check.same(-1L, PatternMemory.mismatch(read(arena, base, 1024), 500 + previous, 0, 1024), "put with a value from "
                        + source.block().kind());
                check.same(0L, notifications.reset(83), "the stream took the value");
                rank.barrier();
            }
            stream.signalSet(next, 84, 70 + me);
            check.same(84, notifications.awaitSome(84, 1, rank.timeout()), "stream's value for a host");
            check.same(70L + previous, notifications.reset(84), "it is the one that was given");
            stream.awaitValue(85);
            stream.signalSet(next, 86, 1);
            check.same(-1, notifications.testSome(86, 1), "the stream waits");
            rank.barrier();
            notifications.signalSet(next, 85, 1);
            stream.sync();
            check.same(86, notifications.awaitSome(86, 1, rank.timeout()), "the stream went on");
            notifications.reset(86);
            check.refuses(IllegalArgumentException.class, "value=0", () -> stream.signalSet(next, 1, 0), "stream's value 0");
            check.refuses(IllegalArgumentException.class, "tag=256", () -> stream.awaitValue(256), "stream's wrong tag");
            rank.barrier();
        }
        rank.free(base);
    }

    private boolean isDirect(SharedPointer pointer) {
        for (MemoryKind own : MemoryKind.values()) {
            for (int neighbour : new int[] {next, previous}) {
                String route = rank.diagnostics().route(own, pointer.onRank(neighbour), 64);
                if (route.equals("fastpath") || route.equals("rendezvous") || route.equals("rdma")) {
                    return false;
                }
            }
        }
        return true;
    }

    private static ThreadKernel addOneTo(Buffer mine, Buffer theirs) {
        return self -> mine.putLong(self.thread(), theirs.getLong(self.thread()) + 1);
    }

    /**
     * A ring of graphs: each half of a launch passes on what the one before it got, one higher. Both neighbours answer, with tags
     * of their own in each half, so that no rank sets a value before the last one was taken.
     */
    private void graphs() {
        SharedPointer base = mine(MemoryKind.DEVICE, 512);
        SharedPointer onHost = mine(MemoryKind.HOST, 8);
        Buffer mine = rank.memory().local(base, ElementType.LONG, 64);
        try (Window window = rank.createWindow(rank.world(), base, 512); Stream stream = streams.get();
             Arena arena = Arena.ofConfined()) {
            Consumer<Stream> passOn = on -> {
                for (int half = 0; half < 2; half++) {
                    on.putNotifySet(window, next, 128 + 64 * half, mine.slice(0, 8), 95 + half, 1);
                    on.putNotifySet(window, previous, 256 + 64 * half, mine.slice(0, 8), 97 + half, 1);
                    on.awaitValue(95 + half);
                    on.awaitValue(97 + half);
                    on.launch(new Kernel.Shape(1, 8), addOneTo(mine.slice(0, 8), mine.slice(16 + 8 * half, 8)));
                }
            };
            boolean direct = isDirect(base) && isDirect(onHost);
            if (rank.allReduce(direct ? 0L : 1L, ReduceOp.SUM) == 0) {
                stream.fill(mine, 0);
                stream.sync();
                rank.barrier();
                try (StreamGraph graph = stream.capture(passOn)) {
                    stream.sync();
                    check.same(0L, read(arena, base, 8).get(LONG, 0), "a capture does nothing");
                    check.that(graph.operations() == 14 || graph.operations() == 10,
                            "operations of the graph, puts with their values being two or one: " + graph.operations());
                    for (int i = 0; i < GRAPHS; i++) {
                        stream.launch(graph);
                    }
                    stream.sync();
                    check.same(2L * GRAPHS, read(arena, base, 64).get(LONG, 56), "what went round in " + GRAPHS + " graphs");
                    rank.barrier();
                }
                check.refuses(IllegalStateException.class, "cannot be captured", () -> stream.capture(on -> on.signal(next, 1)),
                        "captured count");
                check.refuses(IllegalStateException.class, "a copy of host memory", () -> stream.capture(on -> on.copy(
                        Buffer.ofHost(arena.allocate(64, 8), ElementType.LONG), mine.slice(0, 8))), "captured copy to the host");
                check.refuses(IllegalStateException.class, "cannot be captured", () -> stream.capture(Stream::sync),
                        "captured sync");
            } else if (!direct) {
                check.refuses(IllegalStateException.class, "cannot be captured", () -> stream.capture(passOn),
                        "what takes a host");
            }
            rank.barrier();
        }
        rank.free(onHost);
        rank.free(base);
    }

    /** Two neighbours' streams pass a block to and fro; the hosts only queue. */
    private void pingPong() {
        SharedPointer base = mine(MemoryKind.DEVICE, 64);
        Buffer mine = rank.memory().local(base, ElementType.LONG, 8);
        try (Window window = rank.createWindow(rank.world(), base, 64); Stream stream = streams.get();
             Arena arena = Arena.ofConfined()) {
            int partner = me ^ 1;
            stream.fill(mine, me % 2 == 0 ? 5 : 0);
            stream.sync();
            rank.barrier();
            if (partner < rank.ranks()) {
                for (int i = 0; i < PING_PONGS; i++) {
                    if (me % 2 == 0) {
                        stream.putNotify(window, partner, 0, mine, 90);
                        stream.awaitNotifications(90, 1);
                    } else {
                        stream.awaitNotifications(90, 1);
                        stream.putNotify(window, partner, 0, mine, 90);
                    }
                }
                stream.sync();
                check.same(0x0505050505050505L, read(arena, base, 64).get(LONG, 56), "what came back");
            }
            rank.barrier();
        }
        rank.free(base);
    }

    /** The host is thousands of operations ahead of a stream that waits. */
    private void runAhead() {
        SharedPointer base = mine(MemoryKind.DEVICE, 64);
        Buffer mine = rank.memory().local(base, ElementType.LONG, 8);
        try (Stream stream = streams.get(); Arena arena = Arena.ofConfined()) {
            stream.awaitNotifications(100, 1);
            for (int i = 0; i < RUN_AHEAD; i++) {
                stream.fill(mine, i);
                if (i % 10 == 0 && i / 10 < 900) {
                    stream.signal(next, 101);
                }
            }
            check.that(!stream.isIdle(), "the stream waits");
            check.same(0L, notifications.available(101), "nothing is notified by a stream that waits");
            rank.barrier();
            notifications.signal(me, 100);
            stream.sync();
            notifications.await(101, 900);
            check.same((byte) (RUN_AHEAD - 1), read(arena, base, 64).get(ValueLayout.JAVA_BYTE, 0), "the last fill");
            rank.barrier();
        }
        rank.free(base);
    }

    private void prepared() {
        SharedPointer base = mine(MemoryKind.DEVICE, PART);
        try (Window window = rank.createWindow(rank.world(), base, PART); Arena arena = Arena.ofConfined();
             PatternMemory device = new PatternMemory(rank, MemoryKind.DEVICE, 256);
             Prepared put = window.preparePutNotify(next, 256, device.block(), 110);
             Prepared notice = window.prepareSignal(next, 111)) {
            check.that(put.id() != notice.id() && put.id() >= 0, "numbers of prepared communications");
            for (int round = 0; round < 3; round++) {
                device.fill(400 + me + round, 0, 256);
                rank.stream().trigger(put);
                rank.stream().trigger(notice);
                rank.stream().sync();
                notifications.await(111, 1);
                check.that(notifications.test(110, 1), "prepared put before prepared notification");
                check.same(-1L, PatternMemory.mismatch(read(arena, base.plus(256), 256), 400 + previous + round, 0, 256),
                        "prepared put, round " + round);
                rank.barrier();
            }
        }
        rank.free(base);
    }
}
