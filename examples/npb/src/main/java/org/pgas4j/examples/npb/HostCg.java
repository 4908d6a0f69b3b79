package org.pgas4j.examples.npb;

import java.util.Arrays;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedDoubles;

/**
 * In host memory. For a product each rank writes its part of the vector where it belongs in a global array and reads all of it;
 * scalar products are reductions.
 */
final class HostCg implements CgSolver {

    private final Rank rank;
    private final CgMatrix matrix;
    private final SharedDoubles vector;
    private final double[] whole;   // the vector
    private final double[] x;       // this rank's rows of the others
    private final double[] z;
    private final double[] r;
    private final double[] p;
    private final double[] q;

    HostCg(Rank rank, CgMatrix matrix, int n) {
        int rows = matrix.rows();
        this.rank = rank;
        this.matrix = matrix;
        this.vector = rank.allAllocDoubles(Layout.even(), n);
        this.whole = new double[n];
        this.x = new double[rows];
        this.z = new double[rows];
        this.r = new double[rows];
        this.p = new double[rows];
        this.q = new double[rows];
        Arrays.fill(x, 1);
    }

    @Override
    public double step(int iterations) {
        Arrays.fill(z, 0);
        System.arraycopy(x, 0, r, 0, x.length);
        System.arraycopy(x, 0, p, 0, x.length);
        double rho = dot(r, r);
        for (int k = 0; k < iterations; k++) {
            product();
            double alpha = rho / dot(p, q);
            for (int i = 0; i < z.length; i++) {
                z[i] += alpha * p[i];
                r[i] -= alpha * q[i];
            }
            double before = rho;
            rho = dot(r, r);
            double beta = rho / before;
            for (int i = 0; i < p.length; i++) {
                p[i] = r[i] + beta * p[i];
            }
        }
        double product = dot(x, z);
        double norm = Math.sqrt(dot(z, z));
        for (int i = 0; i < x.length; i++) {
            x[i] = z[i] / norm;
        }
        return product;
    }

    /** {@code q = A p}. The reductions in between are barriers: when this is called, all ranks have read the last vector. */
    private void product() {
        vector.put(Math.min(vector.length(), rank.rank() * Math.ceilDiv(vector.length(), (long) rank.ranks())), p);
        rank.barrier();
        vector.get(0, whole);
        matrix.times(whole, q);
    }

    private double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return rank.allReduce(sum, ReduceOp.SUM);
    }

    @Override
    public void free() {
        rank.allFree(vector);
    }
}
