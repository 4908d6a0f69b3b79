package org.pgas4j.bootstrap.watch;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.pgas4j.PgasException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ServiceNumber;

/**
 * Statuses of ranks of any node: from the status board for those of this node, else by a call to their JVM.
 * Thread-safe.
 */
public final class StatusQuery {


    private static final int MAX_NAMED = 8;
    private static final long CALL_NS = 2_000_000_000L;

    private final Bootstrap bootstrap;
    private final StatusBoard board;

    /** @param board of this JVM's ranks at least */
    public StatusQuery(Bootstrap bootstrap, StatusBoard board) {
        this.bootstrap = bootstrap;
        this.board = board;
        int process = bootstrap.process();
        bootstrap.serve(ServiceNumber.STATUS, _ ->
                board.encode(bootstrap.firstRank(process), bootstrap.firstRank(process + 1)));
    }

    /** Describes the statuses of these ranks, 8 at most; takes at most 2 s if JVMs of other nodes do not answer. */
    public String describe(List<Integer> ranks) {
        Look look = new Look();
        return ranks.stream().limit(MAX_NAMED).map(rank -> "rank " + rank + " " + look.text(rank))
                .collect(Collectors.joining("; ")) + (ranks.size() > MAX_NAMED ? "; ..." : "");
    }

    /**
     * Returns those that have not begun collective operation {@code sequence}, or do not answer; time as
     * {@link #describe}.
     */
    public List<Integer> late(List<Integer> ranks, long sequence) {
        Look look = new Look();
        return ranks.stream().filter(rank -> {
            RankStatus status = look.at(rank);
            return status == null || status.sequence() < sequence;
        }).toList();
    }

    /** One look at several ranks, with one call to each JVM. */
    private final class Look {

        private final long deadlineNs = System.nanoTime() + CALL_NS;
        private final Map<Integer, RankStatus[]> answers = new HashMap<>();
        private final Map<Integer, String> silent = new HashMap<>();

        RankStatus at(int rank) {
            if (board.covers(rank)) {
                return board.activity(rank).look();
            }
            int process = bootstrap.processOf(rank);
            if (!answers.containsKey(process) && !silent.containsKey(process)) {
                try {
                    answers.put(process, call(process, deadlineNs));
                } catch (PgasException e) {
                    silent.put(process, "does not answer (" + e.getMessage() + ")");
                }
            }
            RankStatus[] statuses = answers.get(process);
            return statuses == null ? null : statuses[rank - bootstrap.firstRank(process)];
        }

        String text(int rank) {
            RankStatus status = at(rank);
            return status == null ? silent.get(bootstrap.processOf(rank)) : status.text();
        }
    }

    private RankStatus[] call(int process, long deadlineNs) {
        int count = bootstrap.firstRank(process + 1) - bootstrap.firstRank(process);
        ByteBuffer answer = ByteBuffer.wrap(bootstrap.call(process, ServiceNumber.STATUS, new byte[0], deadlineNs));
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
