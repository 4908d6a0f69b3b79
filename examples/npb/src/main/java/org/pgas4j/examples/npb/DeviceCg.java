package org.pgas4j.examples.npb;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.kernel.ThreadKernel;

/**
 * In the memory of devices. The direction p is a global array there; for a product a rank's stream reads the parts of all ranks,
 * from device to device where these reach each other. The host waits for the partial sums of scalar products, and that is all it
 * reads.
 */
final class DeviceCg implements CgSolver {

    private final Rank rank;
    private final int rows;
    private final SharedDoubles vector;
    private final Buffer starts;
    private final Buffer columns;
    private final Buffer values;
    private final Buffer whole;   // the vector
    private final Buffer x;       // this rank's rows of the others
    private final Buffer z;
    private final Buffer r;
    private final Buffer p;
    private final Buffer q;
    private final Buffer sums;
    private final SharedPointer hostMemory;
    private final Buffer hostSums;
    private final Kernel.Shape shape;
    private final ThreadKernel product;

    /** Each rank must have a row. */
    DeviceCg(Rank rank, CgMatrix matrix, int n) {
        this.rank = rank;
        this.rows = matrix.rows();
        try (Scope _ = rank.onDevice()) {
            this.vector = rank.allAllocDoubles(Layout.even(), n);
        }
        this.p = vector.local();
        this.starts = ints(matrix.starts());
        this.columns = ints(matrix.columns());
        this.values = rank.device().allocDoubles(matrix.values().length);
        this.whole = rank.device().allocDoubles(n);
        this.x = rank.device().allocDoubles(rows);
        this.z = rank.device().allocDoubles(rows);
        this.r = rank.device().allocDoubles(rows);
        this.q = rank.device().allocDoubles(rows);
        this.sums = rank.device().allocDoubles(CgKernels.DOT_BLOCKS);
        this.hostMemory = rank.alloc(sums.bytes());   // in the shared host heap, which copies to a GPU are fast from
        this.hostSums = rank.memory().local(hostMemory, ElementType.DOUBLE, CgKernels.DOT_BLOCKS);
        this.shape = shape(Math.min(1024, Math.ceilDiv(rows, CgKernels.THREADS / 32)));
        this.product = CgKernels.product(new CgKernels.CsrRows(starts, columns, values, rows), whole, q);
        double[] ones = new double[rows];
        Arrays.fill(ones, 1);
        doubles(x, ones);
        doubles(values, matrix.values());
    }

    /** On the host device a block is one thread. */
    private Kernel.Shape shape(int blocks) {
        return rank.device().blockShape(blocks, CgKernels.THREADS);
    }

    private Buffer ints(int[] from) {
        Buffer buffer = rank.device().alloc(ElementType.INT, from.length);
        try (Arena arena = Arena.ofShared()) {
            rank.stream().copy(buffer, Buffer.ofHost(arena.allocateFrom(ValueLayout.JAVA_INT, from), ElementType.INT));
            rank.stream().sync();
        }
        return buffer;
    }

    private void doubles(Buffer to, double[] from) {
        try (Arena arena = Arena.ofShared()) {
            rank.stream().copy(to, Buffer.ofHost(arena.allocateFrom(ValueLayout.JAVA_DOUBLE, from), ElementType.DOUBLE));
            rank.stream().sync();
        }
    }

    @Override
    public double step(int iterations) {
        Stream stream = rank.stream();
        stream.fill(z, 0);
        stream.copy(r, x);
        stream.copy(p, x);
        double rho = dot(r, r);
        for (int k = 0; k < iterations; k++) {
            product();
            double alpha = rho / dot(p, q);
            combine(alpha, p, 1, z);
            combine(-alpha, q, 1, r);
            double before = rho;
            rho = dot(r, r);
            combine(1, r, rho / before, p);
        }
        double product = dot(x, z);
        combine(1 / Math.sqrt(dot(z, z)), z, 0, x);
        return product;
    }

    private void combine(double a, Buffer from, double b, Buffer to) {
        rank.stream().launch(shape, CgKernels.combine(a, from, b, to, rows));
    }

    /**
     * {@code q = A p}. The sum between two products is a barrier for which the stream was done: when p changes again, all ranks
     * have read it.
     */
    private void product() {
        Stream stream = rank.stream();
        stream.sync();
        rank.barrier();   // all parts are there
        long part = Math.ceilDiv(vector.length(), (long) rank.ranks());
        for (int step = 0; step < rank.ranks(); step++) {   // first its own, then each from another
            long first = part * ((rank.rank() + step) % rank.ranks());
            stream.memget(whole.slice(first, Math.min(part, vector.length() - first)), vector.pointer(first));
        }
        stream.launch(shape, product);
    }

    private double dot(Buffer a, Buffer b) {
        Stream stream = rank.stream();
        stream.launch(shape(CgKernels.DOT_BLOCKS), CgKernels.dot(a, b, sums, rows));
        stream.copy(hostSums, sums);
        stream.sync();
        double sum = 0;
        for (int block = 0; block < CgKernels.DOT_BLOCKS; block++) {
            sum += hostSums.segment().getAtIndex(ValueLayout.JAVA_DOUBLE, block);
        }
        return rank.allReduce(sum, ReduceOp.SUM);
    }

    @Override
    public void free() {
        rank.free(hostMemory);
        for (Buffer buffer : new Buffer[] {sums, q, r, z, x, whole, values, columns, starts}) {
            buffer.close();
        }
        rank.allFree(vector);
    }
}
