package org.pgas4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.MemoryKind;
import org.pgas4j.Layout;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Window;

/**
 * Notified puts between two devices by streams and by hosts: half round trips, put for put, prepared, with values that the devices set
 * and wait for by themselves, and the same from a graph of two; a sample is the mean of a batch, which for streams is queued as a whole. Then what it takes the host to queue a put and a wait, a few and many before the
 * stream is waited for, beside what it takes the host to do both itself.
 */
final class StreamStudy {

    /** Operations queued before the stream is waited for. */
    static final String AHEAD = "ahead";

    private static final int TAG = 1;
    private static final int BATCH = 50;
    private static final int FEW = 100;
    private static final int MANY = 2000;
    private static final int SMALL = 8;
    private static final long HIGHEST_PS = 1_000_000_000_000L;
    private static final int PATTERN = 0x40;
    private static final long[] QUICK = {8, 8192, 1 << 20};
    private static final long[] FULL = {8, 64, 512, 4096, 8192, 65536, 1 << 18, 1 << 20};

    private final Rank rank;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final Stream stream;
    private final int other;
    private final boolean first;

    StreamStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.options = options;
        this.out = out;
        this.stream = rank.stream();
        this.other = 1 - rank.rank();
        this.first = rank.rank() == 0;
    }

    private static long[] sizes(StudyOptions options) {
        return options.sizes() != null ? options.sizes().stream().mapToLong(Long::longValue).toArray()
                : options.quick() ? QUICK : FULL;
    }

    static long heapBytes(StudyOptions options) {
        return 2 * Arrays.stream(sizes(options)).max().orElseThrow() + (16 << 20);
    }

    /** Collective. */
    void run() {
        Turns turns = new Turns(rank, options.measureNs(), options.rounds());
        for (long bytes : sizes(options)) {
            try (Pair pair = new Pair(bytes)) {
                pair.measure(turns);
            }
        }
        try (Pair pair = new Pair(SMALL)) {
            for (int ahead : new int[] {FEW, MANY}) {
                pair.measureQueueing(ahead);
            }
        }
    }

    /** Who communicates. */
    private enum How {
        HOST("put-notify", "host"),
        STREAM("put-notify", "stream"),
        TRIGGER("trigger", "stream"),
        VALUE("put-notify value", "stream"),
        GRAPH("graph", "stream");

        private final String op;
        private final String who;

        How(String op, String who) {
            this.op = op;
            this.who = who;
        }
    }

    /** Two devices' memory of one size, and what is done with it. */
    private final class Pair implements AutoCloseable {

        private final long bytes;
        private final SharedBytes source;
        private final SharedBytes target;
        private final Window window;
        private final Prepared prepared;
        private final List<How> ways;
        private StreamGraph putFirst;
        private StreamGraph awaitFirst;

        Pair(long bytes) {
            this.bytes = bytes;
            try (Scope _ = rank.onDevice()) {
                source = rank.allAllocBytes(Layout.replicated(), bytes);
                target = rank.allAllocBytes(Layout.replicated(), bytes);
            }
            window = rank.createWindow(rank.world(), target.pointer(), bytes);
            prepared = window.preparePutNotify(other, 0, source.local(), TAG);
            ways = rank.diagnostics().route(MemoryKind.DEVICE, target.pointer().onRank(other), bytes).equals("direct-device") ? List.of(How.values())
                    : List.of(How.HOST, How.STREAM, How.TRIGGER, How.VALUE);
            if (ways.contains(How.GRAPH)) {
                putFirst = stream.capture(on -> twice(on, true));
                awaitFirst = stream.capture(on -> twice(on, false));
            }
        }

        private void twice(Stream on, boolean putsFirst) {
            for (int i = 0; i < 2; i++) {
                if (!putsFirst) {
                    on.awaitValue(TAG + i);
                }
                on.putNotifySet(window, other, 0, source.local(), TAG + i, 1);
                if (putsFirst) {
                    on.awaitValue(TAG + i);
                }
            }
        }

        void measure(Turns turns) {
            long[] wrong = new long[ways.size()];
            Turns.Step[] steps = new Turns.Step[ways.size()];
            for (How how : ways) {
                wrong[how.ordinal()] = verify(how);
                steps[how.ordinal()] = () -> batch(how);
            }
            Histogram[] times = turns.measure(steps);
            for (How how : ways) {
                add(how.op, how.who, times[how.ordinal()], how == How.HOST ? null : times[How.HOST.ordinal()],
                        wrong[how.ordinal()], 0);
            }
        }

        /** Bytes that a batch leaves wrong on either device. */
        private long verify(How how) {
            stream.fill(source.local(), PATTERN + how.ordinal() * 2 + rank.rank());
            stream.fill(target.local(), 0);
            stream.sync();
            rank.barrier();
            batch(how);
            window.flush();
            long wrong = 0;
            try (Arena arena = Arena.ofShared()) {
                MemorySegment got = arena.allocate(bytes);
                stream.copy(Buffer.ofHost(got, target.local().type()), target.local());
                stream.sync();
                for (long i = 0; i < bytes; i++) {
                    wrong += got.get(ValueLayout.JAVA_BYTE, i) == PATTERN + how.ordinal() * 2 + other ? 0 : 1;
                }
            }
            return rank.allReduce(wrong, ReduceOp.SUM);
        }

        /** Nanoseconds of half a round trip. */
        private long batch(How how) {
            rank.barrier();
            long start = System.nanoTime();
            if (how == How.GRAPH) {
                for (int i = 0; i < BATCH; i += 2) {
                    stream.launch(first ? putFirst : awaitFirst);
                }
            } else {
                for (int i = 0; i < BATCH; i++) {
                    if (!first) {
                        await(how, i);
                    }
                    put(how, i);
                    if (first) {
                        await(how, i);
                    }
                }
            }
            if (how != How.HOST) {
                stream.sync();
            }
            return (System.nanoTime() - start) / (2 * BATCH);
        }

        private void put(How how, int i) {
            switch (how) {
                case HOST -> window.putNotify(other, 0, source.local(), TAG);
                case STREAM -> stream.putNotify(window, other, 0, source.local(), TAG);
                case TRIGGER -> stream.trigger(prepared);
                case VALUE -> stream.putNotifySet(window, other, 0, source.local(), TAG + i % 2, 1);
                case GRAPH -> throw new IllegalArgumentException("a graph puts and waits at once");
            }
        }

        /** Values have two tags, by turns: when the second comes, its sender has seen that the first was taken. */
        private void await(How how, int i) {
            switch (how) {
                case HOST -> rank.notifications().await(TAG, 1);
                case STREAM, TRIGGER -> stream.awaitNotifications(TAG, 1);
                case VALUE -> stream.awaitValue(TAG + i % 2);
                case GRAPH -> throw new IllegalArgumentException("a graph puts and waits at once");
            }
        }

        private void exchange(How how, int ahead) {
            for (int i = 0; i < ahead; i++) {
                if (how != How.GRAPH) {
                    put(how, i);
                    await(how, i);
                } else if (i % 2 == 0) {
                    stream.launch(putFirst);
                }
            }
        }

        /** Both ranks put and wait, again and again; what the calls take. */
        void measureQueueing(int ahead) {
            int rounds = options.rounds();
            Histogram[] times = new Histogram[ways.size()];
            for (int i = 0; i < times.length; i++) {
                times[i] = new Histogram(HIGHEST_PS, 3);
            }
            for (int round = -2; round < rounds; round++) {
                for (How how : ways) {
                    rank.barrier();
                    long start = System.nanoTime();
                    exchange(how, ahead);
                    long ns = System.nanoTime() - start;
                    if (how != How.HOST) {
                        stream.sync();
                    }
                    if (round >= 0) {
                        times[how.ordinal()].recordValue(Math.clamp(ns * 1000 / ahead, 1, HIGHEST_PS));
                    }
                }
            }
            for (How how : ways) {
                add("calls of " + how.op + " and await", how.who, times[how.ordinal()],
                        how == How.HOST ? null : times[How.HOST.ordinal()], 0, ahead);
            }
        }

        private void add(String op, String who, Histogram times, Histogram baseline, long wrong, int ahead) {
            if (first) {
                Row row = new Row("stream", op, "device", "device", "peer", rank.processes(), bytes, times,
                        ahead == 0 ? 2 * BATCH : ahead, baseline, wrong)
                        .with(Row.SETTING, options.setting()).with(NotifyStudy.INITIATOR, who).with(NotifyStudy.WAITER, who)
                        .with(NotifyStudy.REACH, "peer");
                out.accept(ahead == 0 ? row : row.with(AHEAD, ahead));
            }
        }

        @Override
        public void close() {
            window.flush();
            rank.barrier();
            prepared.close();
            if (putFirst != null) {
                putFirst.close();
                awaitFirst.close();
            }
            window.close();
            rank.allFree(target);
            rank.allFree(source);
        }
    }
}
