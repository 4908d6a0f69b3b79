package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Payload before flag. A sender puts the payload of pair i, 8 to 64 bytes that all say i, into slot i mod
 * {@value #SLOTS} of the receiver's host or device memory, then i into the slot's flag in the receiver's host memory. The
 * receiver takes the slots in turn: once it reads i in a flag, the payload must say i too. It puts back how far it has
 * come, so the sender never overwrites what was not looked at; and often the sender lets it come up first, so that it waits
 * for the very next flag. Both ends of a rank are worked on by its thread in turns; the receiver enters and leaves busy
 * sections at random, in which it reads its own memory but makes no call.
 */
final class Ordering {

    static final int SLOTS = 1024;
    private static final int SLOT_BYTES = 64;
    private static final int ACKNOWLEDGE_EVERY = 128;
    private static final int BURST = 64;
    private static final int PACED_BURST = 32;
    private static final long PATIENCE_NS = 50_000;
    private static final int BATCH = 64;
    private static final long MAX_IDLE_NS = 1_000_000;
    private static final long MAX_BUSY_NS = 200_000;
    private static final int SPINS = 100;
    private static final int REPORTED = 8;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle WORD = LONG.varHandle();

    private final Rank rank;
    private final int partner;
    private final String kinds;
    private final long seed;
    private final long pairs;
    private final boolean sends;
    private final boolean receives;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment sources = arena.allocate((long) SLOTS * SLOT_BYTES, SLOT_BYTES);
    private final MemorySegment flagSources = arena.allocate((long) SLOTS * Long.BYTES, Long.BYTES);
    private final MemorySegment deviceCopy = arena.allocate((long) SLOTS * SLOT_BYTES, SLOT_BYTES);
    private final MemorySegment acknowledgement = arena.allocate(Long.BYTES, Long.BYTES);
    private final SharedPointer[] payloads = new SharedPointer[2];
    private SharedPointer flags;
    private SharedPointer acknowledged;
    private SharedPointer acknowledgedThere;
    private MemorySegment localPayloads;
    private Buffer devicePayloads;
    private MemorySegment localFlags;
    private MemorySegment localAcknowledged;
    private final SharedPointer[][] payloadOf = new SharedPointer[2][SLOTS];
    private final SharedPointer[] flagOf = new SharedPointer[SLOTS];
    private final boolean[][] messages = new boolean[2][2];
    private Buffer deviceSource;
    private long sent;
    private boolean paced;
    private long pacedSinceNs;
    private long received;
    private long deviceCopied;
    private long random;
    private long violations;
    private long busySections;
    private long nextBusyNs = System.nanoTime();
    private boolean toAcknowledge;
    private boolean busy;

    /**
     * @param kinds {@code host}, {@code device} or {@code both}: where payloads go
     * @param sends true if this rank sends {@code pairs} pairs to its partner, whose number differs in the last bit
     */
    Ordering(Rank rank, String kinds, long seed, long pairs, boolean sends, boolean receives) {
        this.rank = rank;
        this.partner = rank.rank() ^ 1;
        this.kinds = kinds;
        this.seed = seed;
        this.pairs = pairs;
        this.sends = sends;
        this.receives = receives;
        this.random = RandomOpsPlan.mix(seed + rank.rank());
    }

    /** Collective; returns this rank's violations. */
    long run() {
        allocate();
        long start = System.nanoTime();
        long moved = start;
        int idle = 0;
        while (sends && sent < pairs || receives && received < pairs) {
            boolean any = sends && sendSome();
            if (receives) {
                any |= receiveSome();
                if (System.nanoTime() - nextBusyNs > 0) {
                    beBusy();
                    nextBusyNs = System.nanoTime() + nextRandom(MAX_IDLE_NS);
                }
            }
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
        if (receives) {
            acknowledge();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        rank.barrier();
        if (receives) {
            System.out.printf(Locale.ROOT, "ordering: pairs=%d violations=%d seconds=%.2f rank=%d from=%d kind=%s flag by "
                            + "%s payload by %s/%s busy sections=%d seed=%d ranks=%d processes=%d device=%s%n", received,
                    violations, seconds, rank.rank(), partner, kinds, route(MemoryKind.HOST, flags),
                    route(MemoryKind.HOST, payloads[0]), route(MemoryKind.HOST, payloads[1]), busySections, seed, rank.ranks(),
                    rank.processes(), rank.device().backend());
        }
        rank.allFree(payloads[0]);
        rank.allFree(payloads[1]);
        rank.allFree(flags);
        rank.allFree(acknowledged);
        deviceSource.close();
        arena.close();
        return violations;
    }

    private String route(MemoryKind local, SharedPointer base) {
        return rank.diagnostics().route(local, base.onRank(partner), Long.BYTES);
    }

    private void allocate() {
        payloads[0] = rank.allAlloc(rank.ranks(), (long) SLOTS * SLOT_BYTES);
        try (Scope _ = rank.onDevice()) {
            payloads[1] = rank.allAlloc(rank.ranks(), (long) SLOTS * SLOT_BYTES);
        }
        flags = rank.allAlloc(rank.ranks(), (long) SLOTS * Long.BYTES);
        acknowledged = rank.allAlloc(rank.ranks(), Long.BYTES);
        localPayloads = rank.local(payloads[0].onRank(rank.rank()));
        devicePayloads = rank.memory().local(payloads[1].onRank(rank.rank()), ElementType.BYTE, (long) SLOTS * SLOT_BYTES);
        localFlags = rank.local(flags.onRank(rank.rank()));
        localAcknowledged = rank.local(acknowledged.onRank(rank.rank()));
        for (int slot = 0; slot < SLOTS; slot++) {
            localFlags.set(LONG, (long) slot * Long.BYTES, -1);
            payloadOf[0][slot] = there(payloads[0], (long) slot * SLOT_BYTES);
            payloadOf[1][slot] = there(payloads[1], (long) slot * SLOT_BYTES);
            flagOf[slot] = there(flags, (long) slot * Long.BYTES);
        }
        localPayloads.asSlice(0, (long) SLOTS * SLOT_BYTES).fill((byte) -1);
        rank.stream().fill(devicePayloads, -1);
        rank.stream().sync();
        localAcknowledged.set(LONG, 0, 0);
        acknowledgedThere = there(acknowledged, 0);
        deviceSource = rank.device().alloc(ElementType.BYTE, SLOT_BYTES);
        for (MemoryKind local : MemoryKind.values()) {
            for (int kind = 0; kind < 2; kind++) {
                messages[local.ordinal()][kind] = isMessage(route(local, payloads[kind]))
                        && isMessage(route(MemoryKind.HOST, flags));
            }
        }
        rank.barrier();
    }

    private SharedPointer there(SharedPointer base, long offset) {
        return base.onRank(partner).cast(0, 1).plus(offset);
    }

    private static boolean isMessage(String route) {
        return route.equals("fastpath") || route.equals("rendezvous");
    }

    // ---- what both ends know of pair i

    private int kindOf(long pair) {
        return switch (kinds) {
            case "host" -> 0;
            case "device" -> 1;
            default -> (int) (RandomOpsPlan.mix(seed ^ pair) >>> 40 & 1);
        };
    }

    private int wordsOf(long pair) {
        return 1 + (int) (RandomOpsPlan.mix(seed ^ pair) & 7);
    }

    // ---- sending

    private boolean sendSome() {
        long seen = (long) WORD.getAcquire(localAcknowledged, 0L);
        if (paced && seen < sent && System.nanoTime() - pacedSinceNs < PATIENCE_NS) {
            return false;
        }
        long burst = paced ? 1 + nextRandom(PACED_BURST) : BURST;
        long end = Math.min(Math.min(sent + burst, seen + SLOTS), pairs);
        boolean any = sent < end;
        for (; sent < end; sent++) {
            send(sent);
        }
        paced = nextRandom(2) == 0;
        pacedSinceNs = System.nanoTime();
        return any;
    }

    private void send(long pair) {
        int slot = (int) (pair % SLOTS);
        int kind = kindOf(pair);
        int words = wordsOf(pair);
        long source = (long) slot * SLOT_BYTES;
        for (int word = 0; word < words; word++) {
            sources.set(LONG, source + (long) word * Long.BYTES, pair);
        }
        flagSources.set(LONG, (long) slot * Long.BYTES, pair);
        MemorySegment payload = sources.asSlice(source, (long) words * Long.BYTES);
        MemoryKind local = MemoryKind.HOST;
        switch ((int) (pair & 15)) {
            case 5, 9 -> rank.rma().put(payloadOf[kind][slot], payload, payload.byteSize(), Completion.IMPLICIT);
            case 3 -> {
                local = MemoryKind.DEVICE;
                Buffer block = deviceSource.slice(0, payload.byteSize());
                rank.stream().copy(block, Buffer.ofHost(payload, ElementType.BYTE));
                rank.stream().sync();
                rank.memput(payloadOf[kind][slot], block);
            }
            default -> rank.memput(payloadOf[kind][slot], payload, payload.byteSize());
        }
        if (!messages[local.ordinal()][kind]) {
            rank.fence();
        }
        rank.memput(flagOf[slot], flagSources.asSlice((long) slot * Long.BYTES, Long.BYTES), Long.BYTES);
        if (slot % (SLOTS / 4) == 0) {
            rank.rma().syncAll();
        }
    }

    // ---- receiving

    /** Looks at every slot whose flag is there, some at most. */
    private boolean receiveSome() {
        long end = arrived(BATCH);
        boolean any = received < end;
        if (!any && received > acknowledgement.get(LONG, 0)) {
            acknowledge();
        }
        while (received < end) {
            if (kindOf(received) == 1 && received >= deviceCopied) {
                copyFromDevice(end);
            }
            look(kindOf(received) == 0 ? localPayloads : deviceCopy);
        }
        return any;
    }

    /** The first pair whose flag is not there yet. */
    private long arrived(int most) {
        long pair = received;
        while (pair < pairs && pair < received + most && flag(pair) == pair) {
            pair++;
        }
        return pair;
    }

    private long flag(long pair) {
        return (long) WORD.getAcquire(localFlags, pair % SLOTS * Long.BYTES);
    }

    /** Copies the slots from the next pair to {@code end}, whose flags have been seen. */
    private void copyFromDevice(long end) {
        long last = Math.min(end, (received / SLOTS + 1) * SLOTS);
        long from = received % SLOTS * SLOT_BYTES;
        long bytes = (last - received) * SLOT_BYTES;
        if ((received & 1) == 0) {
            rank.stream().copy(Buffer.ofHost(deviceCopy.asSlice(from, bytes), ElementType.BYTE),
                    devicePayloads.slice(from, bytes));
            rank.stream().sync();
        } else {
            rank.memget(deviceCopy.asSlice(from, bytes), payloads[1].onRank(rank.rank()).cast(0, 1).plus(from), bytes);
        }
        deviceCopied = last;
    }

    /** Checks the payload of the next pair in {@code memory}. */
    private void look(MemorySegment memory) {
        long base = received % SLOTS * SLOT_BYTES;
        int words = wordsOf(received);
        for (int word = 0; word < words; word++) {
            long seen = memory.get(LONG, base + (long) word * Long.BYTES);
            if (seen != received) {
                if (violations++ < REPORTED) {
                    System.out.printf(Locale.ROOT, "ordering: VIOLATION rank=%d pair=%d kind=%s bytes=%d word %d says %d, "
                            + "the flag was seen; seed=%d%n", rank.rank(), received, MemoryKind.values()[kindOf(received)],
                            words * Long.BYTES, word, seen, seed);
                }
                break;
            }
        }
        if (++received % ACKNOWLEDGE_EVERY == 0) {
            toAcknowledge = true;
        }
        if (toAcknowledge && !busy) {
            acknowledge();
        }
    }

    private void acknowledge() {
        toAcknowledge = false;
        acknowledgement.set(LONG, 0, received);
        rank.memput(acknowledgedThere, acknowledgement, Long.BYTES);
    }

    /** Reads what arrives in host memory and calls nothing, for a random time. */
    private void beBusy() {
        busySections++;
        boolean marked = nextRandom(4) != 0;
        busy = true;
        try (Scope _ = marked ? rank.busy() : () -> { }) {
            long end = System.nanoTime() + nextRandom(MAX_BUSY_NS);
            while (System.nanoTime() - end < 0) {
                if (received < pairs && kindOf(received) == 0 && flag(received) == received) {
                    look(localPayloads);
                } else {
                    Thread.onSpinWait();
                }
            }
        } finally {
            busy = false;
        }
        if (toAcknowledge) {
            acknowledge();
        }
    }

    private long nextRandom(long bound) {
        random += 0x9E3779B97F4A7C15L;
        return Long.remainderUnsigned(RandomOpsPlan.mix(random), bound);
    }

    private void checkStall(long moved) {
        if (System.nanoTime() - moved > rank.timeout().toNanos()) {
            throw new PgasException("ordering: rank " + rank.rank() + " made no progress for " + rank.timeout()
                    + ": sent " + sent + " to rank " + partner + ", which acknowledged "
                    + (long) WORD.getAcquire(localAcknowledged, 0L) + "; received " + received + " of " + pairs + ", seed "
                    + seed);
        }
    }
}
