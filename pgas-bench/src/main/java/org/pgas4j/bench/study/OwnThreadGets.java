package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.lab.RequestParts;
import org.pgas4j.bench.result.ClockCost;

/**
 * Gets served by a thread of the program beside the owner's, as a program writes it that has no helper threads: the requester
 * writes a request to the owner's host segment, the thread copies from the device to there and answers, the requester reads. Both
 * are on one node. Each request carries the times of its parts, which both sides take from the one clock of the node.
 *
 * <p>The owner's host segment: 0 bytes:i64 | 8 sentNs:i64 | 64 request:i64 | 128 answer:i64 | 136 seenNs | 144 startNs |
 * 152 copiedNs | 160 answeredNs | 168 injectedNs | 256 data.
 */
final class OwnThreadGets implements AutoCloseable {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long BYTES = 0;
    private static final long SENT = 8;
    private static final long REQUEST = 64;
    private static final long ANSWER = 128;
    private static final long TIMES = 136;
    private static final int TIMES_COUNT = 5;
    private static final long DATA = 256;
    private static final long JOIN_MS = 10_000;

    /** Copies from the owner's device to a place of its host segment; used by the thread that serves. */
    interface Copy extends AutoCloseable {

        void run(MemorySegment into, long bytes);

        @Override
        void close();
    }

    private final Rank rank;
    private final SharedPointer shared;
    private final SharedPointer there;
    private final MemorySegment here;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment line;
    private final MemorySegment words;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile boolean closing;
    private Thread thread;
    private Copy copy;
    private long requests;

    /** Collective; for up to {@code bytes} bytes. Requests go to rank 1. */
    OwnThreadGets(Rank rank, long bytes) {
        this.rank = rank;
        try (Scope _ = rank.offDevice()) {
            shared = rank.allAlloc(rank.ranks(), DATA + bytes);
        }
        there = shared.onRank(1).cast(0, 1);
        here = rank.local(shared.onRank(rank.rank()));
        here.asSlice(0, DATA).fill((byte) 0);
        line = arena.allocate(TIMES - ANSWER + TIMES_COUNT * Long.BYTES, Long.BYTES);
        words = arena.allocate(2 * Long.BYTES, Long.BYTES);
        rank.barrier();
    }

    /** Starts the thread, on the owner. */
    void serve(Copy from, String inject) {
        copy = from;
        thread = Thread.ofPlatform().daemon().name("lab-own-thread").start(() -> {
            try {
                answer(new RequestParts(System::nanoTime, ClockCost.ns(), inject));
            } catch (Throwable e) { // told by close
                failure.set(e);
            }
        });
    }

    private void answer(RequestParts parts) {
        long answered = 0;
        while (!closing) {
            if ((long) WORD.getAcquire(here, REQUEST) == answered) { // pairs with the requester's put, after its fence
                Thread.onSpinWait();
                continue;
            }
            parts.begin();
            parts.delay(RequestParts.QUEUE_WAIT);
            time(0, parts.end(RequestParts.QUEUE_WAIT));
            parts.delay(RequestParts.WAKE_UP);
            time(1, parts.end(RequestParts.WAKE_UP));
            copy.run(here.asSlice(DATA), here.get(ValueLayout.JAVA_LONG, BYTES));
            parts.delay(RequestParts.COPY);
            time(2, parts.end(RequestParts.COPY));
            parts.delay(RequestParts.COMPLETION);
            time(3, parts.end(RequestParts.COMPLETION));
            time(4, parts.injectedNs());
            WORD.setRelease(here, ANSWER, ++answered); // pairs with the requester's get of the line
        }
    }

    private void time(int index, long ns) {
        here.set(ValueLayout.JAVA_LONG, TIMES + (long) index * Long.BYTES, ns);
    }

    /** On the requester: gets bytes to its device; fills in the parts of the request. Nanoseconds injected. */
    long get(Buffer target, RequestParts parts) {
        long sentNs = System.nanoTime();
        words.set(ValueLayout.JAVA_LONG, 0, target.bytes());
        words.set(ValueLayout.JAVA_LONG, Long.BYTES, sentNs);
        rank.memput(there.plus(BYTES), words, 2 * Long.BYTES);
        rank.fence();
        line.set(ValueLayout.JAVA_LONG, 0, ++requests);
        rank.memput(there.plus(REQUEST), line, Long.BYTES);
        rank.fence();
        awaitAnswer(sentNs);
        rank.memget(line, there.plus(ANSWER), line.byteSize());
        MemorySegment data = here.asSlice(DATA, target.bytes());
        rank.memget(data, there.plus(DATA), target.bytes());
        rank.stream().copy(target, Buffer.ofHost(data, ElementType.BYTE));
        rank.stream().sync();
        parts.sent(sentNs);
        for (int i = 0; i < RequestParts.INJECTABLE.size(); i++) {
            parts.end(RequestParts.INJECTABLE.get(i), line.getAtIndex(ValueLayout.JAVA_LONG, i + 1L));
        }
        parts.end(RequestParts.RETURN);
        return line.getAtIndex(ValueLayout.JAVA_LONG, TIMES_COUNT);
    }

    private void awaitAnswer(long sinceNs) {
        do {
            rank.memget(line, there.plus(ANSWER), Long.BYTES);
            if (System.nanoTime() - sinceNs > rank.timeout().toNanos()) {
                throw new PgasTimeoutException("own thread of rank 1 did not answer request " + requests + " of rank 0 in "
                        + rank.timeout() + "; raise pgas.timeout");
            }
        } while (line.get(ValueLayout.JAVA_LONG, 0) < requests);
    }

    /** Collective: ends the thread. */
    @Override
    public void close() {
        closing = true;
        rank.barrier();
        try {
            if (thread != null && !thread.join(Duration.ofMillis(JOIN_MS))) {
                throw new PgasException("own thread of rank " + rank.rank() + " did not end in " + JOIN_MS + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (copy != null) {
            copy.close();
        }
        if (failure.get() != null) {
            throw new PgasException("own thread of rank " + rank.rank() + " failed: " + failure.get(), failure.get());
        }
        arena.close();
        rank.allFree(shared);
    }
}
