package org.pgas4j.runtime;

import org.pgas4j.Scope;

/** Runs an action at its first close. */
final class OnceScope implements Scope {

    private Runnable action;

    OnceScope(Runnable action) {
        this.action = action;
    }

    @Override
    public void close() {
        if (action != null) {
            Runnable now = action;
            action = null;
            now.run();
        }
    }
}
