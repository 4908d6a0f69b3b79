package org.pgas4j.bench.study;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedFloats;
import org.pgas4j.Stream;
import org.pgas4j.StreamCollectives;
import org.pgas4j.StreamForm;
import org.pgas4j.StreamGraph;
import org.pgas4j.collective.forms.FormTable;
import org.pgas4j.collective.forms.StreamCall;

/**
 * Times collective operations on streams in each form and size, as the device's clock has them in a graph of several, and
 * makes the table of forms of it, of sizes that are powers of two. Those in between are timed as well, to say by how much the
 * forms of the table are slower than the fastest. Any number of ranks that have kernels which meet.
 */
public final class TuneStudy {

    private static final StreamForm[] FORMS = {StreamForm.PACKETS, StreamForm.PACKETS_TWO_SHOT, StreamForm.DIRECT,
        StreamForm.COPIES};
    private static final long MIN_BYTES = 1 << 10;
    private static final long MAX_PACKET_BYTES = 2 << 20;
    private static final long KERNEL_MEMORY_BYTES = 12 << 20; // for each rank, of kernels that meet
    private static final int CAPTURED = 20;
    private static final int LAUNCHES = 8;
    /** Before the first form is timed: the first launches of a process take longer, and a GPU that was idle gains speed. */
    private static final int WARM_UPS = 200;
    private static final long WARM_UP_BYTES = 64 << 10;
    private static final double US_PER_MS = 1e3;

    private final Rank rank;
    private final long[] sizes; // powers of two, and between each two of them one
    private final Consumer<String> out;

    /**
     * Makes the study of a rank.
     *
     * @param maxBytes of the longest vector of a rank, a power of two
     * @param out      receives a line for each size on rank 0
     */
    public TuneStudy(Rank rank, long maxBytes, Consumer<String> out) {
        this.rank = rank;
        this.out = out;
        int powers = Long.numberOfTrailingZeros(maxBytes / MIN_BYTES) + 1;
        this.sizes = new long[2 * powers - 1];
        Arrays.setAll(sizes, i -> (MIN_BYTES << i / 2) + (i % 2) * (MIN_BYTES << i / 2) / 2);
    }

    /** Bytes of the device heap for vectors of {@code maxBytes} bytes and {@code ranks} ranks. */
    public static long heapBytes(long maxBytes, int ranks) {
        return 2 * maxBytes + ranks * KERNEL_MEMORY_BYTES;
    }

    /** Collective: the table that was measured, the same on all ranks. */
    public FormTable run() {
        long max = sizes[sizes.length - 1] / Float.BYTES;
        try (Scope _ = rank.onDevice()) {
            SharedFloats sources = rank.allAllocFloats(Layout.even(), rank.ranks() * max);
            SharedFloats results = rank.allAllocFloats(Layout.even(), rank.ranks() * max);
            double[][][] times = times(results.local(), sources.local());
            FormTable table = FormTable.measured(Arrays.stream(sizes).filter(size -> Long.bitCount(size) == 1).toArray(),
                    Arrays.stream(times).map(forms -> Arrays.stream(forms).map(TuneStudy::ofPowersOfTwo).toArray(double[][]::new))
                            .toArray(double[][][]::new));
            if (rank.rank() == 0) {
                report(table, times);
            }
            rank.allFree(results);
            rank.allFree(sources);
            return table;
        }
    }

    /** Microseconds of each call, form and size. */
    private double[][][] times(Buffer to, Buffer from) {
        double[][][] times = new double[StreamCall.values().length][FORMS.length][sizes.length];
        for (int form = 0; form < FORMS.length; form++) {
            try (StreamCollectives all = rank.collectives().onStreams(FORMS[form])) {
                time(all, StreamCall.ALL_REDUCE, FORMS[form], Math.min(WARM_UP_BYTES, sizes[sizes.length - 1]), WARM_UPS, to, from);
                for (StreamCall call : StreamCall.values()) {
                    for (int i = 0; i < sizes.length; i++) {
                        times[call.ordinal()][form][i] = time(all, call, FORMS[form], sizes[i], LAUNCHES, to, from);
                    }
                }
            }
        }
        return times;
    }

    private static double[] ofPowersOfTwo(double[] ofSizes) {
        return IntStream.iterate(0, i -> i < ofSizes.length, i -> i + 2).mapToDouble(i -> ofSizes[i]).toArray();
    }

    private void report(FormTable table, double[][][] times) {
        out.accept("us for each operation in a graph: bytes, " + Arrays.toString(FORMS) + ", form of the table");
        double mostLost = -1;
        String where = "";
        for (StreamCall call : StreamCall.values()) {
            double[][] forms = times[call.ordinal()];
            for (int i = 0; i < sizes.length; i++) {
                int size = i;
                double[] each = Arrays.stream(forms).mapToDouble(form -> form[size]).toArray();
                StreamForm taken = table.form(call, sizes[i]);
                String line = call.text() + " " + sizes[i] + Arrays.stream(each).mapToObj(us -> String.format(Locale.ROOT, " %.2f", us))
                        .collect(Collectors.joining()) + " " + taken;
                out.accept(line);
                double lost = each[List.of(FORMS).indexOf(taken)] / Arrays.stream(each).min().orElseThrow() - 1;
                if (lost > mostLost) { // no number where nothing could be timed
                    mostLost = lost;
                    where = line;
                }
            }
        }
        out.accept(String.format(Locale.ROOT, "the table's form takes at most %.1f %% more than the fastest: %s", 100 * mostLost,
                where));
    }

    /** Microseconds of the slowest rank, the best of several launches; infinite where there is nothing to measure. */
    private double time(StreamCollectives all, StreamCall call, StreamForm form, long bytes, int launches, Buffer to, Buffer from) {
        boolean hasParts = call != StreamCall.ALL_REDUCE && call != StreamCall.BROADCAST;
        long count = bytes / Float.BYTES;
        boolean isPackets = form == StreamForm.PACKETS || form == StreamForm.PACKETS_TWO_SHOT;
        boolean isSame = form == StreamForm.PACKETS_TWO_SHOT && (hasParts || rank.ranks() == 2); // as PACKETS, or no better
        if (isPackets && bytes > MAX_PACKET_BYTES || isSame || hasParts && count * rank.ranks() > to.length()) {
            return Double.POSITIVE_INFINITY;
        }
        Stream stream = rank.stream();
        try (StreamGraph graph = stream.capture(s -> {
            for (int i = 0; i < CAPTURED; i++) {
                queue(all, call, s, to, from, count);
            }
        })) {
            double best = Double.POSITIVE_INFINITY;
            for (int i = 0; i < launches; i++) {
                rank.barrier();
                all.barrier(stream); // the devices begin together, whatever their hosts do
                try (Event begin = stream.record()) {
                    stream.launch(graph);
                    try (Event end = stream.record()) {
                        stream.sync();
                        best = Math.min(best, end.millisSince(begin) * US_PER_MS / CAPTURED);
                    }
                }
            }
            return rank.allReduce(best, ReduceOp.MAX);
        }
    }

    private void queue(StreamCollectives all, StreamCall call, Stream stream, Buffer to, Buffer from, long count) {
        long every = count * rank.ranks();
        switch (call) {
            case ALL_REDUCE -> all.allReduce(stream, part(to, count), part(from, count), ReduceOp.SUM);
            case REDUCE_SCATTER -> all.reduceScatter(stream, part(to, count), part(from, every), ReduceOp.SUM);
            case ALL_GATHER -> all.allGather(stream, part(to, every), part(from, count));
            case EXCHANGE -> all.exchange(stream, part(to, every), part(from, every));
            case BROADCAST -> all.broadcast(stream, part(from, count), 0);
        }
    }

    private static Buffer part(Buffer memory, long count) {
        return Buffer.ofDevice(memory.deviceMemory(), memory.deviceOffset(), ElementType.FLOAT, count);
    }
}
