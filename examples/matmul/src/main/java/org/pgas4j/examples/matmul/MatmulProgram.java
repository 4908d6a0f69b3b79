package org.pgas4j.examples.matmul;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.Stream;
import org.pgas4j.examples.matmul.Matmul.MatmulCase;

/**
 * C = A * B the way this system means it to be written. A, B and C live in the device segments; each rank multiplies A
 * with its columns of B and puts the result straight from its device to rank 0's, on a stream, behind the product that
 * makes it. With more than one chunk the put of one piece runs beside the product of the next.
 */
final class MatmulProgram {

    /** A rank's part of C from which on it is worth sending in pieces. */
    private static final long CHUNKED_FROM_BYTES = 64L << 20;
    private static final int CHUNKS = 4;

    private MatmulProgram() {
    }

    /** Collective; the result is rank 0's. */
    static MatmulSummary run(Rank rank, Inputs inputs, MatmulCase of, MatmulMeasurement measurement) throws Exception {
        long n = inputs.n();
        ElementType type = of.dtype().type();
        Columns mine = Columns.of(n, rank.ranks(), rank.rank());

        SharedArray a, b, c;                                            // each n x n, column-major
        try (var _ = rank.onDevice()) {
            a = DeviceArrays.allAlloc(rank, type, Layout.replicated(), n * n);
            b = DeviceArrays.allAlloc(rank, type, Layout.blocked(n * Columns.width(n, rank.ranks())), n * n);
            c = DeviceArrays.allAlloc(rank, type, Layout.onRank(0), n * n);
        }
        Buffer product = DeviceArrays.alloc(rank, type, n * mine.count(), "the product");   // n x mine.count()
        DeviceArrays.upload(rank, inputs.a(), new Columns(0, n), a.local());
        DeviceArrays.upload(rank, inputs.b(), mine, b.local());

        try (Stream puts = rank.device().newStream()) {
            return measurement.run(a, c, () ->
                    multiply(rank.stream(), puts, n, mine, a.local(), b.local(), product, c, of.chunks()));
        }
    }

    /** Makes this rank's columns of C and puts them to rank 0; milliseconds its device spent multiplying. */
    private static double multiply(Stream stream, Stream puts, long n, Columns mine, Buffer a, Buffer b, Buffer product,
                                   SharedArray c, int chunks) {
        if (mine.count() == 0) {
            return 0;
        }
        List<Event> events = new ArrayList<>();
        events.add(stream.record());
        for (Columns piece : pieces(mine.count(), product.bytes(), chunks)) {
            Buffer columns = product.slice(piece.first() * n, piece.count() * n);
            stream.gemm(n, piece.count(), n, 1, a, n, b.slice(piece.first() * n, piece.count() * n), n, 0, columns, n);
            events.add(stream.record());
            puts.await(events.getLast());
            puts.memput(c.pointer((mine.first() + piece.first()) * n), columns);
        }
        puts.sync();
        double computeMs = events.getLast().millisSince(events.getFirst());
        events.forEach(Event::close);
        return computeMs;
    }

    /** The columns of a rank, counted from its own first, in pieces of about equal size. */
    private static List<Columns> pieces(long count, long bytes, int chunks) {
        int wanted = chunks > 0 ? chunks : bytes >= CHUNKED_FROM_BYTES ? CHUNKS : 1;
        long size = Math.ceilDiv(count, (long) wanted);
        List<Columns> pieces = new ArrayList<>();
        for (long first = 0; first < count; first += size) {
            pieces.add(new Columns(first, Math.min(size, count - first)));
        }
        return pieces;
    }
}
