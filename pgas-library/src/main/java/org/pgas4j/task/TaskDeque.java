package org.pgas4j.task;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Atomics;
import org.pgas4j.SharedPointer;

/**
 * A rank's own tasks, in a ring in its shared memory: those for thieves at one end, private ones at the other, which the owner
 * pushes and pops without atomic operations (split queues: Dinan, Larkins, Sadayappan, Krishnamoorthy and Nieplocha, "Scalable
 * work stealing", SC 2009).
 *
 * <pre>
 *     floor       tail              split            head
 *       | being copied | for thieves  |   private      |
 * </pre>
 *
 * Both bounds of the part for thieves are in one word, {@code open}, so that a thief claims half of it, and the owner takes some
 * back, by one compare-and-swap (Cartier, Dinan and Larkins, "Optimizing work stealing communication with structured atomic
 * operations", ICPP 2021). So no thief holds a lock while it is not running. A slot is used again when the tasks of all claims
 * have been copied.
 */
final class TaskDeque {

    private static final long COUNT_MASK = 0xffff_ffffL;

    private final Atomics atomics;
    private final PoolMemory memory;
    private final SharedPointer open;
    private final SharedPointer copied;
    private final MemorySegment ring;
    private long floor;
    private long split;
    private long head;

    TaskDeque(PoolMemory memory) {
        this.memory = memory;
        this.atomics = memory.rank().atomics();
        int own = memory.rank().rank();
        this.open = memory.on(own, PoolMemory.OPEN_OFFSET);
        this.copied = memory.on(own, PoolMemory.COPIED_OFFSET);
        this.ring = memory.rank().local(memory.on(own, PoolMemory.TASKS_OFFSET));
    }

    static long open(long tail, long count) {
        return tail << Integer.SIZE | count;
    }

    static long count(long open) {
        return open & COUNT_MASK;
    }

    static long tail(long open) {
        return open >>> Integer.SIZE;
    }

    private void copy(MemorySegment dst, long dstOffset, MemorySegment src, long srcOffset) {
        MemorySegment.copy(src, srcOffset, dst, dstOffset, memory.taskBytes());
    }

    /** Adds a private task; false if the ring is full. */
    boolean push(MemorySegment task) {
        if (head - floor == memory.capacity() && !hasRoom()) {
            return false;
        }
        copy(ring, memory.slot(head) * memory.taskBytes(), task, 0);
        head++;
        return true;
    }

    private boolean hasRoom() {
        long done = atomics.get(copied); // before the tail: if they are equal, no claim was open when this was read
        long tail = split - count(atomics.get(open));
        if (done == tail) {
            floor = tail;
        }
        return head - floor < memory.capacity();
    }

    /** Number of tasks that thieves do not see. */
    long privateTasks() {
        return head - split;
    }

    /** True if thieves find nothing. */
    boolean isClosed() {
        return count(atomics.get(open)) == 0;
    }

    /**
     * Lets thieves see the oldest {@code count} private tasks; only if {@link #isClosed}, when the owner alone changes the word.
     */
    void share(long count) {
        atomics.swap(open, open(split, count)); // release: pairs with the claim in Thief.steal
        split += count;
    }

    /** Takes the newest task; false if there is none. */
    boolean pop(MemorySegment into) {
        if (head == split && !takeBack()) {
            return false;
        }
        head--;
        copy(into, 0, ring, memory.slot(head) * memory.taskBytes());
        return true;
    }

    /** Makes half of the tasks for thieves private again. */
    private boolean takeBack() {
        long now = atomics.get(open);
        while (count(now) > 0) {
            long take = (count(now) + 1) / 2;
            long seen = atomics.compareSwap(open, now, now - take);
            if (seen == now) {
                split -= take;
                return true;
            }
            now = seen;
        }
        return false;
    }
}
