package org.pgas4j.examples.matmul;

import org.pgas4j.UsageException;

/** Lengths of a product: C is m x n, A is m x k, B is k x n. */
record MatmulShape(int m, int n, int k) {

    /** @throws UsageException if it is no M,N,K */
    static MatmulShape of(String text) {
        if (!text.matches("[1-9][0-9]{0,8},[1-9][0-9]{0,8},[1-9][0-9]{0,8}")) {
            throw new UsageException("--shape " + text + " (expected: M,N,K, each 1..999999999)");
        }
        String[] lengths = text.split(",");
        return new MatmulShape(Integer.parseInt(lengths[0]), Integer.parseInt(lengths[1]), Integer.parseInt(lengths[2]));
    }

    boolean isSquare() {
        return m == n && n == k;
    }

    @Override
    public String toString() {
        return m + "," + n + "," + k;
    }
}
