package org.pgas4j.bootstrap;

import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Distribution of the ranks of a job over its JVMs: contiguous runs, the first {@code ranks % processes} JVMs get one
 * more.
 *
 * @param processes JVMs, 1..ranks
 * @param ranks     ranks of the job
 */
public record ProcessLayout(int processes, int ranks) {

    /** @throws IllegalArgumentException unless {@code 1 <= processes <= ranks} */
    public ProcessLayout {
        if (processes < 1 || ranks < processes) {
            throw new IllegalArgumentException("processes: " + processes + ", ranks: " + ranks
                    + " (expected: 1 <= processes <= ranks)");
        }
    }

    /** First rank of JVM {@code process}; that of {@code processes} is {@code ranks}. */
    public int firstRank(int process) {
        Objects.checkIndex(process, processes + 1);
        return process * (ranks / processes) + Math.min(process, ranks % processes);
    }

    /** The JVM that hosts {@code rank}. */
    public int processOf(int rank) {
        Objects.checkIndex(rank, ranks);
        int small = ranks / processes;
        int larger = ranks % processes;
        int inLarger = larger * (small + 1);
        return rank < inLarger ? rank / (small + 1) : larger + (rank - inLarger) / small;
    }

    /** {@code rank 3} or {@code ranks 2-3}. */
    public String ranksOf(int process) {
        return ranksOf(process, process + 1);
    }

    /** The same of JVMs {@code from..to-1}. */
    public String ranksOf(int from, int to) {
        int first = firstRank(from);
        int last = firstRank(to) - 1;
        return first == last ? "rank " + first : "ranks " + first + "-" + last;
    }

    /** {@code process 1 (ranks 2-3)}. */
    public String describe(int process) {
        return "process " + process + " (" + ranksOf(process) + ")";
    }

    /** All of {@code processes}, as {@link #describe(int)}; at most eight by name. */
    String describe(int[] missing) {
        String named = IntStream.of(missing).limit(8).mapToObj(this::describe).collect(Collectors.joining(", "));
        return missing.length > 8 ? named + " and " + (missing.length - 8) + " more" : named;
    }
}
