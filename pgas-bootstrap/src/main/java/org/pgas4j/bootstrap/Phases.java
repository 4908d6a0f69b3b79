package org.pgas4j.bootstrap;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Phases of some ranks: one that all share, or each with the lowest rank that is in it.
 *
 * @param each in the order of their ranks, 1..{@link #MAX}
 */
public record Phases(List<OfRank> each) {

    /** More are not named. */
    public static final int MAX = 4;

    /** A phase and the lowest rank that is in it. */
    public record OfRank(Phase phase, int rank) {
    }

    /** Keeps {@link #MAX} of them. */
    public Phases {
        if (each.isEmpty()) {
            throw new IllegalArgumentException("phases of no rank");
        }
        each = List.copyOf(each.subList(0, Math.min(MAX, each.size())));
    }

    /** The phase of all ranks concerned. */
    public static Phases all(Phase phase) {
        return new Phases(List.of(new OfRank(phase, 0)));
    }

    /** The phase of the lowest rank. */
    public Phase first() {
        return each.getFirst().phase();
    }

    /** True if all ranks are in {@code phase}. */
    public boolean are(Phase phase) {
        return each.size() == 1 && first() == phase;
    }

    /** For example {@code barrier} or {@code barrier (rank 2), program (rank 3)}. */
    public String text() {
        return each.size() == 1 ? first().text() : each.stream()
                .map(one -> one.phase().text() + " (rank " + one.rank() + ")").collect(Collectors.joining(", "));
    }
}
