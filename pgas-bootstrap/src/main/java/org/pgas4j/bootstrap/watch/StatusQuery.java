package org.pgas4j.bootstrap.watch;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.pgas4j.PgasException;
import org.pgas4j.bootstrap.Bootstrap;

/** Tells what ranks do, wherever they are: those of this node by their board, others by asking their JVM. Thread-safe. */
public final class StatusQuery {

    /** Answers with the statuses of a JVM's ranks. */
    public static final int SERVICE = 4;

    private static final int MOST = 8;
    private static final long ASK_NS = 2_000_000_000L;

    private final Bootstrap bootstrap;
    private final StatusBoard board;

    /** @param board of this JVM's ranks at least */
    public StatusQuery(Bootstrap bootstrap, StatusBoard board) {
        this.bootstrap = bootstrap;
        this.board = board;
        int process = bootstrap.process();
        bootstrap.serve(SERVICE, _ -> board.encode(bootstrap.firstRank(process), bootstrap.firstRank(process + 1)));
    }

    /** What these ranks do, a part for each, 8 at most; takes 2 s at most if JVMs of other nodes do not answer. */
    public String describe(List<Integer> ranks) {
        Look look = new Look();
        return ranks.stream().limit(MOST).map(rank -> "rank " + rank + " " + look.text(rank))
                .collect(Collectors.joining("; ")) + (ranks.size() > MOST ? "; ..." : "");
    }

    /** Those that have not begun collective operation {@code sequence}, or do not say; time as {@link #describe}. */
    public List<Integer> late(List<Integer> ranks, long sequence) {
        Look look = new Look();
        return ranks.stream().filter(rank -> {
            RankStatus status = look.at(rank);
            return status == null || status.sequence() < sequence;
        }).toList();
    }

    /** One look at several ranks: each JVM is asked once. */
    private final class Look {

        private final long deadlineNs = System.nanoTime() + ASK_NS;
        private final Map<Integer, RankStatus[]> answers = new HashMap<>();
        private final Map<Integer, String> silent = new HashMap<>();

        RankStatus at(int rank) {
            if (board.has(rank)) {
                return board.activity(rank).look();
            }
            int process = bootstrap.processOf(rank);
            if (!answers.containsKey(process) && !silent.containsKey(process)) {
                try {
                    answers.put(process, ask(process, deadlineNs));
                } catch (PgasException e) {
                    silent.put(process, "does not answer (" + e.getMessage() + ")");
                }
            }
            RankStatus[] theirs = answers.get(process);
            return theirs == null ? null : theirs[rank - bootstrap.firstRank(process)];
        }

        String text(int rank) {
            RankStatus status = at(rank);
            return status == null ? silent.get(bootstrap.processOf(rank)) : status.text();
        }
    }

    private RankStatus[] ask(int process, long deadlineNs) {
        int count = bootstrap.firstRank(process + 1) - bootstrap.firstRank(process);
        ByteBuffer answer = ByteBuffer.wrap(bootstrap.call(process, SERVICE, new byte[0], deadlineNs));
        if (answer.remaining() != count * RankStatus.BYTES) {
            throw new PgasException("process " + process + " answered with " + answer.remaining() + " bytes");
        }
        RankStatus[] statuses = new RankStatus[count];
        for (int i = 0; i < count; i++) {
            statuses[i] = RankStatus.decode(answer);
        }
        return statuses;
    }
}
