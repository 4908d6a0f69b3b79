package org.pgas4j.runtime.check;

import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.pgas4j.DataRaceException;
import org.pgas4j.runtime.bootstrap.Bootstrap;

/**
 * Tells the process that looks for races what the ranks of another do. Uses are kept until the rank does something that orders it
 * with others (a word may say what was read before), or until they are many: nobody can come after them before. So a race is found there, at the latest. Thread-safe: one
 * lock for each rank, held during a call, so that the calls keep the order of what the rank does.
 */
final class ReportedRaces implements Races {

    /** Number of the bootstrap service that is told. */
    static final int SERVICE = 6;

    private static final int MOST_BYTES = 32 << 10;

    private static final class RankLog {
        private final RaceLog log = new RaceLog();
        private boolean hasRead; // since the last call
        private DataRaceException found;
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
            logs[rank] = new RankLog();
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
            for (Long next = ended.poll(); next != null; next = ended.poll()) {
                rank.log.ended(next);
            }
            rank.hasRead = false;
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

    private void keep(int rank, Entry entry) {
        synchronized (logs[rank]) {
            entry.write(logs[rank].log);
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
    public void takesUnseen(int rank) {
        keep(rank, log -> log.takesUnseen(rank));
    }

    @Override
    public void notifiesUnseen(int rank) {
        keep(rank, log -> log.notifiesUnseen(rank));
    }

    @Override
    public void views(int rank, long generation) {
        keep(rank, log -> log.views(rank, generation));
    }

    @Override
    public void uses(int rank, Use use) {
        RankLog mine = logs[rank];
        synchronized (mine) {
            boolean mayAcknowledge = use.write() && use.word() && mine.hasRead;
            if (use.flag() || mayAcknowledge || mine.log.size() > MOST_BYTES) {
                tell(mine, log -> log.uses(rank, use));
            } else {
                mine.log.uses(rank, use);
                mine.hasRead |= !use.write();
            }
        }
        look(mine);
    }

    @Override
    public void ended(long generation) {
        ended.add(generation); // by the thread that answers calls, which must not call
    }
}
