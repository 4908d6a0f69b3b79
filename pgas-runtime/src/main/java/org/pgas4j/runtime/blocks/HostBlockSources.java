package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridSourceWindow;

/**
 * A window of a block of the host device that counts notifications by source, over the same memory as the device library's ({@link
 * SourcesLayout}), but for the counts that no other block writes. Used by the block's thread.
 */
final class HostBlockSources implements GridSourceWindow {

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final HostBlock block;
    private final HostBlockWaits waits;
    private final MemorySegment own;
    private final Comm comm;
    private final int all;
    private final int tags;
    private final int words; // number of the window over the counters
    private final int window;
    private final long at;   // of the counters in the own segment
    private final int[] sent;
    private final int[] taken;
    private int turn;

    /** Collective over {@code comm}. */
    HostBlockSources(HostBlock block, HostBlockWaits waits, MemorySegment own, Comm comm, MemorySegment base, int tags,
                     MemorySegment work) {
        this.block = block;
        this.waits = waits;
        this.own = own;
        this.comm = comm;
        this.all = block.ranks(comm);
        this.tags = tags;
        this.at = work.address() - own.address();
        if (tags < 1 || tags > BlockLayout.TAGS) {
            throw waits.fail(BlockFailure.BAD_TAGS, tags, BlockLayout.TAGS, 0);
        }
        long least = SourcesLayout.bytes(all, tags);
        if (work.byteSize() < least || !SplitLayout.isAligned(work.address())) {
            throw waits.fail(BlockFailure.SMALL_SOURCES, tags, least, work.byteSize(), all, 0);
        }
        words = block.windows().create(comm, work, true);
        own.asSlice(at, least).fill((byte) 0);
        window = block.createWindow(comm, base); // a barrier: all have zeros before the first notification
        sent = new int[all * tags];
        taken = new int[all * tags];
    }

    @Override
    public int window() {
        return window;
    }

    @Override
    public void free() {
        block.freeWindow(window);
        block.freeWindow(words);
    }

    // ---- notifications

    private void checkTag(int tag) {
        waits.requireOperations();
        if (tag < 0 || tag >= tags) {
            throw waits.fail(BlockFailure.NO_TAG, tag, tags, 0);
        }
    }

    @Override
    public void putNotify(int target, long offset, MemorySegment src, long bytes, int tag) {
        checkTag(tag);
        block.put(window, target, offset, src, bytes);
        count(target, tag);
    }

    @Override
    public void signal(int target, int tag) {
        checkTag(tag);
        block.windows().place(window, target, 0, 0); // fails if there is no such target
        count(target, tag);
    }

    private void count(int target, int tag) {
        long place = block.windows().place(words, target, 0, 0) + SourcesLayout.arrived(tags, block.rank(comm), tag);
        block.setInt(comm, target, place, ++sent[target * tags + tag]);
    }

    // ---- waits

    private void check(int source, int tag, long count) {
        waits.window(window);
        if (source != ANY_SOURCE && (source < 0 || source >= all)) {
            throw waits.fail(BlockFailure.NO_SOURCE, source, all, 0);
        }
        checkTag(tag);
        if (count < 0 || count > BlockLayout.MAX_COUNT) {
            throw waits.fail(BlockFailure.BAD_COUNT, tag, BlockLayout.MAX_COUNT, count);
        }
    }

    private long from(int source, int tag) {
        // acquire: pairs with the release in HostBlock.setInt
        int arrived = (int) INT.getAcquire(own, at + SourcesLayout.arrived(tags, source, tag));
        return Integer.toUnsignedLong(arrived - taken[source * tags + tag]);
    }

    private long there(int source, int tag) {
        if (source != ANY_SOURCE) {
            return from(source, tag);
        }
        long there = 0;
        for (int s = 0; s < all; s++) {
            there += from(s, tag);
        }
        return there;
    }

    /** Consumes notifications of one source after the other, from the one whose turn it is; returns the first of them, or -1. */
    private int take(int source, int tag, long count) {
        if (source != ANY_SOURCE) {
            taken[source * tags + tag] += (int) count;
            return source;
        }
        int first = -1;
        int begin = turn;
        long rest = count;
        for (int i = 0; i < all && rest > 0; i++) {
            int s = (begin + i) % all;
            long some = Math.min(from(s, tag), rest);
            if (some > 0) {
                taken[s * tags + tag] += (int) some;
                first = first < 0 ? s : first;
                turn = (s + 1) % all;
            }
            rest -= some;
        }
        return first;
    }

    private void awaitThere(int source, int tag, long count) {
        check(source, tag, count);
        waits.await(BlockFailure.LATE_SOURCE, tag, count, source, () -> there(source, tag));
    }

    @Override
    public long available(int source, int tag) {
        check(source, tag, 0);
        waits.looked();
        return there(source, tag);
    }

    @Override
    public boolean test(int source, int tag, long count) {
        check(source, tag, count);
        if (there(source, tag) < count) {
            waits.looked();
            return false;
        }
        take(source, tag, count);
        return true;
    }

    @Override
    public void await(int source, int tag, long count) {
        awaitThere(source, tag, count);
        take(source, tag, count);
    }

    @Override
    public int awaitAny(int tag) {
        awaitThere(ANY_SOURCE, tag, 1);
        return take(ANY_SOURCE, tag, 1);
    }

    @Override
    public int testAny(int tag) {
        check(ANY_SOURCE, tag, 1);
        int source = take(ANY_SOURCE, tag, 1);
        if (source < 0) {
            waits.looked();
        }
        return source;
    }

    @Override
    public int awaitSome(int tag, long[] counts) {
        waits.looked();
        awaitThere(ANY_SOURCE, tag, 1);
        int some = 0;
        for (int s = 0; s < all; s++) {
            counts[s] = from(s, tag);
            taken[s * tags + tag] += (int) counts[s];
            some += counts[s] > 0 ? 1 : 0;
        }
        return some;
    }
}
