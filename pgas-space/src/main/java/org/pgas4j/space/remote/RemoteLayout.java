package org.pgas4j.space.remote;

/**
 * Memory of remote calls, at the same place of every rank's host segment: a ring of requests to the rank, and slots for results
 * of calls that it has made.
 *
 * <pre>
 *   tail      1 line                      requests for which a slot was taken; changed by callers, atomically
 *   requests  capacity slots:
 *             0 turn: i64 | 8 function: i32 | 12 from: i32 | 16 reply: i32 | 20 length: i32 | 24 arguments
 *   replies   capacity slots:
 *             0 done: i64 | 8 status: i32 | 12 length: i32 | 16 result
 *   failures  4 areas:
 *             0 taken: i64 | 8 what a function has thrown
 * </pre>
 *
 * Slot n mod capacity is free for request n if its turn is 2 n, and has it if its turn is 2 n + 1 (the bounded queue of D.
 * Vyukov, 1024cores.net, whose turns n and n + 1 need two slots or more). A reply slot is the caller's until it has made the
 * call, and the called rank's until that sets {@code done}. A rank whose function has thrown takes an area of the caller's, which
 * frees it; if all are taken, it puts as much as fits into the result.
 *
 * @param start    byte offset in the host segment
 * @param capacity slots of both kinds
 * @param maxBytes of arguments and of a result
 */
record RemoteLayout(long start, int capacity, long maxBytes) {

    static final long LINE = 128;

    static final long FUNCTION = Long.BYTES;
    static final long FROM = FUNCTION + Integer.BYTES;
    static final long REPLY = FROM + Integer.BYTES;
    static final long LENGTH = REPLY + Integer.BYTES;
    static final long ARGUMENTS = LENGTH + Integer.BYTES;

    static final long STATUS = Long.BYTES;
    static final long RESULT_LENGTH = STATUS + Integer.BYTES;
    static final long RESULT = RESULT_LENGTH + Integer.BYTES;

    static final int FAILURES = 4;
    static final long FAILURE = Long.BYTES;
    static final int FAILURE_BYTES = 8192;

    /** Reply slot of a call whose result nobody waits for. */
    static final int NO_REPLY = -1;

    /** Turn of a slot that is free for a request. */
    static long free(long number) {
        return 2 * number;
    }

    /** Turn of a slot that has a request. */
    static long taken(long number) {
        return 2 * number + 1;
    }

    private long slotBytes() {
        return Math.ceilDiv(ARGUMENTS + maxBytes, LINE / 2) * (LINE / 2);
    }

    long tail() {
        return start;
    }

    long request(long number) {
        return start + LINE + number % capacity * slotBytes();
    }

    long reply(int slot) {
        return start + LINE + (capacity + (long) slot) * slotBytes();
    }

    long failure(int area) {
        return reply(capacity) + (long) area * FAILURE_BYTES;
    }

    /** Bytes of each rank. */
    long bytes() {
        return failure(FAILURES) - start;
    }
}
