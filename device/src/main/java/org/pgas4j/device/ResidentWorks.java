package org.pgas4j.device;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** The resident work of a family of devices, which calls that wait for running kernels suspend. Thread-safe. */
public final class ResidentWorks {

    private final CopyOnWriteArrayList<ResidentWork> works = new CopyOnWriteArrayList<>();

    /** A list without work. */
    public ResidentWorks() {
        // nothing to prepare
    }

    /** Adds work, which is suspended from the next call on. */
    public void add(ResidentWork work) {
        works.add(work);
    }

    /** Removes work that has ended. */
    public void remove(ResidentWork work) {
        works.remove(work);
    }

    /** Runs {@code call} while all work is suspended; returns its result. */
    public <T> T without(Supplier<T> call) {
        if (works.isEmpty()) {
            return call.get();
        }
        List<ResidentWork> suspended = List.copyOf(works); // the same ones are resumed
        suspended.forEach(ResidentWork::suspend);
        try {
            return call.get();
        } finally {
            suspended.forEach(ResidentWork::resume);
        }
    }

    /** Runs {@code call} as {@link #without(Supplier)}. */
    public void without(Runnable call) {
        without(() -> {
            call.run();
            return null;
        });
    }
}
