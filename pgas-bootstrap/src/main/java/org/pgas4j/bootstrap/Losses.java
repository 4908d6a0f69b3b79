package org.pgas4j.bootstrap;

import java.util.ArrayList;
import java.util.List;

/** JVMs that were lost while their job goes on ({@code pgas.lost=event}), in the order in which all JVMs hear of them. Thread-safe. */
public final class Losses {

    /** No losses: of a job that ends with the first one, or of one JVM. */
    static final Losses NONE = new Losses();

    private volatile List<Loss> all = List.of();

    /**
     * JVMs that were lost together.
     *
     * @param first of them
     * @param end   of them
     */
    public record Loss(int first, int end, Abort cause) {

        public boolean has(int process) {
            return process >= first && process < end;
        }
    }

    synchronized void add(Loss loss) {
        List<Loss> more = new ArrayList<>(all);
        more.add(loss);
        all = List.copyOf(more);
    }

    /** Number of losses. Cheap: read in wait loops. */
    public int count() {
        return all.size();
    }

    /** All losses up to now. */
    public List<Loss> all() {
        return all;
    }

    /** True if a JVM was lost. */
    public boolean has(int process) {
        return all.stream().anyMatch(loss -> loss.has(process));
    }
}
