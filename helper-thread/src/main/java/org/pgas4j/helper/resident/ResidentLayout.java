package org.pgas4j.helper.resident;

/**
 * Layout of the page-locked memory that a rank and its resident block share. Offsets in bytes; a slot holds one request at a
 * time.
 *
 * <pre>{@code
 *    0  STARTED   number of the launch that serves now                   block writes
 *    8  PARKED    number of the last launch that has ended               block writes
 *  128  STOP      number of the launch that is to end                    any thread of the host writes
 *  256  requests  SLOTS x 32 words                                       rank writes
 *       answers   SLOTS x 32 words                                       block writes
 *       staging   SLOTS x maxBytes rounded up to 256                     the one that sends the bytes writes
 *
 *  word       data, 4 bytes | tag, 4 bytes
 *
 *  request    word 0       op | words << 8 | type << 16 | atomic << 24
 *             word 1       bytes
 *             word 2, 3    address, low and high half
 *             word 4..31   a put's bytes, up to 112; or operand, operand, comparand, comparand of an atomic operation
 *  answer     word 0       0
 *             word 1..     the bytes of a get up to 112, or what an atomic operation found
 * }</pre>
 *
 * Each word carries its tag, so that it is seen with its data or not at all, and no fence or second look is needed: the tag is
 * the number of the lap around the ring, from 1. These are the packets of NCCL's LL protocol. Longer transfers have their bytes
 * in the slot's staging memory, written before the request or the answer.
 */
final class ResidentLayout {

    /** Number of requests that may be under way. */
    static final int SLOTS = 32;

    /** Threads of the block: one warp polls and serves what is inline, all copy what is staged. */
    static final int THREADS = 128;

    /** Words of a request, and of an answer: one for each thread of a warp. */
    static final int WORDS = 32;

    /** Words of a request before a put's bytes. */
    static final int HEADER_WORDS = 4;

    /** Bytes of data in a word. */
    static final int WORD_DATA = 4;

    /** Largest put and get whose bytes are in the words themselves. */
    static final int INLINE_BYTES = (WORDS - HEADER_WORDS) * WORD_DATA;

    /** Laps after which tags begin again at 1; the memory of the ring is cleared then. */
    static final long LAPS = 0x7fff_ffff;

    static final int OP_PUT = 1;
    static final int OP_GET = 2;
    static final int OP_ATOMIC = 3;

    static final int STARTED = 0;
    static final int PARKED = 8;
    static final int STOP = 128;
    static final int REQUESTS = 256;
    static final int SLOT_BYTES = WORDS * Long.BYTES;
    static final int ANSWERS = REQUESTS + SLOTS * SLOT_BYTES;
    static final int STAGING = ANSWERS + SLOTS * SLOT_BYTES;

    /** The numbers of this layout as CUDA C++. */
    static final String CONSTANTS = define("SLOTS", SLOTS) + define("WORDS", WORDS) + define("HEADER_WORDS", HEADER_WORDS)
            + define("WORD_DATA", WORD_DATA) + define("INLINE_BYTES", INLINE_BYTES) + define("LAPS", LAPS)
            + define("OP_PUT", OP_PUT) + define("OP_GET", OP_GET) + define("STARTED", STARTED) + define("PARKED", PARKED)
            + define("STOP", STOP) + define("REQUESTS", REQUESTS) + define("ANSWERS", ANSWERS) + define("STAGING", STAGING)
            + define("SLOT_BYTES", SLOT_BYTES) + define("THREADS", THREADS);

    private static final int STAGING_ALIGNMENT = 256;

    private ResidentLayout() {
    }

    private static String define(String name, long value) {
        return "#define PGAS_RESIDENT_" + name + " " + value + "\n";
    }

    /** Bytes of a slot's staging memory. */
    static int stagingBytes(int maxBytes) {
        return Math.ceilDiv(maxBytes, STAGING_ALIGNMENT) * STAGING_ALIGNMENT;
    }

    /** Bytes of all the memory. */
    static long bytes(int maxBytes) {
        return STAGING + (long) SLOTS * stagingBytes(maxBytes);
    }

    /** Number of the slot of a request. */
    static int slot(long sequence) {
        return (int) (sequence % SLOTS);
    }

    /** Tag of a request's words, and of its answer's. */
    static int tag(long sequence) {
        return (int) (sequence / SLOTS % LAPS) + 1;
    }

    /** True if tags begin again with this request. */
    static boolean beginsAgain(long sequence) {
        return sequence % (SLOTS * LAPS) == 0;
    }

    /** A word. */
    static long word(int data, int tag) {
        return (long) tag << Integer.SIZE | data & 0xffff_ffffL;
    }

    /** Number of words that hold {@code bytes} bytes. */
    static int wordsOf(int bytes) {
        return Math.ceilDiv(bytes, WORD_DATA);
    }

    /** First word of a request. */
    static int head(int op, int words, int type, int atomic) {
        return op | words << 8 | type << 16 | atomic << 24;
    }
}
