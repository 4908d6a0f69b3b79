package org.pgas4j.testkit.litmus;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.Mixer;
import org.pgas4j.testkit.program.SharedOptions;

/**
 * Flags after payloads. The sender puts the payload, then i into the slot's flag in the receiver's host memory, with a fence
 * between them unless both use messages. The receiver takes the slots in turn: once it reads i in a flag, the payload must hold i
 * too. It puts back how far it has come, so the sender never overwrites what was not checked; and often the sender lets it catch
 * up first, so that it waits for the very next flag. The receiver enters and leaves busy sections at random, in which it reads
 * its own memory but makes no call.
 */
final class FlaggedPairs extends PairExchange {

    private static final int SLOTS = 1024;
    private static final int ACKNOWLEDGE_EVERY = 128;
    private static final int BURST = 64;
    private static final int PACED_BURST = 32;
    private static final long PATIENCE_NS = 50_000;
    private static final int BATCH = 64;
    private static final long MAX_IDLE_NS = 1_000_000;
    private static final long MAX_BUSY_NS = 200_000;
    private static final VarHandle WORD = LONG.varHandle();

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
    private boolean paced;
    private long pacedSinceNs;
    private long deviceCopied;
    private long random;
    private long busySections;
    private long nextBusyNs = System.nanoTime();
    private boolean toAcknowledge;
    private boolean busy;

    FlaggedPairs(Rank rank, Ordering options, long seed, boolean sends, boolean receives) {
        super(rank, options, seed, sends, receives, SLOTS);
        this.random = Mixer.mix(seed + rank.rank());
    }

    @Override
    void open() {
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
        for (MemoryKind local : MemoryKind.values()) {
            for (int kind = 0; kind < 2; kind++) {
                messages[local.ordinal()][kind] = SharedOptions.isMessage(route(local, payloads[kind]))
                        && SharedOptions.isMessage(route(MemoryKind.HOST, flags));
            }
        }
    }

    @Override
    long acknowledged() {
        return (long) WORD.getAcquire(localAcknowledged, 0L);
    }

    @Override
    String finish() {
        if (receives) {
            acknowledge();
        }
        return "flag by " + route(MemoryKind.HOST, flags) + " payload by " + route(MemoryKind.HOST, payloads[0]) + "/"
                + route(MemoryKind.HOST, payloads[1]) + " busy sections=" + busySections;
    }

    @Override
    void close() {
        rank.allFree(payloads[0]);
        rank.allFree(payloads[1]);
        rank.allFree(flags);
        rank.allFree(acknowledged);
    }

    private String route(MemoryKind local, SharedPointer base) {
        return rank.diagnostics().route(local, base.onRank(partner), Long.BYTES);
    }

    private SharedPointer there(SharedPointer base, long offset) {
        return base.onRank(partner).cast(0, 1).plus(offset);
    }

    // ---- sending

    @Override
    boolean sendSome() {
        long seen = acknowledged();
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
        int kind = kindOf(pair).ordinal();
        MemoryKind local = MemoryKind.HOST;
        switch ((int) (pair & 15)) {
            case 5, 9 -> rank.rma().put(payloadOf[kind][slot], payload(pair), bytesOf(pair), Completion.IMPLICIT);
            case 3 -> {
                local = MemoryKind.DEVICE;
                rank.memput(payloadOf[kind][slot], devicePayload(pair));
            }
            default -> rank.memput(payloadOf[kind][slot], payload(pair), bytesOf(pair));
        }
        if (!messages[local.ordinal()][kind]) {
            rank.fence();
        }
        flagSources.set(LONG, (long) slot * Long.BYTES, pair);
        rank.memput(flagOf[slot], flagSources.asSlice((long) slot * Long.BYTES, Long.BYTES), Long.BYTES);
        if (slot % (SLOTS / 4) == 0) {
            rank.rma().syncAll();
        }
    }

    // ---- receiving

    /** Checks every slot whose flag is there, some at most; sometimes a busy section follows. */
    @Override
    boolean receiveSome() {
        long end = arrived(BATCH);
        boolean any = received < end;
        if (!any && received > acknowledgement.get(LONG, 0)) {
            acknowledge();
        }
        while (received < end) {
            if (kindOf(received) == MemoryKind.DEVICE && received >= deviceCopied) {
                copyFromDevice(end);
            }
            look(kindOf(received) == MemoryKind.HOST ? localPayloads : deviceCopy);
        }
        if (System.nanoTime() - nextBusyNs > 0) {
            beBusy();
            nextBusyNs = System.nanoTime() + nextRandom(MAX_IDLE_NS);
        }
        return any;
    }

    /** The first pair whose flag is not there yet. */
    private long arrived(int limit) {
        long pair = received;
        while (pair < pairs && pair < received + limit && flag(pair) == pair) {
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
        check(received, memory, offsetOf(received));
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
                if (received < pairs && kindOf(received) == MemoryKind.HOST && flag(received) == received) {
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
        random += Mixer.STEP;
        return Long.remainderUnsigned(Mixer.mix(random), bound);
    }
}
