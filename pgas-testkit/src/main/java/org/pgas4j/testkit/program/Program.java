package org.pgas4j.testkit.program;

import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.Scope;

/** A command that the ranks of a job run together. Each rank has an object of its own, whose fields are the options. */
public interface Program {

    /** Settings under which the program fits. */
    PgasConfig config();

    /** Collective: fails on every rank if anything is wrong. */
    void run(Rank rank);

    /** Heaps of the same size of either kind. */
    static PgasConfig heaps(long bytes) {
        return new PgasConfig().hostHeap(bytes).deviceHeap(bytes);
    }

    /** Scope in which the rank allocates memory of a kind. */
    static Scope in(Rank rank, MemoryKind kind) {
        return kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice();
    }
}
