package org.pgas4j.examples.npb;

import java.util.Arrays;

/**
 * Some rows of CG's matrix, the sum of the outer products {@code w[i] x[i] x[i]'} of sparse random vectors plus a multiple of the
 * unit matrix, compressed by rows (section 2.1.3 of the specification, {@code makea}).
 *
 * @param starts  of each row in the other two, and their length; of row {@code first} at index 0
 * @param columns of the values
 * @param values  not zero
 */
record CgMatrix(int[] starts, int[] columns, double[] values) {

    /** The weights fall from 1 to this, in equal ratios. */
    private static final double CONDITION = 0.1;
    private static final long SEED = 314_159_265;

    /**
     * Rows {@code first} to {@code end}-1 of the matrix of order {@code n}.
     *
     * @param nonzeros of each random vector, besides the one that is always there
     * @param shift    subtracted from the diagonal
     */
    static CgMatrix rows(int n, int nonzeros, double shift, int first, int end) {
        SparseVector[] vectors = vectors(n, nonzeros);
        int[] starts = new int[end - first + 1];
        for (SparseVector x : vectors) {
            for (int row : x.places()) {
                if (row >= first && row < end) {
                    starts[row - first + 1] += x.places().length;
                }
            }
        }
        Arrays.parallelPrefix(starts, Math::addExact);
        int[] columns = new int[starts[end - first]];
        double[] values = new double[columns.length];
        int[] filled = Arrays.copyOf(starts, end - first);
        double ratio = Math.pow(CONDITION, 1.0 / n);
        double weight = 1;
        for (int i = 0; i < n; i++) {
            SparseVector x = vectors[i];
            for (int a = 0; a < x.places().length; a++) {
                int row = x.places()[a];
                for (int b = 0; row >= first && row < end && b < x.places().length; b++) {
                    boolean diagonal = row == i && x.places()[b] == i;
                    int at = filled[row - first]++;
                    columns[at] = x.places()[b];
                    values[at] = weight * x.values()[a] * x.values()[b] + (diagonal ? CONDITION - shift : 0);
                }
            }
            weight *= ratio;
        }
        return new CgMatrix(starts, columns, values).merged(n);
    }

    /** A sparse vector: {@code values} at {@code places}. */
    private record SparseVector(int[] places, double[] values) {
    }

    /** All random vectors; the i-th has 0.5 at place i. */
    private static SparseVector[] vectors(int n, int nonzeros) {
        NpbRandom random = new NpbRandom(SEED);
        random.next();   // the specification's first number is used for nothing
        int range = n == 1 ? 1 : Integer.highestOneBit(n - 1) << 1;   // a power of 2, at least n
        SparseVector[] vectors = new SparseVector[n];
        for (int i = 0; i < n; i++) {
            int[] places = new int[nonzeros + 1];
            double[] values = new double[nonzeros + 1];
            int count = 0;
            while (count < nonzeros) {
                double value = random.next();
                int place = (int) (range * random.next());
                if (place < n && indexOf(places, count, place) < 0) {
                    places[count] = place;
                    values[count++] = value;
                }
            }
            int own = indexOf(places, count, i);
            if (own < 0) {
                own = count++;
            }
            places[own] = i;
            values[own] = 0.5;
            vectors[i] = new SparseVector(Arrays.copyOf(places, count), Arrays.copyOf(values, count));
        }
        return vectors;
    }

    private static int indexOf(int[] places, int count, int place) {
        for (int at = 0; at < count; at++) {
            if (places[at] == place) {
                return at;
            }
        }
        return -1;
    }

    /** Values of one place added up. */
    private CgMatrix merged(int n) {
        int[] lastAt = new int[n];   // of a column: 1 + index of its value in the row in hand
        int[] merged = new int[starts.length];
        int count = 0;
        for (int row = 0; row < rows(); row++) {
            int rowStart = count;
            for (int at = starts[row]; at < starts[row + 1]; at++) {
                int seen = lastAt[columns[at]] - 1;
                if (seen >= rowStart) {
                    values[seen] += values[at];
                } else {
                    columns[count] = columns[at];
                    values[count] = values[at];
                    lastAt[columns[at]] = ++count;
                }
            }
            merged[row + 1] = count;
        }
        return new CgMatrix(merged, Arrays.copyOf(columns, count), Arrays.copyOf(values, count));
    }

    int rows() {
        return starts.length - 1;
    }

    /** {@code y = A x} of these rows; {@code x} is whole. */
    void times(double[] x, double[] y) {
        for (int row = 0; row < rows(); row++) {
            double sum = 0;
            for (int at = starts[row]; at < starts[row + 1]; at++) {
                sum += values[at] * x[columns[at]];
            }
            y[row] = sum;
        }
    }
}
