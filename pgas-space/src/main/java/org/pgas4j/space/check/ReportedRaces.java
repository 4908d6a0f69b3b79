package org.pgas4j.space.check;

import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.pgas4j.DataRaceException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ServiceNumber;

/**
 * Tells the process that looks for races what the ranks of another do. Uses are kept until the rank does something that orders it
 * with others (a word may say what was read before), or until they are many: nobody can come after them before. So a race is
 * found there, at the latest. Thread-safe: one lock for each rank, held during a call, so that the calls keep the order of what
 * the rank does.
 */
final class ReportedRaces implements Races {

    /** Number of the bootstrap service that is told. */
    static final int SERVICE = ServiceNumber.RACES;

    private static final int MAX_BYTES = 32 << 10;
    /** Of a log with what has ended besides; the rest is told next time. */
    private static final int MAX_WITH_ENDED = 256 << 10;

    private static final class RankLog {
        private final RaceLog log = new RaceLog();
        private final BitSet acknowledged = new BitSet(); // ranks that were put a word since the last read
        private DataRaceException found;

        RankLog(int ranks) {
            acknowledged.set(0, ranks); // nothing read yet
        }
    }

    private interface Entry {
        void write(Races log);
    }

    private final Bootstrap bootstrap;
    private final long timeoutNs;
    private final RankLog[] logs;
    private final Queue<Long> ended = new ConcurrentLinkedQueue<>();

    ReportedRaces(Bootstrap bootstrap, long timeoutNs) {
        this.bootstrap = bootstrap;
        this.timeoutNs = timeoutNs;
        this.logs = new RankLog[bootstrap.ranks()];
        int process = bootstrap.process();
        for (int rank = bootstrap.firstRank(process); rank < bootstrap.firstRank(process + 1); rank++) {
            logs[rank] = new RankLog(logs.length);
        }
    }

    /** Tells {@code onto} what another process has told: the answer is the race it finds, empty if none. */
    static byte[] answer(byte[] request, int ranks, Races onto) {
        DataRaceException race = RaceLog.replay(request, ranks, onto);
        return race == null ? new byte[0] : race.getMessage().getBytes(StandardCharsets.UTF_8);
    }

    private void tell(RankLog rank, Entry entry) {
        synchronized (rank) {
            entry.write(rank.log);
            for (Long next = ended.peek(); next != null && rank.log.size() < MAX_WITH_ENDED; next = ended.peek()) {
                if (ended.remove(next)) { // else another rank tells
                    rank.log.ended(next);
                }
            }
            byte[] answer = bootstrap.call(Checks.HOME, SERVICE, rank.log.take(), System.nanoTime() + timeoutNs);
            if (answer.length > 0 && rank.found == null) {
                rank.found = new DataRaceException(new String(answer, StandardCharsets.UTF_8));
            }
        }
    }

    /** As {@link #tell}, by the rank's thread: it ends with a race that was found. */
    private void tellAndLook(int rank, Entry entry) {
        tell(logs[rank], entry);
        look(logs[rank]);
    }

    private static void look(RankLog rank) {
        synchronized (rank) {
            if (rank.found != null) {
                throw rank.found;
            }
        }
    }

    /** Tells it with what the rank tells next, if that is soon enough. */
    private void keep(RankLog rank, Entry entry) {
        synchronized (rank) {
            if (rank.log.size() > MAX_BYTES) {
                tell(rank, entry);
            } else {
                entry.write(rank.log);
            }
        }
    }

    @Override
    public void arrives(int rank, Meeting meeting) {
        tellAndLook(rank, log -> log.arrives(rank, meeting));
    }

    @Override
    public void leaves(int rank, Meeting meeting) {
        tellAndLook(rank, log -> log.leaves(rank, meeting));
    }

    @Override
    public void notifies(int rank, int target, int tag, boolean value) {
        tellAndLook(rank, log -> log.notifies(rank, target, tag, value));
    }

    @Override
    public void notifiesLater(int rank, int target, int tag, boolean value) {
        tell(logs[rank], log -> log.notifiesLater(rank, target, tag, value));
    }

    @Override
    public void takes(int rank, int tag, boolean value) {
        tell(logs[rank], log -> log.takes(rank, tag, value));
    }

    @Override
    public void gives(int rank, long generation, int target, long from) {
        tellAndLook(rank, log -> log.gives(rank, generation, target, from));
    }

    @Override
    public void joins(int rank, long generation, int target, long from) {
        tell(logs[rank], log -> log.joins(rank, generation, target, from));
    }

    @Override
    public void takesUnseen(int rank) {
        keep(logs[rank], log -> log.takesUnseen(rank));
    }

    @Override
    public void notifiesUnseen(int rank) {
        keep(logs[rank], log -> log.notifiesUnseen(rank));
    }

    @Override
    public void views(int rank, long generation) {
        keep(logs[rank], log -> log.views(rank, generation));
    }

    @Override
    public void uses(int rank, Use use) {
        RankLog mine = logs[rank];
        synchronized (mine) {
            boolean acknowledges = use.write() && use.word() && !mine.acknowledged.get(use.target());
            if (use.flag() || acknowledges) {
                mine.acknowledged.set(use.target());
                tell(mine, log -> log.uses(rank, use));
            } else {
                keep(mine, log -> log.uses(rank, use));
            }
            if (!use.write()) {
                mine.acknowledged.clear();
            }
        }
        look(mine);
    }

    @Override
    public void ended(long generation) {
        ended.add(generation); // by the thread that answers calls, which must not call
    }
}
