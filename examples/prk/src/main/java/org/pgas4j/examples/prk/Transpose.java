package org.pgas4j.examples.prk;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedDoubles;
import org.pgas4j.Window;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.OptionCheck;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code B += transpose(A); A += 1}, both spread over the ranks by columns: everyone sends a part of its columns to everyone. A
 * part is put, transposed, into a place of its own at its target, with a notification; there are two such places for each sender,
 * for even and odd iterations. A rank sends iteration k+2 when it has the parts of k+1 of all others, which they sent when they
 * had used those of k; so no barrier is needed.
 */
@Command(name = "transpose", header = "PRK transpose: everyone exchanges parts of a matrix with everyone.")
public final class Transpose extends PrkExample {

    @Option(names = "--device-memory", description = "matrices in the memory of devices; kernels and streams do the work")
    private boolean deviceMemory;

    Transpose() {
        super(30_000, 240, 1_000, 4_000);
    }

    public static void main(String[] args) {
        new Transpose().start(args);
    }

    @Override
    protected void checkOptions() {
        super.checkOptions();
        if (deviceMemory) {
            OptionCheck.inRange("--ranks", ranks(), 1, order());   // a device's buffers are not empty
        }
    }

    @Override
    protected long hostBytes(int ranks) {
        return deviceMemory ? 0 : 2L * ranks * part(ranks) * Double.BYTES;
    }

    @Override
    protected long deviceBytes(int ranks) {
        return deviceMemory ? 2L * ranks * part(ranks) * Double.BYTES : 0;
    }

    /** Largest number of values that a rank sends to another. */
    private long part(int ranks) {
        long columns = Math.ceilDiv(order(), ranks);
        return columns * columns;
    }

    @Override
    protected Answer solve(Rank rank) {
        int n = order();
        int first = first(n, rank.rank(), rank.ranks());
        double[][] a = new double[first(n, rank.rank() + 1, rank.ranks()) - first][n];   // a column each
        for (int j = 0; j < a.length; j++) {
            for (int i = 0; i < n; i++) {
                a[j][i] = (double) n * (first + j) + i;
            }
        }
        return deviceMemory ? onDevice(rank, a, first) : onHost(rank, a, first);
    }

    private Answer onHost(Rank rank, double[][] a, int first) {
        int n = order();
        int me = rank.rank();
        int ranks = rank.ranks();
        int columns = a.length;
        long part = part(ranks);
        SharedDoubles parts = rank.allAllocDoubles(Layout.even(), 2 * part * ranks * ranks);   // on each rank two of each rank
        Window window = rank.createWindow(rank.world(), parts.pointer(2 * part * ranks * me), 2 * part * ranks * Double.BYTES);
        MemorySegment in = parts.local().segment();
        double[][] out = new double[ranks][Math.toIntExact(part)];
        double[][] b = new double[columns][n];

        long start = start(rank);
        for (int k = 0; k <= iterations(); k++) {
            int parity = k % 2;
            for (int step = 0; step < ranks; step++) {   // first to itself, then each to another
                int to = (me + step) % ranks;
                int rows = pack(a, first(n, to, ranks), first(n, to + 1, ranks), out[to]);
                window.putNotify(to, Double.BYTES * part * (parity * ranks + me), MemorySegment.ofArray(out[to]),
                        (long) Double.BYTES * rows * columns, parity);
            }
            window.flush();
            for (double[] column : a) {
                for (int i = 0; i < n; i++) {
                    column[i] += 1;
                }
            }
            rank.notifications().await(parity, ranks);
            for (int from = 0; from < ranks; from++) {
                add(b, first(n, from, ranks), first(n, from + 1, ranks), in, part * (parity * ranks + from));
            }
        }
        long ns = since(rank, start);

        window.close();
        rank.allFree(parts);
        return checked(rank, b, first, ns);
    }

    private Answer onDevice(Rank rank, double[][] a, int first) {
        DeviceTranspose transpose = new DeviceTranspose(rank, order(), part(rank.ranks()), a);

        long start = start(rank);
        transpose.run(iterations());
        long ns = since(rank, start);

        double[][] b = transpose.result();
        transpose.free();
        return checked(rank, b, first, ns);
    }

    private Answer checked(Rank rank, double[][] b, int first, long ns) {
        if (spoils(rank) && b.length > 0) {
            b[b.length - 1][0] += 1;
        }
        return Answer.error(1e-8, rank.allReduce(error(b, first), ReduceOp.SUM), ns);
    }

    /** Rows {@code from} to {@code to}-1 of all columns, row by row, which are columns of the transposed matrix. */
    private static int pack(double[][] a, int from, int to, double[] out) {
        for (int i = from; i < to; i++) {
            for (int j = 0; j < a.length; j++) {
                out[(i - from) * a.length + j] = a[j][i];
            }
        }
        return to - from;
    }

    /** Adds what the owner of columns {@code from} to {@code to}-1 has sent, which are rows here. */
    private static void add(double[][] b, int from, int to, MemorySegment in, long at) {
        for (int j = 0; j < b.length; j++) {
            for (int i = from; i < to; i++) {
                b[j][i] += in.getAtIndex(ValueLayout.JAVA_DOUBLE, at + (long) j * (to - from) + i - from);
            }
        }
    }

    /** Sum of the absolute errors of these columns. */
    private double error(double[][] b, int first) {
        int n = order();
        double added = 0.5 * iterations() * (iterations() + 1.0);
        double error = 0;
        for (int j = 0; j < b.length; j++) {
            for (int i = 0; i < n; i++) {
                error += Math.abs(b[j][i] - (((double) n * i + first + j) * (iterations() + 1) + added));
            }
        }
        return error;
    }
}
