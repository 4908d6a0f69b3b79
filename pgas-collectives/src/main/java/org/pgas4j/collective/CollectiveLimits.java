package org.pgas4j.collective;

import org.pgas4j.space.memory.ControlArea;

/** Sizes at which collective operations change their algorithm, in bytes. */
final class CollectiveLimits {

    /** Up to this total, or less in a part of the ranks, data travels with the words of the exchange at the begin. */
    static final int SMALL_BYTES = ControlArea.SLOT_BYTES;

    /** Up to this, each of two members combines a whole vector on the host. */
    static final long ONE_STEP_BYTES = 16 << 10;

    /** Private memory is copied through the shared heap in pieces of this size: they stay in the second-level cache. */
    static final int STAGE_BYTES = 128 << 10;

    /** Private device memory is combined in pieces of this size at most: each costs a meeting of the members. */
    static final long DEVICE_STAGE_BYTES = 4 << 20;

    /** Elements are combined in blocks of this size: three of them fit the first-level cache. */
    static final int BLOCK_BYTES = 8 << 10;

    /** The same where the sources are fetched by transfers, each of which has a latency of its own. */
    static final int FETCHED_BLOCK_BYTES = 64 << 10;

    /**
     * Parts of a vector that ranks combine for each other start at multiples of this: a line of the adjacent-line
     * prefetcher.
     */
    static final int PART_ALIGNMENT = 128;

    /**
     * Device memory of a rank for what runs of more members than a kernel takes have together: two for each level of
     * the tree.
     */
    static final long DEVICE_SCRATCH_BYTES = 4 << 20;

    /** From this size on, a root's data is dealt out and exchanged where each rank's link is narrower than memory. */
    static final long DEAL_BYTES = 256 << 10;

    /** Up to this, each of two devices combines a whole vector in the direct form. */
    static final long EACH_ALL_BYTES = 4 << 20;

    /** From here on three members and more combine vectors faster by writes alone in the direct form. */
    static final long PUSH_BYTES = 8 << 20;

    /** How long a rank waits until it has written that its kernels are to stop. */
    static final long STOP_NS = 1_000_000_000L;

    private CollectiveLimits() {
    }
}
