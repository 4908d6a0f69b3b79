package org.pgas4j.bootstrap.watch;

/**
 * The rank that the current thread works for; its output lines carry it. The runtime sets it on rank threads; threads
 * started by these inherit it.
 */
public final class RankTag {

    private static final InheritableThreadLocal<Integer> RANK = new InheritableThreadLocal<>();

    private RankTag() {
    }

    /** From here on, this thread's lines are {@code rank}'s. */
    public static void set(int rank) {
        RANK.set(rank);
    }

    /** From here on, this thread's lines are those of the process. */
    public static void clear() {
        RANK.remove();
    }

    /** The rank, or null. */
    public static Integer current() {
        return RANK.get();
    }
}
