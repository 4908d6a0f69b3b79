package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.MemoryKind;
import org.pgas4j.Notifications;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Checks of what ranks do to the next one and see of the one before, in a ring. */
abstract class NeighbourContract extends Contract {

    final Notifications notifications;
    final int me;
    final int next;
    final int previous;

    NeighbourContract(Rank rank, Tally check) {
        super(rank, check);
        this.notifications = rank.notifications();
        this.me = rank.rank();
        this.next = target(1);
        this.previous = target(-1);
    }

    /** Shared memory of this rank alone. */
    final SharedPointer mine(MemoryKind kind, long bytes) {
        try (Scope _ = Program.in(rank, kind)) {
            return rank.alloc(bytes);
        }
    }

    final MemorySegment read(Arena arena, SharedPointer pointer, long bytes) {
        MemorySegment memory = arena.allocate(bytes, 8);
        rank.memget(memory, pointer, bytes);
        return memory;
    }
}
