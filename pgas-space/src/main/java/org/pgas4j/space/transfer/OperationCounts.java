package org.pgas4j.space.transfer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.RankCounters;

/**
 * Number and bytes of the operations of one route. Those of fewer than {@value #SMALL} bytes are counted by their exact size, a
 * single addition; the others by size class, of which class c has 2^(c-1) to 2^c - 1 bytes, two additions. Written with plain
 * stores by the rank's thread, {@link #servicePut} by the service that is on; any thread reads.
 */
final class OperationCounts {

    private static final int SMALL = 64;
    private static final int SMALL_AT_ONCE = 16;
    private static final int WORDS = 2; // calls and bytes of each class
    private static final int CLASSES_AT_ONCE = 8;
    private static final long[] NONE = {};
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private long[] smallPuts = NONE; // calls of each size
    private long[] smallGets = NONE;
    private long[] smallAtomics = NONE;
    private long[] puts = NONE;
    private long[] gets = NONE;
    private long[] sets = NONE;
    private long[] atomics = NONE;
    private volatile long[] services = NONE;

    void put(long bytes) {
        long[] small = smallPuts;
        if (bytes >= 0 && bytes < small.length) {
            small[(int) bytes]++;
        } else {
            putSlowPath(bytes);
        }
    }

    private void putSlowPath(long bytes) {
        if (bytes < SMALL) {
            smallPuts = countedSmall(smallPuts, bytes);
        } else {
            puts = counted(puts, bytes);
        }
    }

    void get(long bytes) {
        long[] small = smallGets;
        if (bytes >= 0 && bytes < small.length) {
            small[(int) bytes]++;
        } else {
            getSlowPath(bytes);
        }
    }

    private void getSlowPath(long bytes) {
        if (bytes < SMALL) {
            smallGets = countedSmall(smallGets, bytes);
        } else {
            gets = counted(gets, bytes);
        }
    }

    void atomic(long bytes) {
        long[] small = smallAtomics;
        if (bytes >= 0 && bytes < small.length) {
            small[(int) bytes]++;
        } else {
            atomicSlowPath(bytes);
        }
    }

    private void atomicSlowPath(long bytes) {
        if (bytes < SMALL) {
            smallAtomics = countedSmall(smallAtomics, bytes);
        } else {
            atomics = counted(atomics, bytes);
        }
    }

    void set(long bytes) {
        sets = counted(sets, bytes);
    }

    /** Counts a put by a service. */
    void servicePut(long bytes) {
        services = counted(services, bytes); // volatile: services may be other threads, one after the other
    }

    private static int sizeClass(long bytes) {
        return Long.SIZE - Long.numberOfLeadingZeros(bytes);
    }

    private static long[] countedSmall(long[] small, long bytes) {
        long[] room = bytes < small.length ? small
                : grown(small, ((int) bytes / SMALL_AT_ONCE + 1) * SMALL_AT_ONCE);
        room[(int) bytes]++;
        return room;
    }

    private static long[] counted(long[] words, long bytes) {
        int at = WORDS * sizeClass(bytes);
        long[] room = at < words.length ? words
                : grown(words, WORDS * (sizeClass(bytes) / CLASSES_AT_ONCE + 1) * CLASSES_AT_ONCE);
        room[at]++;
        room[at + 1] += bytes;
        return room;
    }

    private static long[] grown(long[] words, int length) {
        long[] room = Arrays.copyOf(words, length);
        VarHandle.releaseFence(); // pairs with the dependent loads of readers: they see the words with the array
        return room;
    }

    /** Adds a line for each operation and size class that occurred. Any thread. */
    void look(int peer, String route, String reason, List<RankCounters.Traffic> into) {
        add(peer, route, "put", reason, smallPuts, puts, into);
        add(peer, route, "put", reason, NONE, services, into);
        add(peer, route, "get", reason, smallGets, gets, into);
        add(peer, route, "set", reason, NONE, sets, into);
        add(peer, route, "atomic", reason, smallAtomics, atomics, into);
    }

    private static void add(int peer, String route, String operation, String reason, long[] small, long[] words,
            List<RankCounters.Traffic> into) {
        long[] sums = new long[Math.max(words.length, WORDS * (sizeClass(SMALL - 1) + 1))];
        for (int bytes = 0; bytes < small.length; bytes++) {
            long calls = (long) WORD.getOpaque(small, bytes);
            sums[WORDS * sizeClass(bytes)] += calls;
            sums[WORDS * sizeClass(bytes) + 1] += calls * bytes;
        }
        for (int at = 0; at < words.length; at++) {
            sums[at] += (long) WORD.getOpaque(words, at);
        }
        for (int at = 0; at < sums.length; at += WORDS) {
            if (sums[at] != 0) {
                into.add(new RankCounters.Traffic(peer, route, operation, at == 0 ? 0 : 1L << at / WORDS - 1, sums[at],
                        sums[at + 1], reason));
            }
        }
    }
}
