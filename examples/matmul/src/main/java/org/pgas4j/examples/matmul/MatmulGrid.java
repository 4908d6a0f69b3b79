package org.pgas4j.examples.matmul;

import org.pgas4j.UsageException;

/**
 * Ranks over C.
 *
 * @param p over its rows
 * @param q over its columns
 */
record MatmulGrid(int p, int q) {

    /** @throws UsageException if it is no PxQ */
    static MatmulGrid of(String text) {
        if (!text.matches("[1-9][0-9]{0,4}x[1-9][0-9]{0,4}")) {
            throw new UsageException("--grid " + text + " (expected: PxQ, each 1..99999)");
        }
        String[] sides = text.split("x");
        return new MatmulGrid(Integer.parseInt(sides[0]), Integer.parseInt(sides[1]));
    }

    int ranks() {
        return Math.multiplyExact(p, q);
    }

    @Override
    public String toString() {
        return p + "x" + q;
    }
}
