package org.pgas4j.space.transfer;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Handle;

/** The handle of several transfers: complete when all are. Used by the rank's thread. */
public final class HandleGroup implements Handle {

    private static final int MAX_OPEN = 1 << 10;

    private final Completions completions;
    private final List<Handle> open = new ArrayList<>();
    private Handle queued; // on the rank's own stream, where the last is complete after all before it

    /** An empty group, which is complete. */
    public HandleGroup(Completions completions) {
        this.completions = completions;
    }

    /** Adds the transfer that a token stands for; waits for the first where many are open. */
    public HandleGroup add(long token) {
        if (token > Completions.COMPLETE) {
            queued = completions.handle(token);
        } else if (token < Completions.COMPLETE) {
            add(completions.handle(token));
        }
        return this;
    }

    /** Adds a transfer; waits for the first where many are open. */
    void add(Handle handle) {
        if (open.size() >= MAX_OPEN) {
            open.forEach(Handle::sync);
            open.clear();
        }
        open.add(handle);
    }

    @Override
    public void sync() {
        open.forEach(Handle::sync);
        open.clear();
        if (queued != null) {
            queued.sync();
        }
    }

    @Override
    public boolean trySync() {
        open.removeIf(Handle::trySync);
        return open.isEmpty() && (queued == null || queued.trySync());
    }
}
