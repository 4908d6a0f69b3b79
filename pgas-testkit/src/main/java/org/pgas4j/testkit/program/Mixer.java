package org.pgas4j.testkit.program;

/** Pseudo-random numbers as a function of their place in a sequence. */
public final class Mixer {

    /** Distance of the states of two numbers in sequence. */
    public static final long STEP = 0x9E3779B97F4A7C15L;

    private Mixer() {
    }

    /** Finalizer of SplitMix64. */
    public static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
