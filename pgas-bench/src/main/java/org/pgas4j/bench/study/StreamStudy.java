package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
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
 * Notified puts between the devices of pairs of ranks by streams and by hosts: half round trips, put for put, prepared, with values
 * that the devices set and wait for by themselves, and the same from a graph of two, by streams of both kinds; a sample is the mean of
 * a batch, which for streams is queued as a whole. Graphs also beside matrix products, on GPUs. Then what it takes the host to queue a
 * put and a wait, a few and many before the stream is waited for, beside what it takes the host to do both itself.
 */
public final class StreamStudy extends Study {

    /** Operations queued before the stream is waited for. */
    public static final String AHEAD = "ahead";

    /** Initiator of messages by streams for small ones. */
    public static final String LOW_LATENCY = "low-latency stream";

    private static final int TAG = 1;
    private static final int BATCH = 50;
    private static final int FEW = 100;
    private static final int MANY = 2000;
    private static final int SMALL = 8;
    private static final int PATTERN = 0x40;
    private static final int ORDER = 4096; // of products, 0.2 ms of an H200 each
    private static final int FEW_PRODUCTS = 16;
    private static final int MANY_PRODUCTS = 1024;
    private static final int BATCH_BESIDE = 10;
    private static final long[] QUICK = {8, 8192, 1 << 20};
    private static final long[] FULL = {8, 64, 512, 4096, 8192, 65536, 1 << 18, 1 << 20};

    private final Stream usual;
    private final Stream prompt;

    public StreamStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.usual = rank.stream();
        this.prompt = rank.device().newLowLatencyStream();
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
            if (gpu) {
                pair.measureBesideProducts(turns);
            }
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
        GRAPH("graph", "stream"),
        PROMPT("put-notify", LOW_LATENCY),
        PROMPT_TRIGGER("trigger", LOW_LATENCY),
        PROMPT_VALUE("put-notify value", LOW_LATENCY),
        PROMPT_GRAPH("graph", LOW_LATENCY);

        private static final List<How> GRAPHS = List.of(GRAPH, PROMPT_GRAPH);

        private final String op;
        private final String initiator;

        How(String op, String initiator) {
            this.op = op;
            this.initiator = initiator;
        }

        private boolean isGraph() {
            return GRAPHS.contains(this);
        }
    }

    private Stream streamOf(How how) {
        return how.initiator.equals(LOW_LATENCY) ? prompt : usual;
    }

    /** Two devices' memory of one size, and what is done with it. */
    private final class Pair implements AutoCloseable {

        private final long bytes;
        private final SharedBytes source;
        private final SharedBytes target;
        private final Window window;
        private final Prepared prepared;
        private final List<How> ways;
        private StreamGraph usualGraph;
        private StreamGraph promptGraph;

        Pair(long bytes) {
            this.bytes = bytes;
            try (Scope _ = rank.onDevice()) {
                source = rank.allAllocBytes(Layout.replicated(), bytes);
                target = rank.allAllocBytes(Layout.replicated(), bytes);
            }
            window = rank.createWindow(rank.world(), target.pointer(), bytes);
            prepared = window.preparePutNotify(other, 0, source.local(), TAG);
            boolean direct = rank.diagnostics().route(MemoryKind.DEVICE, target.pointer().onRank(other), bytes).equals("direct-device");
            ways = direct ? List.of(How.values()) : Arrays.stream(How.values()).filter(how -> !how.isGraph()).toList();
            if (direct) {
                usualGraph = usual.capture(on -> twice(on, leads));
                promptGraph = prompt.capture(on -> twice(on, leads));
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
            long[] wrong = ways.stream().mapToLong(this::verify).toArray();
            Histogram[] times = turns.measure(ways.stream().map(how -> (Turns.Step) () -> batch(how, BATCH))
                    .toArray(Turns.Step[]::new));
            for (int i = 0; i < times.length; i++) {
                How how = ways.get(i);
                add(how.op, how.initiator, times[i], i == 0 ? null : times[0], wrong[i], BATCH);
            }
        }

        /** Graphs while the devices compute products on another stream. */
        void measureBesideProducts(Turns turns) {
            if (usualGraph == null) {
                return;
            }
            try (Stream load = rank.device().newStream(); Products products = new Products(load)) {
                Histogram[] times = turns.measure(How.GRAPHS.stream().map(how -> (Turns.Step) () -> {
                    products.queue();
                    long ns = batch(how, BATCH_BESIDE);
                    products.complete();
                    return ns;
                }).toArray(Turns.Step[]::new));
                for (int i = 0; i < times.length; i++) {
                    How how = How.GRAPHS.get(i);
                    add("graph beside products", how.initiator, times[i], i == 0 ? null : times[0], verify(how), BATCH_BESIDE);
                }
            }
        }

        /** Bytes that a batch leaves wrong on either device. */
        private long verify(How how) {
            usual.fill(source.local(), PATTERN + how.ordinal() * 2 + rank.rank() % 2);
            usual.fill(target.local(), 0);
            usual.sync();
            rank.barrier();
            batch(how, BATCH);
            window.flush();
            long wrong = 0;
            try (Arena arena = Arena.ofShared()) {
                MemorySegment got = arena.allocate(bytes);
                usual.copy(Buffer.ofHost(got, target.local().type()), target.local());
                usual.sync();
                for (long i = 0; i < bytes; i++) {
                    wrong += got.get(ValueLayout.JAVA_BYTE, i) == PATTERN + how.ordinal() * 2 + other % 2 ? 0 : 1;
                }
            }
            return rank.allReduce(wrong, ReduceOp.SUM);
        }

        /** Nanoseconds of half a round trip, of so many round trips. */
        private long batch(How how, int count) {
            rank.barrier();
            long start = System.nanoTime();
            if (how.isGraph()) {
                for (int i = 0; i < count; i += 2) {
                    launch(how);
                }
            } else {
                for (int i = 0; i < count; i++) {
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
                streamOf(how).sync();
            }
            return (System.nanoTime() - start) / (2 * count);
        }

        private void launch(How how) {
            streamOf(how).launch(how == How.GRAPH ? usualGraph : promptGraph);
        }

        private void put(How how, int i) {
            switch (how) {
                case HOST -> window.putNotify(other, 0, source.local(), TAG);
                case STREAM, PROMPT -> streamOf(how).putNotify(window, other, 0, source.local(), TAG);
                case TRIGGER, PROMPT_TRIGGER -> streamOf(how).trigger(prepared);
                case VALUE, PROMPT_VALUE -> streamOf(how).putNotifySet(window, other, 0, source.local(), TAG + i % 2, 1);
                case GRAPH, PROMPT_GRAPH -> throw new IllegalArgumentException("a graph puts and waits at once");
            }
        }

        /** Values have two tags, by turns: when the second comes, its sender has seen that the first was taken. */
        private void await(How how, int i) {
            switch (how) {
                case HOST -> rank.notifications().await(TAG, 1);
                case STREAM, TRIGGER, PROMPT, PROMPT_TRIGGER -> streamOf(how).awaitNotifications(TAG, 1);
                case VALUE, PROMPT_VALUE -> streamOf(how).awaitValue(TAG + i % 2);
                case GRAPH, PROMPT_GRAPH -> throw new IllegalArgumentException("a graph puts and waits at once");
            }
        }

        private void exchange(How how, int ahead) {
            for (int i = 0; i < ahead; i++) {
                if (!how.isGraph()) {
                    put(how, i);
                    await(how, i);
                } else if (i % 2 == 0) {
                    launch(how);
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
                for (int i = 0; i < times.length; i++) {
                    How how = ways.get(i);
                    rank.barrier();
                    long start = System.nanoTime();
                    exchange(how, ahead);
                    long ns = System.nanoTime() - start;
                    if (how != How.HOST) {
                        streamOf(how).sync();
                    }
                    if (round >= 0) {
                        SampleTimes.record(times[i], (double) ns / ahead);
                    }
                }
            }
            for (int i = 0; i < times.length; i++) {
                How how = ways.get(i);
                StreamStudy.this.add(row("calls of " + how.op + " and await", how.initiator, times[i], i == 0 ? null : times[0], 0,
                        ahead).with(AHEAD, ahead));
            }
        }

        private void add(String op, String who, Histogram times, Histogram baseline, long wrong, int roundTrips) {
            StreamStudy.this.add(row(op, who, times, baseline, wrong, 2 * roundTrips));
        }

        private Row row(String op, String who, Histogram times, Histogram baseline, long wrong, int batch) {
            return new Row("stream", op, "device", "device", "peer", rank.processes(), bytes, times, batch, baseline, wrong)
                    .with(Row.SETTING, options.setting()).with(Row.INITIATOR, who).with(Row.WAITER, who).with(Row.REACH, "peer");
        }

        @Override
        public void close() {
            window.flush();
            rank.barrier();
            prepared.close();
            if (usualGraph != null) {
                usualGraph.close();
                promptGraph.close();
            }
            window.close();
            rank.allFree(target);
            rank.allFree(source);
        }
    }

    /** Products that keep the device busy while messages pass: as many as it took the last time. */
    private final class Products implements AutoCloseable {

        private final Stream load;
        private final Buffer[] matrices = new Buffer[3];
        private int count = FEW_PRODUCTS;

        Products(Stream load) {
            this.load = load;
            for (int i = 0; i < matrices.length; i++) {
                matrices[i] = rank.device().alloc(ElementType.BFLOAT16, (long) ORDER * ORDER);
                load.fill(matrices[i], 0);
            }
        }

        void queue() {
            for (int i = 0; i < count; i++) {
                load.gemm(Gemm.of(Gemm.Precision.BFLOAT16, ORDER, ORDER, ORDER), matrices[0], matrices[1], matrices[2]);
            }
        }

        /** The messages have passed: products that ended before them were too few. */
        void complete() {
            if (load.isIdle() && count < MANY_PRODUCTS) {
                count *= 2;
            }
            load.sync();
        }

        @Override
        public void close() {
            load.sync();
            for (Buffer matrix : matrices) {
                matrix.close();
            }
        }
    }
}
