package org.pgas4j.bootstrap.watch;

/**
 * The rank that the current thread works for; its output lines carry it. The runtime sets it on rank threads; threads
 * started by these inherit it.
 */
public final class RankTag {

    private static final InheritableThreadLocal<Integer> RANK = new InheritableThreadLocal<>();

    private RankTag() {
    }

    /** Marks this thread's lines as {@code rank}'s. */
    public static void set(int rank) {
        RANK.set(rank);
    }

    /** Marks this thread's lines as those of the process. */
    public static void clear() {
        RANK.remove();
    }

    /** The rank, or null. */
    public static Integer current() {
        return RANK.get();
    }
}
