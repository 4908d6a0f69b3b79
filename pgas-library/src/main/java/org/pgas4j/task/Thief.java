package org.pgas4j.task;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Atomics;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/** Steals half of what another rank shows, up to 64 KiB of tasks at a time. */
final class Thief {

    private static final long MAX_BYTES = 64 << 10;

    private final PoolMemory memory;
    private final Rank rank;
    private final long max;
    private final MemorySegment loot;
    private long random;

    Thief(PoolMemory memory, Arena arena) {
        this.memory = memory;
        this.rank = memory.rank();
        this.max = Math.clamp(MAX_BYTES / memory.taskBytes(), 1, memory.capacity());
        this.loot = arena.allocate(max * memory.taskBytes(), Long.BYTES);
        this.random = rank.rank() * 0x9e3779b97f4a7c15L + 1;
    }

    /** A random other rank (Blumofe and Leiserson, JACM 1999); xorshift by Marsaglia. */
    int victim() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        int other = (int) Long.remainderUnsigned(random, rank.ranks() - 1L);
        return other < rank.rank() ? other : other + 1;
    }

    /** Takes tasks of a rank; returns their number, 0 if it shows none or others are faster. */
    long steal(int victim) {
        Atomics atomics = rank.atomics();
        SharedPointer open = memory.on(victim, PoolMemory.OPEN_OFFSET);
        long now = atomics.get(open);
        long count = Math.min(max, (TaskDeque.count(now) + 1) / 2);
        if (count == 0) {
            return 0;
        }
        long tail = TaskDeque.tail(now);
        if (atomics.compareSwap(open, now, TaskDeque.open(tail + count, TaskDeque.count(now) - count)) != now) {
            return 0;
        }
        long first = Math.min(count, memory.capacity() - memory.slot(tail)); // up to the ring's end
        copy(victim, tail, first, 0);
        copy(victim, tail + first, count - first, first);
        atomics.fetchAdd(memory.on(victim, PoolMemory.COPIED_OFFSET), count); // pairs with the read in TaskDeque.hasRoom
        return count;
    }

    private void copy(int victim, long index, long count, long at) {
        if (count > 0) {
            long bytes = count * memory.taskBytes();
            rank.memget(loot.asSlice(at * memory.taskBytes(), bytes), memory.task(victim, index), bytes);
        }
    }

    /** A task of the last theft. */
    MemorySegment task(long number) {
        return loot.asSlice(number * memory.taskBytes(), memory.taskBytes());
    }
}
