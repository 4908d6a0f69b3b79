package org.pgas4j.runtime.blocks;

/**
 * Size of the rings of packets that a rank's blocks receive small notified puts in: one beside each of the first
 * channels of a block. A packet has 16 bytes for 8 bytes of payload. A ring has two halves, each for some puts of the
 * largest size; all of a rank's rings together take a bounded part of its heap.
 *
 * <pre>
 *   ring      half 0: packets of {@code 8 * capacity} bytes of payload | half 1: the same
 *   packet    4 bytes of payload, lap of the ring | 4 bytes of payload, lap
 * </pre>
 *
 * @param bytes largest payload that travels as packets; 0 if none does
 * @param count rings of a block
 */
record PacketRings(int bytes, int count) {

    /** No packets: payloads of more than 8 bytes are copied. */
    static final PacketRings NONE = new PacketRings(0, 0);
    /** A packet for each thread of a warp, which sends and unpacks them. */
    static final int MAX_BYTES = 256;
    /** Rings take this part of a rank's device heap at most. */
    static final int HEAP_SHARE = 32;
    /** Threads of a multiprocessor that have registers whatever a program with packets takes: 255 of 65,536 each. */
    private static final int THREADS = 256;
    private static final int MIN_CAPACITY = 64;
    private static final int MIN_COUNT = 2;
    private static final int PACKET_PAYLOAD = 8;
    private static final int WIRE_FACTOR = 2;
    private static final int HALVES = 2;
    private static final int PUTS_OF_HALF = 8;

    /**
     * Returns the rings for payloads of up to {@code bytes}, or of less where fewer than two rings of each block would
     * fit: none below 64 bytes.
     *
     * @param heapBytes device heap of a rank
     */
    static PacketRings of(long bytes, long heapBytes, int perRank) {
        long budget = heapBytes / HEAP_SHARE / perRank;
        for (long payload = Math.min(bytes, MAX_BYTES); payload > Long.BYTES; payload = capacity(payload) / 2) {
            long count = Math.min(budget / ringBytes(payload), BlockLayout.RINGS);
            if (count >= MIN_COUNT) {
                return new PacketRings((int) payload, (int) count);
            }
            if (capacity(payload) == MIN_CAPACITY) {
                break;
            }
        }
        return NONE;
    }

    /**
     * True if the blocks of a rank fit their multiprocessors even if each thread takes as many registers as there are. Programs with
     * packets take up to 90 more than without.
     */
    static boolean haveRegisters(int perRank, int threads, int multiprocessors) {
        return (long) threads * Math.ceilDiv(perRank, Math.max(1, multiprocessors)) <= THREADS;
    }

    private static long capacity(long bytes) {
        return Math.max(MIN_CAPACITY, Long.highestOneBit(2 * bytes - 1));
    }

    private static long ringBytes(long payload) {
        return HALVES * PUTS_OF_HALF * WIRE_FACTOR * capacity(payload);
    }

    /** Logarithm of the packets of a ring; 0 if there are none. */
    int shift() {
        return count == 0 ? 0 : Long.numberOfTrailingZeros(HALVES * PUTS_OF_HALF * capacity(bytes) / PACKET_PAYLOAD);
    }

    /** Bytes of all rings of a block. */
    long blockBytes() {
        return count == 0 ? 0 : count * ringBytes(bytes);
    }
}
