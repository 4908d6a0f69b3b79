package org.pgas4j.space.sync;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.pgas4j.PeerLostException;
import org.pgas4j.bootstrap.Losses;
import org.pgas4j.bootstrap.Losses.Loss;

/**
 * The losses of processes that a rank knows of, where the job goes on with {@code pgas.lost=event}: others end what it waits for.
 * Used by the rank's thread.
 */
public final class KnownLosses {

    private final Losses losses;
    private final Set<Loss> known = new HashSet<>();
    private int looked;
    private boolean quiet;

    public KnownLosses(Losses losses) {
        this.losses = losses;
    }

    /** @throws PeerLostException if a process was lost that the rank does not know of */
    void check() {
        if (losses.count() != looked && !quiet) {
            look();
        }
    }

    private void look() {
        List<Loss> all = losses.all();
        for (Loss loss : all) {
            if (!known.contains(loss)) {
                throw new PeerLostException(loss.cause().loss() + "; the job goes on (pgas.lost=event): Rank.survivors() makes a "
                        + "team of the ranks that live");
            }
        }
        looked = all.size();
    }

    /** Runs waits that no loss ends, because they are not for certain ranks. */
    public void quietly(Runnable waits) {
        quiet = true;
        try {
            waits.run();
        } finally {
            quiet = false;
        }
    }

    /** From now on the rank knows all losses up to now; those that it did not know before. */
    public List<Loss> learnAll() {
        return learn(losses.all());
    }

    /** From now on the rank knows these losses; those that it did not know before. */
    public List<Loss> learn(List<Loss> told) {
        List<Loss> more = new ArrayList<>();
        for (Loss loss : told) {
            if (known.add(loss)) {
                more.add(loss);
            }
        }
        return more;
    }

    /** The losses that the rank knows. */
    public List<Loss> known() {
        return losses.all().stream().filter(known::contains).toList();
    }
}
