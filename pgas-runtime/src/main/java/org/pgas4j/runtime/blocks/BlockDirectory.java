package org.pgas4j.runtime.blocks;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntConsumer;
import org.pgas4j.fastpath.protocol.BlockSink;

/** Writers to the blocks of this JVM's ranks, for senders elsewhere. Thread-safe. */
public final class BlockDirectory {

    private static final int BLOCK_BITS = 16;
    static final int MAX_BLOCKS = 1 << BLOCK_BITS;

    private final ConcurrentMap<Long, ProxyWriter> writers = new ConcurrentHashMap<>();
    private final Set<Long> closed = ConcurrentHashMap.newKeySet();

    private static long key(int team, int rank) {
        return (long) team << Integer.SIZE | rank;
    }

    void add(int team, int rank, ProxyWriter writer) {
        writers.put(key(team, rank), writer);
        closed.remove(key(team, rank));
    }

    void remove(int team, int rank) {
        closed.add(key(team, rank));
        writers.remove(key(team, rank));
    }

    /** The writer of a rank of this JVM, or null. */
    ProxyWriter writer(int team, int rank) {
        return writers.get(key(team, rank));
    }

    /** True if such blocks of a rank of this JVM were closed, and no others have their number now. */
    boolean isClosed(int team, int rank) {
        return closed.contains(key(team, rank));
    }

    /** Returns the name of a block in messages. */
    static int name(int team, int block) {
        return team << BLOCK_BITS | block;
    }

    /** Number of the blocks of a name. */
    static int team(int name) {
        return name >>> BLOCK_BITS;
    }

    /** Number of the block of a name among those of its rank. */
    static int block(int name) {
        return name & MAX_BLOCKS - 1;
    }

    /**
     * Applies a notification that came as a message, from host code or a stream. One for blocks that are closed comes after the
     * failure that ended them, and is dropped. With the context of the rank's device.
     *
     * @throws IllegalStateException if there never was such a block
     */
    public void signal(int rank, int name, int tag, long count) {
        ProxyWriter writer = writerOrClosed(team(name), rank);
        if (writer != null) {
            writer.signal(block(name), tag, count);
        }
    }

    /**
     * Carries out commands of other ranks' blocks, as {@link #signal}; those that have to wait are left.
     *
     * @param host notifies the rank's host code
     * @throws IllegalStateException if there never were such blocks, or one of the commands is none
     */
    public void take(int rank, int team, BlockSink.Commands commands, IntConsumer host) {
        CommandBatch.carryOut(commands, writerOrClosed(team, rank), host);
    }

    /** The writer of a rank's blocks, or null if these are closed. */
    private ProxyWriter writerOrClosed(int team, int rank) {
        ProxyWriter writer = writer(team, rank);
        if (writer == null && !isClosed(team, rank)) {
            throw new IllegalStateException("rank " + rank + " has no blocks numbered " + team);
        }
        return writer;
    }
}
