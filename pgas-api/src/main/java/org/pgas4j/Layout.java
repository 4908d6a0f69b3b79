package org.pgas4j;

/**
 * How the elements of a shared array are spread over the ranks. The first four are UPC's, in UPC's notation:
 * {@code [block]}, {@code [1]}, {@code [*]} and {@code []}; {@link #replicated()} is an addition of this system.
 */
public sealed interface Layout {

    /** Blocks of {@code block} elements dealt out to the ranks in turn: UPC's {@code [block]}. */
    record Blocked(long block) implements Layout {
        public Blocked {
            if (block <= 0) {
                throw new IllegalArgumentException("block: " + block + " (expected: > 0)");
            }
        }
    }

    /** One block of {@code ceil(length / ranks)} elements on each rank: UPC's {@code [*]}. */
    record Even() implements Layout {
    }

    /** Every element on one rank: UPC's {@code []}, which UPC puts on thread 0. */
    record OnRank(int rank) implements Layout {
        public OnRank {
            if (rank < 0) {
                throw new IllegalArgumentException("rank: " + rank + " (expected: >= 0)");
            }
        }
    }

    /** Every rank has all elements; an index means the caller's own copy. */
    record Replicated() implements Layout {
    }

    /** UPC's {@code [block]}; {@code block} counts elements. */
    static Layout blocked(long block) {
        return new Blocked(block);
    }

    /** UPC's {@code [1]}, its default. */
    static Layout cyclic() {
        return new Blocked(1);
    }

    /** UPC's {@code [*]}. */
    static Layout even() {
        return new Even();
    }

    /** UPC's {@code []}, on a rank of choice. */
    static Layout onRank(int rank) {
        return new OnRank(rank);
    }

    /** A copy on every rank. */
    static Layout replicated() {
        return new Replicated();
    }
}
