package org.pgas4j.runtime.notify;

import java.util.function.LongSupplier;
import org.pgas4j.helper.ProgressEngine;

/**
 * A bounded queue of descriptors that a service performs in order, as far as a gate is open. One thread writes, one at a time
 * performs.
 */
final class DescriptorRing implements ProgressEngine.Service {

    private static final int AT_ONCE = 64;

    private final Descriptor[] ring;
    private final DescriptorEngine performer;
    private final LongSupplier gate;
    private final Runnable done;
    private volatile long submitted;
    private volatile long performed;

    /**
     * @param capacity a power of two
     * @param gate     up to which descriptor, counted from 1, may be performed
     * @param done     runs after each
     */
    DescriptorRing(int capacity, DescriptorEngine performer, LongSupplier gate, Runnable done) {
        this.ring = new Descriptor[capacity];
        this.performer = performer;
        this.gate = gate;
        this.done = done;
    }

    boolean isFull() {
        return submitted - performed == ring.length;
    }

    /** The next descriptor, to be filled in; there is room. */
    Descriptor next() {
        int at = (int) (submitted & ring.length - 1);
        if (ring[at] == null) {
            ring[at] = new Descriptor();
        }
        return ring[at];
    }

    /** The descriptor that {@link #next} gave is complete; its number. */
    long submit() {
        submitted = submitted + 1; // one thread writes it
        return submitted;
    }

    long submitted() {
        return submitted;
    }

    long performed() {
        return performed;
    }

    @Override
    public boolean isUrgent() {
        return performed != submitted;
    }

    @Override
    public boolean poll() {
        long end = submitted;
        if (performed == end) {
            return false;
        }
        end = Math.min(end, gate.getAsLong());
        boolean any = false;
        for (int i = 0; i < AT_ONCE && performed < end && performer.perform(ring[(int) (performed & ring.length - 1)]); i++) {
            performed = performed + 1; // one thread at a time writes it
            done.run();
            any = true;
        }
        return any;
    }
}
