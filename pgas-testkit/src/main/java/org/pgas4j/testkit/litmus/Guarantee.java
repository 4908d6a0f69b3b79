package org.pgas4j.testkit.litmus;

import java.util.Locale;
import org.pgas4j.GridProgram;

/** The guarantees of order, by the names of docs/notifications.md and docs/memory-model.md. */
enum Guarantee {

    /** All that ranks do together orders puts: those of all before it are there after it. */
    COLLECTIVES,
    /** Host: what was put and fenced before a fetching atomic operation is there for the rank that reads its value by one. */
    ATOMIC,
    /** Host: what the holder of a lock has put is there for the next holder. */
    LOCK,
    /** Host: what was put before a post is there for the rank whose wait it ends. */
    SEMAPHORE,
    /** Host: of ranks that each write, fence and read what the next writes, one at least reads the new value. */
    STORE_BUFFERING,
    /** Host: of two puts and two notifications to one target, all of the first is there when the second's is seen. */
    HOST_ORDER,
    /** Stream: a put comes after the stream's work before it, and is there after the target's stream has waited. */
    STREAM_ORDER,
    /** The same with values, which devices set and wait for by themselves. */
    STREAM_VALUE,
    /** A block's put comes before its notification. */
    PAYLOAD(LitmusPrograms.PAYLOAD, LitmusPrograms.WORDS),
    /** So does a payload that travels with the notification. */
    INLINE(LitmusPrograms.PAYLOAD, 2),
    /** So does one of hundreds of bytes, which travels as packets between GPUs. */
    PACKETS(LitmusPrograms.PAYLOAD, LitmusPrograms.WORDS - 3),
    /** So does one of several KiB, which is copied. */
    COPIED(LitmusPrograms.PAYLOAD, LitmusPrograms.OUT_AT / 4 - 3),
    /** A notified put has what all threads of its block wrote before it. */
    SOURCE(LitmusPrograms.SOURCE, LitmusPrograms.WORDS),
    /** A notification of a third block after a fence comes after puts in packets. */
    THIRD(LitmusPrograms.THIRD),
    /** Notified puts to one target are seen in the order started. */
    TWO_PUTS(LitmusPrograms.TWO_PUTS),
    /** So is one that a window counts by source: after its bytes, and after a small notified put before it. */
    BY_SOURCE(LitmusPrograms.BY_SOURCE),
    /** A plain put to the bytes of an inline payload comes after it. */
    SAME_BYTES(LitmusPrograms.SAME_BYTES, 2),
    /** And to those of packets. */
    SAME_PACKETS(LitmusPrograms.SAME_BYTES, LitmusPrograms.WORDS),
    /** Stores through {@code pgas_ptr} come before later notifications. */
    POINTER(LitmusPrograms.POINTER),
    /** Writes of a block to its own memory come before notifications after {@code pgas_fence}. */
    FENCE(LitmusPrograms.FENCE),
    /** A block that fences and notifies passes on what it has received. */
    PASS_ON(LitmusPrograms.PASS_ON),
    /** A barrier orders puts, inline payloads and stores of all. */
    BARRIER(LitmusPrograms.BARRIER, 2),
    /** And packets. */
    BARRIER_PACKETS(LitmusPrograms.BARRIER, LitmusPrograms.WORDS),
    /** A host's put comes before its notification of a block. */
    HOST_TO_BLOCK,
    /** A block's put comes before its notification of the host of the rank it went to. */
    BLOCK_TO_HOST,
    /** A prepared put moves what the block wrote before it triggered the put. */
    TRIGGER;

    private final GridProgram between;
    private final Object[] more;

    Guarantee(GridProgram between, Object... more) {
        this.between = between;
        this.more = more;
    }

    Guarantee() {
        this(null);
    }

    /** The program in which blocks alone take part; null if hosts or streams do, too. */
    GridProgram between() {
        return between;
    }

    /** Its arguments after those that all have. */
    Object[] more() {
        return more.clone();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
