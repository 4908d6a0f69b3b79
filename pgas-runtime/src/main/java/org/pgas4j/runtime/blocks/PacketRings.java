package org.pgas4j.runtime.blocks;

/**
 * Size of the rings of packets that a rank's blocks receive small notified puts in: one beside each of the first
 * channels of a block. A packet has 16 bytes for 8 bytes of payload. A ring has two halves, each for two puts of the
 * largest size at least; all of a rank's rings together take a bounded part of its heap.
 *
 * <pre>
 *   ring      half 0: packets | half 1: as many
 *   packet    4 bytes of payload, lap of the ring | 4 bytes of payload, lap
 * </pre>
 *
 * @param bytes largest payload that travels as packets; 0 if none does
 * @param count rings of a block
 */
record PacketRings(int bytes, int count) {

    /** No packets: payloads of more than 8 bytes are copied. */
    static final PacketRings NONE = new PacketRings(0, 0);
    /** A packet for each thread of a block of {@link #MAX_THREADS}. */
    static final int MAX_BYTES = 4096;
    /** Rings take this part of a rank's device heap at most. */
    static final int HEAP_SHARE = 32;
    /** Threads of a multiprocessor that have registers whatever a program with packets takes: 255 of 65,536 each. */
    private static final int THREADS = 256;
    /** Threads of a block that has a multiprocessor for itself, whose programs are compiled to fit. */
    private static final int MAX_THREADS = 512;
    private static final int REGISTERS = 65536;
    private static final int MIN_CAPACITY = 64;
    /** Sent and unpacked by one warp; rings of a block for them, and for larger ones, which more of its neighbours should have. */
    private static final int SMALL = 256;
    private static final int MIN_COUNT_OF_SMALL = 2;
    private static final int MIN_COUNT = 4;
    private static final int PACKET_PAYLOAD = 8;
    private static final int WIRE_FACTOR = 2;
    private static final int HALVES = 2;
    private static final int MIN_PUTS_OF_HALF = 2;
    private static final int SMALL_PUTS_OF_HALF = 8;

    /**
     * Returns the rings for payloads of up to {@code bytes}, or of less where fewer than four rings of each block would
     * fit, two of small payloads: none below 64 bytes.
     *
     * @param heapBytes device heap of a rank
     */
    static PacketRings of(long bytes, long heapBytes, int perRank) {
        long budget = heapBytes / HEAP_SHARE / perRank;
        for (long payload = Math.min(bytes, MAX_BYTES); payload > Long.BYTES; payload = capacity(payload) / 2) {
            long count = Math.min(budget / ringBytes(payload), BlockLayout.RINGS);
            if (count >= (payload > SMALL ? MIN_COUNT : MIN_COUNT_OF_SMALL)) {
                return new PacketRings((int) payload, (int) count);
            }
            if (capacity(payload) == MIN_CAPACITY) {
                break;
            }
        }
        return NONE;
    }

    /**
     * True if the blocks of a rank fit their multiprocessors even if each thread takes as many registers as there are, or as
     * {@link #maxRegisters} lets it. Programs with packets take up to 90 more than without.
     */
    static boolean haveRegisters(int perRank, int threads, int multiprocessors) {
        return (long) threads * Math.ceilDiv(perRank, multiprocessors) <= THREADS
                || threads <= MAX_THREADS && perRank <= multiprocessors;
    }

    /** Registers that a thread of a program with packets may take; 0 if as many as there are. */
    static int maxRegisters(int threads) {
        return threads <= THREADS ? 0 : REGISTERS / MAX_THREADS;
    }

    private static long capacity(long bytes) {
        return Math.max(MIN_CAPACITY, Long.highestOneBit(2 * bytes - 1));
    }

    private static long ringBytes(long payload) {
        long half = Math.max(MIN_PUTS_OF_HALF * capacity(payload), SMALL_PUTS_OF_HALF * Math.min(capacity(payload), SMALL));
        return HALVES * WIRE_FACTOR * half;
    }

    /** Logarithm of the packets of a ring; 0 if there are none. */
    int shift() {
        return count == 0 ? 0 : Long.numberOfTrailingZeros(ringBytes(bytes) / (WIRE_FACTOR * PACKET_PAYLOAD));
    }

    /** Bytes of all rings of a block. */
    long blockBytes() {
        return count == 0 ? 0 : count * ringBytes(bytes);
    }
}
