package org.pgas4j.examples.irregular;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A tree of the Unbalanced Tree Search benchmark (Olivier et al., LCPC 2006). A node is 20 bytes of state and, behind them, its
 * depth as 4 bytes; the state of a child is the SHA-1 hash of its parent's and the child's number, so that a tree is the same
 * whoever expands it. Numbers are big-endian. For one thread.
 */
final class UtsTree {

    /** Bytes of a node. */
    static final int NODE = 24;

    private static final int STATE = 20;
    private static final int MAX_CHILDREN = 100;   // of a geometric tree's node
    private static final double RANGE = 0x1p31;

    /**
     * Which tree.
     *
     * @param binomial  a node but the root has {@code m} children or none; otherwise geometrically many, in the mean {@code
     *                  branching}
     * @param branching mean number of a node's children, of a binomial tree of the root's
     * @param maxDepth  of a geometric tree
     * @param q         probability of children in a binomial tree
     * @param m         children of a binomial tree's inner node
     * @param seed      of the root
     */
    record Shape(boolean binomial, double branching, int maxDepth, double q, int m, int seed) {

        static Shape geometric(double branching, int maxDepth, int seed) {
            return new Shape(false, branching, maxDepth, 0, 0, seed);
        }

        static Shape binomial(double rootChildren, double q, int m, int seed) {
            return new Shape(true, rootChildren, Integer.MAX_VALUE, q, m, seed);
        }
    }

    private final Shape shape;
    private final MessageDigest sha;
    private final byte[] number = new byte[Integer.BYTES];

    UtsTree(Shape shape) {
        this.shape = shape;
        try {
            this.sha = MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("a Java runtime without SHA-1", e);
        }
    }

    /** Writes the root to the start of {@code nodes}. */
    void root(byte[] nodes) {
        byte[] seed = new byte[STATE];
        putInt(seed, STATE - Integer.BYTES, shape.seed);
        sha.update(seed);
        digest(nodes, 0);
        putInt(nodes, STATE, 0);
    }

    /** Writes child {@code child} of the node at {@code parent} to {@code to}, both bytes from the start of their arrays. */
    void child(byte[] parents, int parent, int child, byte[] nodes, int to) {
        int depth = depth(parents, parent) + 1;
        putInt(number, 0, child);
        sha.update(parents, parent, STATE);
        sha.update(number);
        digest(nodes, to);
        putInt(nodes, to + STATE, depth);
    }

    static int depth(byte[] nodes, int at) {
        return getInt(nodes, at + STATE);
    }

    /** Number of children of the node at {@code at}. */
    int children(byte[] nodes, int at) {
        int depth = depth(nodes, at);
        double uniform = (getInt(nodes, at + STATE - Integer.BYTES) & Integer.MAX_VALUE) / RANGE;
        if (shape.binomial) {
            return depth == 0 ? (int) shape.branching : uniform < shape.q ? shape.m : 0;
        }
        if (depth >= shape.maxDepth) {
            return 0;
        }
        double p = 1 / (1 + shape.branching);
        return Math.min(MAX_CHILDREN, (int) Math.floor(Math.log(1 - uniform) / Math.log(1 - p)));
    }

    private void digest(byte[] nodes, int at) {
        try {
            sha.digest(nodes, at, STATE);
        } catch (DigestException e) {
            throw new IllegalStateException("SHA-1 at byte " + at + " of " + nodes.length, e);
        }
    }

    private static void putInt(byte[] bytes, int at, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[at + i] = (byte) (value >> 24 - 8 * i);
        }
    }

    private static int getInt(byte[] bytes, int at) {
        return bytes[at] << 24 | (bytes[at + 1] & 255) << 16 | (bytes[at + 2] & 255) << 8 | bytes[at + 3] & 255;
    }
}
