package org.pgas4j.collective;

import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;
import org.pgas4j.Reduction;

/**
 * Combines the sources of all members on the host, a block at a time, straight from mapped memory where there is any. The
 * order is that of the tree in which words are combined: a run of members is split at the largest power of two below its
 * length.
 */
final class HostCombiner {

    /** Takes results. */
    private interface Output {
        void store(int block, long offset, int count);
    }

    private final MemberAccess access;
    private final Group group;
    private final ElementType type;
    private final Reduction op;
    private final int blockBytes;
    private final Accumulators blocks;
    private final long[] places;

    /** @param places of the sources of all members */
    HostCombiner(MemberAccess access, Group group, ElementType type, Reduction op, long[] places) {
        this.access = access;
        this.group = group;
        this.type = type;
        this.op = op;
        this.places = places;
        this.blockBytes = areMapped() ? CollectiveLimits.BLOCK_BYTES : CollectiveLimits.FETCHED_BLOCK_BYTES;
        this.blocks = access.accumulators(type, 34 - Integer.numberOfLeadingZeros(places.length), blockBytes);
    }

    private boolean areMapped() {
        for (int member = 0; member < places.length; member++) {
            if (access.mapped(group.world(member), places[member]) == null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Combines bytes {@code from} to {@code from + bytes - 1} of all sources into memory of this rank.
     *
     * @param at byte offset there
     */
    void combine(long from, long bytes, GivenMemory to, long at) {
        combine(from, bytes, (block, offset, count) -> storeOwn(block, to, at + offset, count));
    }

    /** The same, into a member's memory, at byte {@code at} of {@code place}. */
    void combine(long from, long bytes, int member, long place, long at) {
        combine(from, bytes, (block, offset, count) -> storeAt(block, member, place, at + offset, count));
    }

    private void combine(long from, long bytes, Output output) {
        for (long done = 0; done < bytes; done += blockBytes) {
            int count = (int) (Math.min(blockBytes, bytes - done) / type.bytes());
            combineRun(0, places.length, from + done, count, 0);
            output.store(0, done, count);
        }
    }

    private void combineRun(int first, int members, long offset, int count, int into) {
        if (members == 1) {
            load(into, first, offset, count);
            return;
        }
        int half = Integer.highestOneBit(members - 1);
        combineRun(first, half, offset, count, into);
        combineRun(first + half, members - half, offset, count, into + 1);
        blocks.combine(into, into + 1, count, op);
    }

    /**
     * Combines bytes {@code from} to {@code from + bytes - 1} of the sources of members 0 to {@code last} one after the
     * other.
     *
     * @param to     destinations of all members, which get what has been combined so far; null for {@code own} alone
     * @param own    gets the result of member {@code last}
     * @param ownAt  byte offset there
     */
    void scan(long from, long bytes, int last, long[] to, GivenMemory own, long ownAt) {
        for (long done = 0; done < bytes; done += blockBytes) {
            int count = (int) (Math.min(blockBytes, bytes - done) / type.bytes());
            for (int member = 0; member <= last; member++) {
                load(member == 0 ? 0 : 1, member, from + done, count);
                if (member > 0) {
                    blocks.combine(0, 1, count, op);
                }
                if (to != null) {
                    storeAt(0, member, to[member], from + done, count);
                }
            }
            if (to == null) {
                storeOwn(0, own, ownAt + done, count);
            }
        }
    }

    private void load(int block, int member, long offset, int count) {
        int world = group.world(member);
        MemorySegment mapped = access.mapped(world, places[member]);
        if (mapped != null) {
            blocks.load(block, mapped, access.start(world, places[member]) + offset, count);
        } else {
            MemorySegment piece = access.piece();
            access.fetch(piece, world, places[member], offset, type.bytes(count));
            blocks.load(block, piece, 0, count);
        }
    }

    private void storeOwn(int block, GivenMemory to, long at, int count) {
        if (to.host() != null) {
            blocks.store(block, to.host(), to.start() + at, count);
        } else {
            blocks.store(block, access.piece(), 0, count);
            access.write(to, at, access.piece(), 0, type.bytes(count));
        }
    }

    private void storeAt(int block, int member, long place, long at, int count) {
        int world = group.world(member);
        MemorySegment mapped = access.mapped(world, place);
        if (mapped != null) {
            blocks.store(block, mapped, access.start(world, place) + at, count);
        } else {
            blocks.store(block, access.piece(), 0, count);
            access.store(world, place, at, access.piece(), type.bytes(count));
        }
    }
}
