package org.pgas4j.examples.npb;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedDoubles;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import picocli.CommandLine.Command;

/**
 * The smallest eigenvalue of a sparse symmetric matrix by inverse iteration, each step of which is 25 iterations of conjugate
 * gradients. Rows are spread over the ranks. For a product each rank writes its part of the vector where it is in a global array and
 * reads all of it; scalar products are reductions.
 */
@Command(name = "cg", header = "NPB CG: an eigenvalue by conjugate gradients with a sparse matrix.")
public final class Cg extends CheckedExample {

    private static final int STEPS = 15;
    private static final int ITERATIONS = 25;

    Cg() {
    }

    public static void main(String[] args) {
        new Cg().start(args);
    }

    private int order() {
        return (int) problem().of(1_400, 7_000, 14_000);
    }

    @Override
    protected long hostBytes(int ranks) {
        return (long) Double.BYTES * order();
    }

    @Override
    protected Answer solve(Rank rank) {
        int n = order();
        double shift = problem().of(10, 12, 20);
        int part = Math.ceilDiv(n, rank.ranks());
        int first = Math.min(n, part * rank.rank());
        int end = Math.min(n, first + part);
        CgMatrix matrix = CgMatrix.rows(n, (int) problem().of(7, 8, 11), shift, first, end);
        if (spoils(rank) && end > first) {
            matrix.values()[0] += 1e-3;
        }
        SharedDoubles vector = rank.allAllocDoubles(Layout.even(), n);
        Solver solver = new Solver(rank, matrix, vector);
        double[] x = new double[end - first];
        double[] z = new double[end - first];
        Arrays.fill(x, 1);
        double zeta = 0;

        long start = start(rank);
        for (int step = 0; step < STEPS; step++) {
            solver.solve(x, z);
            zeta = shift + 1 / solver.dot(x, z);
            double norm = Math.sqrt(solver.dot(z, z));
            for (int i = 0; i < x.length; i++) {
                x[i] = z[i] / norm;
            }
        }
        long ns = since(rank, start);

        rank.allFree(vector);
        return Answer.near(switch (problem()) {
            case S -> 8.5971775078648;
            case W -> 10.362595087124;
            case A -> 17.130235054029;
        }, zeta, 1e-10, ns);
    }

    /** Conjugate gradients on a rank's rows. */
    private static final class Solver {

        private final Rank rank;
        private final CgMatrix matrix;
        private final SharedDoubles vector;
        private final double[] whole;
        private final double[] r;
        private final double[] p;
        private final double[] q;

        Solver(Rank rank, CgMatrix matrix, SharedDoubles vector) {
            int rows = matrix.starts().length - 1;
            this.rank = rank;
            this.matrix = matrix;
            this.vector = vector;
            this.whole = new double[Math.toIntExact(vector.length())];
            this.r = new double[rows];
            this.p = new double[rows];
            this.q = new double[rows];
        }

        /** Makes {@code z} nearly the solution of {@code A z = x}; each has this rank's part. Collective. */
        void solve(double[] x, double[] z) {
            Arrays.fill(z, 0);
            System.arraycopy(x, 0, r, 0, x.length);
            System.arraycopy(x, 0, p, 0, x.length);
            double rho = dot(r, r);
            for (int k = 0; k < ITERATIONS; k++) {
                product();
                double alpha = rho / dot(p, q);
                for (int i = 0; i < z.length; i++) {
                    z[i] += alpha * p[i];
                    r[i] -= alpha * q[i];
                }
                double before = rho;
                rho = dot(r, r);
                for (int i = 0; i < p.length; i++) {
                    p[i] = r[i] + rho / before * p[i];
                }
            }
        }

        /** {@code q = A p}. The reductions in between are barriers: when this is called, all ranks have read the last vector. */
        private void product() {
            MemorySegment.copy(p, 0, vector.local().segment(), ElementType.LAYOUT_DOUBLE, 0, p.length);
            rank.barrier();
            vector.get(0, whole);
            matrix.times(whole, q);
        }

        double dot(double[] a, double[] b) {
            double sum = 0;
            for (int i = 0; i < a.length; i++) {
                sum += a[i] * b[i];
            }
            return rank.allReduce(sum, ReduceOp.SUM);
        }
    }
}
