package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Notifications;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Window;

/**
 * What a notification promises. A sender puts the payload of pair i, words that all say i, into slot i mod {@value #SLOTS} of
 * its partner's host or device part and notifies, in one call or two, or with two tags one after the other. The receiver
 * consumes one notification for each pair, in their order: the payload must be there, and so must the first of two tags. It
 * gives slots back by notifications as well. Then the receiver reads a word with notified gets, and the sender changes it as
 * soon as it is notified: what was read must be the word before the change.
 */
final class NotificationOrdering {

    static final int SLOTS = 256;
    private static final int SLOT_BYTES = 64;
    private static final int CREDIT = 64;
    private static final int DATA_TAG = 0;
    private static final int FIRST_TAG = 1;
    private static final int CREDIT_TAG = 2;
    private static final int READ_TAG = 3;
    private static final int CHANGED_TAG = 4;
    private static final int GETS_PER_PAIR = 20;
    private static final int SPINS = 100;
    private static final int REPORTED = 8;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private final Rank rank;
    private final Notifications notifications;
    private final int partner;
    private final String kinds;
    private final long seed;
    private final long pairs;
    private final boolean sends;
    private final boolean receives;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment sources = arena.allocate((long) SLOTS * SLOT_BYTES, SLOT_BYTES);
    private final MemorySegment seen = arena.allocate(SLOT_BYTES, SLOT_BYTES);
    private final SharedPointer[] bases = new SharedPointer[2];
    private final Window[] windows = new Window[2];
    private Buffer deviceSource;
    private long sent;
    private long credited;
    private long received;
    private long violations;

    /**
     * @param kinds {@code host}, {@code device} or {@code both}: where payloads go
     * @param sends true if this rank sends {@code pairs} pairs to its partner, whose number differs in the last bit
     */
    NotificationOrdering(Rank rank, String kinds, long seed, long pairs, boolean sends, boolean receives) {
        this.rank = rank;
        this.notifications = rank.notifications();
        this.partner = rank.rank() ^ 1;
        this.kinds = kinds;
        this.seed = seed;
        this.pairs = pairs;
        this.sends = sends;
        this.receives = receives;
    }

    /** Collective; returns this rank's violations. */
    long run() {
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = kind == MemoryKind.DEVICE ? rank.onDevice() : rank.offDevice()) {
                bases[kind.ordinal()] = rank.alloc((long) SLOTS * SLOT_BYTES);
            }
            windows[kind.ordinal()] = rank.createWindow(rank.world(), bases[kind.ordinal()], (long) SLOTS * SLOT_BYTES);
        }
        deviceSource = rank.device().alloc(ElementType.BYTE, (long) SLOTS * SLOT_BYTES);
        long start = System.nanoTime();
        payloads();
        rank.barrier();
        long gets = Math.max(1, pairs / GETS_PER_PAIR);
        for (MemoryKind kind : MemoryKind.values()) {
            if (kinds.equals("both") || kinds.equals(kind.name().toLowerCase(Locale.ROOT))) {
                gets(windows[kind.ordinal()], bases[kind.ordinal()], gets);
            }
        }
        rank.barrier();
        if (receives) {
            System.out.printf(Locale.ROOT, "notifications: pairs=%d gets=%d violations=%d seconds=%.2f rank=%d from=%d kind=%s "
                            + "route %s/%s seed=%d ranks=%d processes=%d device=%s%n", received, gets, violations,
                    (System.nanoTime() - start) / 1e9, rank.rank(), partner, kinds, route(MemoryKind.HOST), route(MemoryKind.DEVICE),
                    seed, rank.ranks(), rank.processes(), rank.device().backend());
        }
        for (MemoryKind kind : MemoryKind.values()) {
            windows[kind.ordinal()].close();
            rank.free(bases[kind.ordinal()]);
        }
        deviceSource.close();
        arena.close();
        return violations;
    }

    private String route(MemoryKind kind) {
        return rank.diagnostics().route(MemoryKind.HOST, windows[kind.ordinal()].pointer(partner, 0), Long.BYTES);
    }

    private long mix(long pair) {
        return RandomOpsPlan.mix(seed ^ pair);
    }

    private MemoryKind kindOf(long pair) {
        return switch (kinds) {
            case "host" -> MemoryKind.HOST;
            case "device" -> MemoryKind.DEVICE;
            default -> MemoryKind.values()[(int) (mix(pair) >>> 40 & 1)];
        };
    }

    private int bytesOf(long pair) {
        return (1 + (int) (mix(pair) & 7)) * Long.BYTES;
    }

    private int formOf(long pair) {
        return (int) (mix(pair) >>> 50 & 7);
    }

    private void payloads() {
        long moved = System.nanoTime();
        int idle = 0;
        while (sends && sent < pairs || receives && received < pairs) {
            boolean any = false;
            while (sends && sent < pairs && sent - credited < SLOTS) {
                send(sent++);
                any = true;
            }
            while (sends && notifications.test(CREDIT_TAG, 1)) {
                credited += CREDIT;
                any = true;
            }
            for (int i = 0; receives && i < SLOTS && received < pairs && notifications.test(DATA_TAG, 1); i++) {
                look(received++);
                any = true;
            }
            if (any) {
                idle = 0;
                moved = System.nanoTime();
            } else if (++idle > SPINS) {
                Thread.yield();
                if (System.nanoTime() - moved > rank.timeout().toNanos()) {
                    throw new PgasException("notifications: rank " + rank.rank() + " made no progress for " + rank.timeout()
                            + ": sent " + sent + ", credited " + credited + ", received " + received + " of " + pairs
                            + ", seed " + seed);
                }
            }
        }
        // What is left of the credits is not missed by the next run.
        while (sends && credited < pairs / CREDIT * CREDIT) {
            notifications.await(CREDIT_TAG, 1);
            credited += CREDIT;
        }
    }

    private void send(long pair) {
        long at = pair % SLOTS * SLOT_BYTES;
        int bytes = bytesOf(pair);
        for (long word = 0; word < bytes; word += Long.BYTES) {
            sources.set(LONG, at + word, pair);
        }
        Window window = windows[kindOf(pair).ordinal()];
        MemorySegment source = sources.asSlice(at, bytes);
        switch (formOf(pair)) {
            case 0, 1 -> window.putNotify(partner, at, source, bytes, DATA_TAG);
            case 2 -> {
                Buffer block = deviceSource.slice(at, bytes);
                rank.stream().copy(block, Buffer.ofHost(source, ElementType.BYTE));
                rank.stream().sync();
                window.putNotify(partner, at, block, DATA_TAG);
            }
            case 3 -> {
                window.put(partner, at, source, bytes);
                notifications.signal(partner, FIRST_TAG);
                notifications.signal(partner, DATA_TAG);
            }
            case 4 -> {
                window.putNotify(partner, at, source, bytes, FIRST_TAG);
                window.signal(partner, DATA_TAG);
            }
            default -> {
                window.put(partner, at, source, bytes);
                window.signal(partner, DATA_TAG);
            }
        }
        if (pair % (SLOTS / 4) == 0) {
            window.flush();
        }
    }

    private void look(long pair) {
        MemoryKind kind = kindOf(pair);
        int bytes = bytesOf(pair);
        long at = pair % SLOTS * SLOT_BYTES;
        if ((formOf(pair) == 3 || formOf(pair) == 4) && !notifications.test(FIRST_TAG, 1)) {
            violation("pair " + pair + ": the second notification was there before the first");
        }
        rank.memget(seen.asSlice(0, bytes), bases[kind.ordinal()].plus(at), bytes);
        for (long word = 0; word < bytes; word += Long.BYTES) {
            if (seen.get(LONG, word) != pair) {
                violation("pair " + pair + " kind=" + kind + " bytes=" + bytes + ": a word says " + seen.get(LONG, word)
                        + ", the notification was seen");
                break;
            }
        }
        if ((pair + 1) % CREDIT == 0) {
            notifications.signal(partner, CREDIT_TAG);
        }
    }

    private void violation(String what) {
        if (violations++ < REPORTED) {
            System.out.println("notifications: VIOLATION rank=" + rank.rank() + " " + what + "; seed=" + seed);
        }
    }

    /** The even rank's word is read by the odd one. */
    private void gets(Window window, SharedPointer base, long gets) {
        boolean owner = rank.rank() % 2 == 0;
        if (owner) {
            word(base, 0);
            rank.fence();
        }
        rank.barrier();
        for (long i = 0; i < gets; i++) {
            if (owner) {
                notifications.await(READ_TAG, 1);
                word(base, i + 1);
                notifications.signal(partner, CHANGED_TAG);
            } else {
                window.getNotify(Buffer.ofHost(seen.asSlice(0, Long.BYTES), ElementType.BYTE), partner, 0, READ_TAG);
                window.flush(partner);
                if (seen.get(LONG, 0) != i) {
                    violation("get " + i + " kind=" + base.kind() + " read " + seen.get(LONG, 0)
                            + ": the owner was notified before it was read");
                }
                notifications.await(CHANGED_TAG, 1);
            }
        }
    }

    private void word(SharedPointer base, long value) {
        sources.set(LONG, 0, value);
        rank.memput(base, sources, Long.BYTES);
    }
}
