package org.pgas4j.runtime.blocks;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The blocks of this JVM's ranks, for those that bring them something from elsewhere. Thread-safe. */
public final class BlockDirectory {

    private static final int BLOCK_BITS = 16;
    static final int MOST_BLOCKS = 1 << BLOCK_BITS;

    private final ConcurrentMap<Long, ProxyWriter> writers = new ConcurrentHashMap<>();

    private static long key(int team, int rank) {
        return (long) team << Integer.SIZE | rank;
    }

    void add(int team, int rank, ProxyWriter writer) {
        writers.put(key(team, rank), writer);
    }

    void remove(int team, int rank) {
        writers.remove(key(team, rank));
    }

    /** The writer of a rank of this JVM, or null. */
    ProxyWriter writer(int team, int rank) {
        return writers.get(key(team, rank));
    }

    /** How a message names a block. */
    static int name(int team, int block) {
        return team << BLOCK_BITS | block;
    }

    /**
     * Applies a notification that came as a message. Not by the post: what the same rank sends by other messages, words of a
     * barrier among them, would be there before a block has taken the letter.
     *
     * @throws IllegalStateException if there is no such block
     */
    public void notify(int rank, int name, int tag, long count) {
        ProxyWriter writer = writer(name >>> BLOCK_BITS, rank);
        if (writer == null) {
            throw new IllegalStateException("rank " + rank + " has no blocks numbered " + (name >>> BLOCK_BITS));
        }
        writer.notifyByStream(name & MOST_BLOCKS - 1, tag, count);
    }
}
