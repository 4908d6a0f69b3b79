package org.pgas4j.collective;

import java.util.function.IntFunction;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.fastpath.conduit.Endpoint;

/**
 * Calls of a team's collective operations on streams, in the order in which a member queues them, so that members notice calls
 * that differ when they synchronise, without a meeting of hosts. Each member has in its host segment
 *
 * <pre>
 *   0    calls queued
 *   8    {@value #KEPT} x 32 bytes: number of the call, hash of it and all before, {@link QueuedCall#word}, elements
 * </pre>
 *
 * which it alone writes. Two members compare the hash of the last call that both have queued. A record that is being replaced has
 * the number 0. A member that is {@value #KEPT} calls ahead of another one has replaced those that both have queued: they
 * compare when the other one has come nearer. Used by the rank's thread.
 */
public final class CallJournal {

    static final int KEPT = 128;
    /** Size in each member's host segment. */
    static final long BYTES = Long.BYTES + KEPT * 4L * Long.BYTES;

    private static final long RECORDS = Long.BYTES;
    private static final long RECORD_BYTES = 4L * Long.BYTES;
    private static final long HASH = Long.BYTES;
    private static final long WORD = 2L * Long.BYTES;
    private static final long COUNT = 3L * Long.BYTES;
    private static final long FACTOR = 0x9E3779B97F4A7C15L; // 2^64 divided by the golden ratio

    private final Group group;
    private final Endpoint[] endpoints;
    private final long[] starts;
    private final long[] compared; // with each member: the last call that was the same
    private final Endpoint own;
    private final long start;
    private long number;
    private long hash;
    private boolean closed;

    /**
     * @param endpoints of a member's host segment
     * @param starts    offset of a member's journal there
     */
    CallJournal(Group group, IntFunction<Endpoint> endpoints, IntFunction<Long> starts) {
        this.group = group;
        this.endpoints = new Endpoint[group.size()];
        this.starts = new long[group.size()];
        this.compared = new long[group.size()];
        for (int member = 0; member < group.size(); member++) {
            this.endpoints[member] = endpoints.apply(member);
            this.starts[member] = starts.apply(member);
        }
        this.own = this.endpoints[group.index()];
        this.start = this.starts[group.index()];
        for (long at = 0; at < BYTES; at += Long.BYTES) {
            own.putWordRelease(start + at, 0);
        }
    }

    private static long record(long call) {
        return RECORDS + (call & KEPT - 1) * RECORD_BYTES;
    }

    /**
     * Writes a call down, before any of it is queued.
     *
     * @param word  of {@link QueuedCall#word}
     * @param count elements
     * @throws IllegalStateException if the operations were closed: a graph that holds them is launched too late
     */
    public void add(long word, long count) {
        if (closed) {
            throw new IllegalStateException("collective operations on streams of rank " + group.world(group.index())
                    + " are closed; close a graph that holds " + QueuedCall.text(word, count) + " before them");
        }
        number++;
        hash = mix(mix(hash, word), count);
        long at = start + record(number);
        own.putWordRelease(at, 0); // release: each pairs with the acquire of the same word in differs
        own.putWordRelease(at + HASH, hash);
        own.putWordRelease(at + WORD, word);
        own.putWordRelease(at + COUNT, count);
        own.putWordRelease(at, number);
        own.putWordRelease(start, number);
    }

    private static long mix(long hash, long value) {
        long mixed = (hash ^ value) * FACTOR;
        return mixed ^ mixed >>> 32;
    }

    /**
     * Compares the calls that both this member and another one have queued; waits for none.
     *
     * @throws CollectiveMismatchException if they differ
     */
    public void compare() {
        if (closed) {
            return;
        }
        for (int i = 1; i < group.size(); i++) {
            int member = group.after(i);
            if (compared[member] < number) {
                compare(member);
            }
        }
    }

    private void compare(int member) {
        long last = Math.min(number, queued(member));
        if (last > compared[member] && isKept(member, last)) {
            if (differs(member, last, HASH)) {
                throw mismatch(member, last);
            }
            compared[member] = last;
        }
    }

    /** Calls that a member has queued. */
    private long queued(int member) {
        return endpoints[member].getWordAcquire(starts[member]);
    }

    private boolean isKept(int member, long call) {
        return number - call < KEPT && endpoints[member].getWordAcquire(starts[member] + record(call)) == call;
    }

    /** True if both have a word of a call, and it is not the same. */
    private boolean differs(int member, long call, long word) {
        long at = record(call) + word;
        // acquire: pairs with the releases in add; a word of a later call comes with another number
        boolean same = endpoints[member].getWordAcquire(starts[member] + at) == own.getWordAcquire(start + at);
        return !same && isKept(member, call);
    }

    /** Exception with the first call that differs, of those that are kept. */
    private CollectiveMismatchException mismatch(int member, long last) {
        long call = Math.max(compared[member], last - KEPT) + 1;
        while (call < last && !(differs(member, call, WORD) || differs(member, call, COUNT))) {
            call++;
        }
        boolean isFound = differs(member, call, WORD) || differs(member, call, COUNT);
        String mine = isFound ? call(group.index(), call) : "rank " + rank(group.index());
        String theirs = isFound ? call(member, call) : "rank " + rank(member);
        String calls = rank(group.index()) < rank(member) ? mine + "; " + theirs : theirs + "; " + mine;
        return new CollectiveMismatchException("the collective calls of the ranks on streams differ; " + calls
                + (isFound ? "" : ": a call before number " + call + ", of which no record is left"));
    }

    private int rank(int member) {
        return group.world(member);
    }

    private String call(int member, long call) {
        long at = starts[member] + record(call);
        return "rank " + rank(member) + ": call " + call + ", "
                + QueuedCall.text(endpoints[member].getWordAcquire(at + WORD), endpoints[member].getWordAcquire(at + COUNT));
    }

    /**
     * How far members have come, for the error of a late wait: those that have queued fewer calls than this one and the first that
     * each lacks, or, if there are none, the last call of this one and how many those ahead have queued. Empty without calls.
     */
    public String describeProgress() {
        if (closed || number == 0) {
            return "";
        }
        StringBuilder missing = new StringBuilder();
        StringBuilder further = new StringBuilder();
        for (int i = 1; i < group.size(); i++) {
            int member = group.after(i);
            long queued = queued(member);
            if (queued < number) {
                missing.append("; rank ").append(rank(member)).append(" has not queued call ").append(queued + 1);
                if (number - queued <= KEPT) {
                    missing.append(", here ").append(call(group.index(), queued + 1));
                }
            } else if (queued > number) {
                further.append("; rank ").append(rank(member)).append(" has queued ").append(queued).append(" calls");
            }
        }
        return missing.isEmpty() ? "; all members have queued the last call here, " + call(group.index(), number) + further
                : missing.toString();
    }

    /** True if the journal is used no more. */
    public boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
    }
}
