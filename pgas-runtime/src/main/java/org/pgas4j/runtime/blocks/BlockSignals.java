package org.pgas4j.runtime.blocks;

import org.pgas4j.Buffer;
import org.pgas4j.Prepared;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Port;

/** Notifications, and puts with them, of a rank's host code and streams to blocks of all ranks. Used by the rank's thread. */
final class BlockSignals {

    private final BlockEnvironment env;
    private final int number;
    private final int perRank;
    private final int ranks;

    /**
     * Signals to the blocks of one grid.
     *
     * @param number of the blocks, the same on all ranks
     * @param ranks  blocks of all ranks
     */
    BlockSignals(BlockEnvironment env, int number, int perRank, int ranks) {
        this.env = env;
        this.number = number;
        this.perRank = perRank;
        this.ranks = ranks;
    }

    void signal(int block, int tag) {
        int target = rankOf(block, tag);
        env.fence().run();
        ProxyWriter there = env.directory().writer(number, target);
        if (there != null) {
            env.segments().acceleratorOf(target).bind();
            try {
                there.signal(block % perRank, tag, 1);
            } finally {
                env.accelerator().bind();
            }
            return;
        }
        Port port = env.progress().enter();
        try {
            port.signal(target, name(block), tag, NotificationSink.COUNTER, 1);
        } finally {
            env.progress().exit();
        }
    }

    void signal(Stream stream, int block, int tag) {
        int target = reachable(block, tag);
        env.notifying().apply(stream).signalBlock(target, name(block), tag);
    }

    void putNotify(Stream stream, Window window, long offset, Buffer src, int block, int tag) {
        int target = reachable(block, tag);
        env.notifying().apply(stream).putNotifyBlock(window, target, offset, src, name(block), tag);
    }

    Prepared prepare(int block, int tag) {
        int target = reachable(block, tag);
        return env.prepared().signalBlock(target, name(block), tag);
    }

    Prepared preparePutNotify(Window window, long offset, Buffer src, int block, int tag) {
        int target = reachable(block, tag);
        return env.prepared().putNotifyBlock(window, target, offset, src, name(block), tag);
    }

    /** Rank of a block whose counter of a tag may be notified. */
    private int rankOf(int block, int tag) {
        if (block < 0 || block >= ranks || tag < 0 || tag >= BlockLayout.TAGS) {
            throw new IllegalArgumentException("no such block or tag: block=" + block + " tag=" + tag
                    + " (expected: 0.." + (ranks - 1) + ", 0.." + (BlockLayout.TAGS - 1) + ")");
        }
        return block / perRank;
    }

    /** As {@link #rankOf}, for a service, which does not connect to a rank. */
    private int reachable(int block, int tag) {
        int target = rankOf(block, tag);
        if (env.directory().writer(number, target) == null) {
            Port port = env.progress().enter();
            try {
                port.connect(target);
            } finally {
                env.progress().exit();
            }
        }
        return target;
    }

    /** Name of a block in messages. */
    private int name(int block) {
        return BlockDirectory.name(number, block % perRank);
    }
}
