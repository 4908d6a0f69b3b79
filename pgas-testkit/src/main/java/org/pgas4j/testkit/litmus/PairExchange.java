package org.pgas4j.testkit.litmus;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.testkit.program.Mixer;

/**
 * Pairs of a payload and what follows it, between two ranks whose numbers differ in the last bit. The payload of pair i is 1 to 8
 * words that all hold i, in slot i mod the number of slots. Used by the rank's thread, which works on both ends in turns.
 */
abstract class PairExchange {

    static final int SLOT_BYTES = 64;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private static final int SPINS = 100;
    private static final int REPORTED = 8;

    final Rank rank;
    final int partner;
    final Ordering.Target target;
    final long seed;
    final long pairs;
    final boolean sends;
    final boolean receives;
    final int slots;
    final Arena arena = Arena.ofConfined();
    final MemorySegment sources;
    final Buffer deviceSource;
    long sent;
    long received;
    private long violations;

    /** @param sends true if this rank sends pairs to its partner */
    PairExchange(Rank rank, Ordering options, long seed, boolean sends, boolean receives, int slots) {
        this.rank = rank;
        this.partner = rank.rank() ^ 1;
        this.target = options.kind;
        this.seed = seed;
        this.pairs = options.pairs;
        this.sends = sends;
        this.receives = receives;
        this.slots = slots;
        this.sources = arena.allocate((long) slots * SLOT_BYTES, SLOT_BYTES);
        this.deviceSource = rank.device().alloc(ElementType.BYTE, (long) slots * SLOT_BYTES);
    }

    /** Collective; returns this rank's violations. */
    final long run() {
        open();
        rank.barrier();
        long start = System.nanoTime();
        long moved = start;
        int idle = 0;
        while (sends && sent < pairs || receives && received < pairs) {
            boolean any = sends && sendSome();
            any |= receives && receiveSome();
            if (any) {
                idle = 0;
                moved = System.nanoTime();
            } else {
                rank.progress();
                if (++idle > SPINS) {
                    Thread.yield();
                    checkStall(moved);
                } else {
                    Thread.onSpinWait();
                }
            }
        }
        String more = finish();
        double seconds = (System.nanoTime() - start) / 1e9;
        rank.barrier();
        if (receives) {
            System.out.printf(Locale.ROOT, "ordering: pairs=%d violations=%d seconds=%.2f rank=%d from=%d kind=%s %s seed=%d "
                            + "ranks=%d processes=%d device=%s%n", received, violations, seconds, rank.rank(), partner, target,
                            more, seed, rank.ranks(), rank.processes(), rank.device().backend());
        }
        close();
        deviceSource.close();
        arena.close();
        return violations;
    }

    /** Collective: allocates what both ends share. */
    abstract void open();

    /** Sends what the receiver has room for; false if nothing. */
    abstract boolean sendSome();

    /** Checks what has arrived; false if nothing. */
    abstract boolean receiveSome();

    /** Ends the exchange; returns further figures for the report. */
    abstract String finish();

    /** Pairs of this rank that its partner has said it has checked. */
    abstract long acknowledged();

    /** Collective: frees what {@link #open} allocated. */
    abstract void close();

    final MemoryKind kindOf(long pair) {
        return switch (target) {
            case HOST -> MemoryKind.HOST;
            case DEVICE -> MemoryKind.DEVICE;
            case BOTH -> MemoryKind.values()[(int) (Mixer.mix(seed ^ pair) >>> 40 & 1)];
        };
    }

    final int bytesOf(long pair) {
        return (1 + (int) (Mixer.mix(seed ^ pair) & 7)) * Long.BYTES;
    }

    final long offsetOf(long pair) {
        return pair % slots * SLOT_BYTES;
    }

    /** The payload of a pair in host memory. */
    final MemorySegment payload(long pair) {
        MemorySegment payload = sources.asSlice(offsetOf(pair), bytesOf(pair));
        for (long at = 0; at < payload.byteSize(); at += Long.BYTES) {
            payload.set(LONG, at, pair);
        }
        return payload;
    }

    /** The payload of a pair in device memory. */
    final Buffer devicePayload(long pair) {
        MemorySegment payload = payload(pair);
        Buffer buffer = deviceSource.slice(offsetOf(pair), payload.byteSize());
        rank.stream().copy(buffer, Buffer.ofHost(payload, ElementType.BYTE));
        rank.stream().sync();
        return buffer;
    }

    /** Checks the payload of a pair, which is at {@code offset}. */
    final void check(long pair, MemorySegment memory, long offset) {
        int bytes = bytesOf(pair);
        for (int at = 0; at < bytes; at += Long.BYTES) {
            long seen = memory.get(LONG, offset + at);
            if (seen != pair) {
                violation("pair " + pair + " kind=" + kindOf(pair) + " bytes=" + bytes + ": a word is " + seen
                        + ", what follows it was seen");
                break;
            }
        }
    }

    final void violation(String what) {
        if (violations++ < REPORTED) {
            System.out.println("ordering: VIOLATION rank=" + rank.rank() + " " + what + "; seed=" + seed);
        }
    }

    private void checkStall(long moved) {
        if (System.nanoTime() - moved > rank.timeout().toNanos()) {
            throw new PgasException("ordering: rank " + rank.rank() + " made no progress for " + rank.timeout() + ": sent " + sent
                    + " to rank " + partner + ", which acknowledged " + acknowledged() + "; received " + received + " of " + pairs
                    + ", seed " + seed);
        }
    }
}
