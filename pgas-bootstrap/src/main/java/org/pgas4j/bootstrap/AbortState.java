package org.pgas4j.bootstrap;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The first failure of the job as this JVM knows it, and its listeners. Thread-safe. */
final class AbortState {

    private final List<Consumer<Abort>> listeners = new ArrayList<>();
    private volatile Abort first;

    Abort first() {
        return first;
    }

    /** Returns false if there was one before. */
    boolean set(Abort cause) {
        List<Consumer<Abort>> toCall;
        synchronized (this) {
            if (first != null) {
                return false;
            }
            first = cause;
            toCall = List.copyOf(listeners);
            listeners.clear();
            notifyAll();
        }
        if (!toCall.isEmpty()) {
            // a thread of its own: neither the connection nor a slow service may hold up the end
            Thread.ofPlatform().daemon().name("pgas-abort").start(() ->
                    toCall.forEach(listener -> listener.accept(cause)));
        }
        return true;
    }

    void listen(Consumer<Abort> listener) {
        synchronized (this) {
            if (first == null) {
                listeners.add(listener);
                return;
            }
        }
        listener.accept(first);
    }

    /** Waits until there is one, at most {@code ms}. */
    synchronized void await(long ms) {
        long deadlineNs = System.nanoTime() + ms * 1_000_000;
        boolean interrupted = false;
        for (long left = ms; first == null && left > 0; left = (deadlineNs - System.nanoTime()) / 1_000_000) {
            try {
                wait(left);
            } catch (InterruptedException _) {
                interrupted = true; // the end of the job does not depend on it; kept for the caller
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
