package org.pgas4j.testkit.litmus;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Notifications;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.Mixer;
import org.pgas4j.testkit.program.Program;

/**
 * Notifications after payloads, in one call or two, or with two tags one after the other. The receiver consumes one notification
 * for each pair, in their order: the payload must be there, and so must the first of two tags. It returns slots by notifications
 * as well. Then the receiver reads a word with notified gets, and the sender changes it as soon as it is notified: the value read
 * must be the one before the change.
 */
final class NotifiedPairs extends PairExchange {

    private static final int SLOTS = 256;
    private static final int CREDIT = 64;
    private static final int DATA_TAG = 0;
    private static final int FIRST_TAG = 1;
    private static final int CREDIT_TAG = 2;
    private static final int READ_TAG = 3;
    private static final int CHANGED_TAG = 4;
    private static final int GETS_PER_PAIR = 20;

    private final Notifications notifications;
    private final MemorySegment seen = arena.allocate(SLOT_BYTES, SLOT_BYTES);
    private final SharedPointer[] bases = new SharedPointer[2];
    private final Window[] windows = new Window[2];
    private long credited;

    NotifiedPairs(Rank rank, Ordering options, long seed, boolean sends, boolean receives) {
        super(rank, options, seed, sends, receives, SLOTS);
        this.notifications = rank.notifications();
    }

    @Override
    void open() {
        for (MemoryKind kind : MemoryKind.values()) {
            try (Scope _ = Program.in(rank, kind)) {
                bases[kind.ordinal()] = rank.alloc((long) SLOTS * SLOT_BYTES);
            }
            windows[kind.ordinal()] = rank.createWindow(rank.world(), bases[kind.ordinal()], (long) SLOTS * SLOT_BYTES);
        }
    }

    private int formOf(long pair) {
        return (int) (Mixer.mix(seed ^ pair) >>> 50 & 7);
    }

    @Override
    boolean sendSome() {
        boolean any = false;
        while (sent < pairs && sent - credited < SLOTS) {
            send(sent++);
            any = true;
        }
        while (notifications.test(CREDIT_TAG, 1)) {
            credited += CREDIT;
            any = true;
        }
        return any;
    }

    @Override
    boolean receiveSome() {
        boolean any = false;
        for (int i = 0; i < SLOTS && received < pairs && notifications.test(DATA_TAG, 1); i++) {
            look(received++);
            any = true;
        }
        return any;
    }

    @Override
    long acknowledged() {
        return credited;
    }

    @Override
    String finish() {
        // Credits that are left would be taken for those of the next run.
        while (sends && credited < pairs / CREDIT * CREDIT) {
            notifications.await(CREDIT_TAG, 1);
            credited += CREDIT;
        }
        rank.barrier();
        long gets = Math.max(1, pairs / GETS_PER_PAIR);
        for (MemoryKind kind : MemoryKind.values()) {
            if (target.includes(kind)) {
                gets(windows[kind.ordinal()], bases[kind.ordinal()], gets);
            }
        }
        return "gets=" + gets + " route " + route(MemoryKind.HOST) + "/" + route(MemoryKind.DEVICE);
    }

    private String route(MemoryKind kind) {
        return rank.diagnostics().route(MemoryKind.HOST, windows[kind.ordinal()].pointer(partner, 0), Long.BYTES);
    }

    @Override
    void close() {
        for (MemoryKind kind : MemoryKind.values()) {
            windows[kind.ordinal()].close();
            rank.free(bases[kind.ordinal()]);
        }
    }

    private void send(long pair) {
        long at = offsetOf(pair);
        int bytes = bytesOf(pair);
        Window window = windows[kindOf(pair).ordinal()];
        MemorySegment source = payload(pair);
        switch (formOf(pair)) {
            case 0, 1 -> window.putNotify(partner, at, source, bytes, DATA_TAG);
            case 2 -> window.putNotify(partner, at, devicePayload(pair), DATA_TAG);
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
        if ((formOf(pair) == 3 || formOf(pair) == 4) && !notifications.test(FIRST_TAG, 1)) {
            violation("pair " + pair + ": the second notification was there before the first");
        }
        int bytes = bytesOf(pair);
        rank.memget(seen.asSlice(0, bytes), bases[kindOf(pair).ordinal()].plus(offsetOf(pair)), bytes);
        check(pair, seen, 0);
        if ((pair + 1) % CREDIT == 0) {
            notifications.signal(partner, CREDIT_TAG);
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
