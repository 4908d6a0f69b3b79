package org.pgas4j.bench.study;

import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Notifications;
import org.pgas4j.Rank;
import org.pgas4j.SharedBytes;
import org.pgas4j.Stream;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * A notification without bytes from the host, a stream or a kernel of one rank to the host, a stream or a kernel of the other: the
 * nine pairs. Of more than two ranks, 0 and 1 are measured while the others are idle.
 *
 * <p>A time is half of a round trip. Where both ends are of one kind, both ways are the same, and half is what one takes. Where
 * they differ, rank 0's host or stream notifies, and rank 1's stream or kernel answers. How such a round trip is made up of its two
 * ways cannot be told: that needs clocks of processor and device that agree to within less than what is measured, and to go round
 * by other kinds helps nothing, since every closed way has as many ways out of a kind as into it. So both pairs of two kinds get
 * half of the same round trip, which has a row of its own.
 *
 * <p>No call lets a stream notify a block. A stream notifies its own rank's host, which notifies the block: the round trip between
 * stream and kernel has that detour in it, and its reach is {@code proxy}.
 *
 * <p>Streams' work is queued for a whole batch; a sample is a batch's mean. What all are compared with is host to host in the same
 * run.
 */
public final class PairsStudy extends Study {

    private static final String HOST = "host";
    private static final String STREAM = "stream";
    private static final String KERNEL = "kernel";
    private static final String METHOD = "method";
    private static final double PS_PER_US = 1e6;
    private static final int THREADS = 128;
    private static final int BATCH = 50;
    /** Of hosts and streams of both ranks and, in their own counters, of blocks: an answer is the next. */
    private static final int TAG = 40;
    /** From a stream to its own rank's host. */
    private static final int DETOUR = 42;

    private final Stream stream;
    private final Notifications host;
    private final boolean answers;

    public PairsStudy(Rank rank, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.stream = rank.stream();
        this.host = rank.notifications();
        this.answers = rank.rank() == 1;
    }

    /** Collective. */
    public void run() {
        Histogram[] times = turns().measure(() -> batch(this::hosts) / 2,
                () -> batch(this::streams) / 2, () -> batch(this::hostAndStream));
        Histogram hosts = times[0];
        alike(HOST, hosts, BATCH, null);
        alike(STREAM, times[1], BATCH, hosts);
        unlike(HOST, STREAM, times[2], BATCH, hosts, "peer", "half of a round trip");
        try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, THREADS))) {
            alike(KERNEL, kernels(blocks), gpu ? BATCH : 2, hosts);
            unlike(HOST, KERNEL, answered(blocks, batch -> {
                for (int i = 0; i < batch; i++) {
                    blocks.signal(blocks.perRank(), TAG);
                    host.await(TAG + 1, 1);
                }
            }), batchOfBlocks(), hosts, "peer", "half of a round trip");
            unlike(STREAM, KERNEL, answered(blocks, batch -> {
                for (int i = 0; i < batch; i++) {
                    stream.signal(0, DETOUR);
                    stream.awaitNotifications(TAG + 1, 1);
                }
                for (int i = 0; i < batch; i++) {
                    host.await(DETOUR, 1);
                    blocks.signal(blocks.perRank(), TAG);
                }
                stream.sync();
            }), batchOfBlocks(), hosts, "proxy", "half of a round trip, to the kernel through the stream's host");
        }
    }

    // ---- host and stream

    /** Nanoseconds of a round trip. */
    private long batch(Runnable roundTrips) {
        rank.barrier();
        long start = System.nanoTime();
        roundTrips.run();
        return (System.nanoTime() - start) / BATCH;
    }

    private void hosts() {
        for (int i = 0; i < BATCH; i++) {
            if (first) {
                host.signal(1, TAG);
                host.await(TAG + 1, 1);
            } else if (answers) {
                host.await(TAG, 1);
                host.signal(0, TAG + 1);
            }
        }
    }

    private void streams() {
        for (int i = 0; i < BATCH; i++) {
            if (first) {
                stream.signal(1, TAG);
                stream.awaitNotifications(TAG + 1, 1);
            } else if (answers) {
                stream.awaitNotifications(TAG, 1);
                stream.signal(0, TAG + 1);
            }
        }
        stream.sync();
    }

    private void hostAndStream() {
        if (first) {
            hosts();
        } else {
            streams();
        }
    }

    // ---- kernel

    private Histogram kernels(DeviceGrid blocks) {
        int count = options.quick() || !gpu ? 100 : 1000;
        SharedBytes samples = device((long) count * Double.BYTES);
        blocks.launch(PairKernels.KERNELS, samples.local(), count, gpu ? BATCH : 2, blocks.perRank(), TAG);
        blocks.sync();
        Histogram histogram = samples(samples.local(), count);
        rank.allFree(samples);
        return histogram;
    }

    /** Round trips of a sample where blocks answer. */
    private int batchOfBlocks() {
        return gpu ? BATCH : 5;
    }

    /** Round trips of rank 0 that rank 1's first block answers. */
    private Histogram answered(DeviceGrid blocks, IntConsumer roundTrips) {
        int batch = batchOfBlocks();
        int batches = options.quick() ? 10 : gpu ? 100 : 20;
        int warmUps = batches / 5;
        blocks.launch(PairKernels.ANSWER, (batches + warmUps) * batch, blocks.perRank(), 0, TAG);
        Histogram histogram = SampleTimes.histogram();
        for (int i = -warmUps; first && i < batches; i++) {
            long start = System.nanoTime();
            roundTrips.accept(batch);
            long ns = System.nanoTime() - start;
            if (i >= 0) {
                SampleTimes.record(histogram, (double) ns / batch);
            }
        }
        blocks.sync();
        rank.barrier();
        return histogram;
    }

    // ---- rows

    /** @param batch round trips of a sample */
    private void alike(String kind, Histogram times, int batch, Histogram hosts) {
        if (first) {
            add("pair", kind, kind, "peer", SampleTimes.of(times, 2L * batch), p50(hosts), "half of a round trip of the same kinds");
        }
    }

    private void unlike(String one, String other, Histogram roundTrips, int batch, Histogram hosts, String reach, String method) {
        if (first) {
            SampleTimes both = SampleTimes.of(roundTrips, batch);
            SampleTimes half = new SampleTimes(half(both.p50()), half(both.p99()), half(both.p999()), half(both.max()), half(both.mean()),
                    both.samples(), 2L * batch);
            add(one + "<->" + other, one, other, reach, both, 2 * p50(hosts), "round trip");
            add("pair", one, other, reach, half, p50(hosts), method);
            add("pair", other, one, reach, half, p50(hosts), method);
        }
    }

    /** To the picosecond, as all times are. */
    private static double half(double us) {
        return Math.rint(us / 2 * PS_PER_US) / PS_PER_US;
    }

    private static double p50(Histogram times) {
        return times == null ? Double.NaN : SampleTimes.median(times);
    }

    private void add(String op, String initiator, String waiter, String reach, SampleTimes times, double baselineUs, String method) {
        add(new Row("notify", op, side(initiator), side(waiter), reach, rank.processes(), 0, times, baselineUs, 0,
                Map.of()).with(Row.INITIATOR, initiator).with(Row.WAITER, waiter)
                .with(Row.REACH, reach).with(METHOD, method));
    }

    private static String side(String kind) {
        return kind.equals(HOST) ? "host" : "device";
    }
}
