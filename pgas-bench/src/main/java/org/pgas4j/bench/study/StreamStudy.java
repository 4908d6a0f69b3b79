package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;
import org.pgas4j.Window;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Notified puts between the devices of pairs of ranks by streams and by hosts: half round trips, put for put, prepared, with values that the devices set
 * and wait for by themselves, and the same from a graph of two; a sample is the mean of a batch, which for streams is queued as a whole. Then what it takes the host to queue a put and a wait, a few and many before the
 * stream is waited for, beside what it takes the host to do both itself.
 */
public final class StreamStudy extends Study {

    /** Operations queued before the stream is waited for. */
    public static final String AHEAD = "ahead";

    private static final int TAG = 1;
    private static final int BATCH = 50;
    private static final int FEW = 100;
    private static final int MANY = 2000;
    private static final int SMALL = 8;
    private static final int PATTERN = 0x40;
    private static final long[] QUICK = {8, 8192, 1 << 20};
    private static final long[] FULL = {8, 64, 512, 4096, 8192, 65536, 1 << 18, 1 << 20};

    private final Stream stream;

    public StreamStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.stream = rank.stream();
    }

    private static long[] sizes(StudyOptions options) {
        return options.sizes() != null ? options.sizes().stream().mapToLong(Long::longValue).toArray()
                : options.quick() ? QUICK : FULL;
    }

    public static long heapBytes(StudyOptions options) {
        return 2 * Arrays.stream(sizes(options)).max().orElseThrow() + (16 << 20);
    }

    /** Collective. */
    public void run() {
        Turns turns = turns();
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

    /** Ways to communicate. */
    private enum How {
        HOST("put-notify", "host"),
        STREAM("put-notify", "stream"),
        TRIGGER("trigger", "stream"),
        VALUE("put-notify value", "stream"),
        GRAPH("graph", "stream");

        private final String op;
        private final String initiator;

        How(String op, String initiator) {
            this.op = op;
            this.initiator = initiator;
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
                add(how.op, how.initiator, times[how.ordinal()], how == How.HOST ? null : times[How.HOST.ordinal()],
                        wrong[how.ordinal()], 0);
            }
        }

        /** Bytes that a batch leaves wrong on either device. */
        private long verify(How how) {
            stream.fill(source.local(), PATTERN + how.ordinal() * 2 + rank.rank() % 2);
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
                    wrong += got.get(ValueLayout.JAVA_BYTE, i) == PATTERN + how.ordinal() * 2 + other % 2 ? 0 : 1;
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
                    stream.launch(leads ? putFirst : awaitFirst);
                }
            } else {
                for (int i = 0; i < BATCH; i++) {
                    if (!leads) {
                        await(how, i);
                    }
                    put(how, i);
                    if (leads) {
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
                times[i] = SampleTimes.histogram();
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
                        SampleTimes.record(times[how.ordinal()], (double) ns / ahead);
                    }
                }
            }
            for (How how : ways) {
                add("calls of " + how.op + " and await", how.initiator, times[how.ordinal()],
                        how == How.HOST ? null : times[How.HOST.ordinal()], 0, ahead);
            }
        }

        private void add(String op, String who, Histogram times, Histogram baseline, long wrong, int ahead) {
            if (first) {
                Row row = new Row("stream", op, "device", "device", "peer", rank.processes(), bytes, times,
                        ahead == 0 ? 2 * BATCH : ahead, baseline, wrong)
                        .with(Row.SETTING, options.setting()).with(Row.INITIATOR, who).with(Row.WAITER, who)
                        .with(Row.REACH, "peer");
                StreamStudy.this.add(ahead == 0 ? row : row.with(AHEAD, ahead));
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
