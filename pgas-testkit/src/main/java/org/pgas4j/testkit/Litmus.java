package org.pgas4j.testkit;

import static org.pgas4j.testkit.LitmusPrograms.DATA;
import static org.pgas4j.testkit.LitmusPrograms.FIRST;
import static org.pgas4j.testkit.LitmusPrograms.LOOKED;
import static org.pgas4j.testkit.LitmusPrograms.OUT_AT;
import static org.pgas4j.testkit.LitmusPrograms.PART;
import static org.pgas4j.testkit.LitmusPrograms.WORDS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.Stream;
import org.pgas4j.Buffer;
import org.pgas4j.GridProgram;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Layout;
import org.pgas4j.Notifications;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.Window;

/**
 * A program for each guarantee. Each round moves new values to the next rank or block and looks at them as soon as the
 * notification is seen. Planted, every program has a broken twin: what should come before the notification is done after the
 * look, so every round must be found wrong. Used by the rank's thread; every method is collective.
 */
final class Litmus implements AutoCloseable {

    /** First of the tags by which hosts and blocks talk, one for each block of a rank; also the most blocks of a rank. */
    private static final int HOST_TAG = 64;
    private static final long BYTES = WORDS * 4L;

    private final Rank rank;
    private final Notifications notifications;
    private final DeviceGrid.Options options;
    private final int perRank;
    private final int rounds;
    private final boolean planted;
    private final int next;
    private final int previous;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment values;
    private final MemorySegment seen = arena.allocate(BYTES, Long.BYTES);
    private final SharedBytes base;
    private final SharedBytes hostBase;
    private final Meeting.Place place;

    Litmus(Rank rank, DeviceGrid.Options options, int rounds, boolean planted) {
        this.rank = rank;
        this.notifications = rank.notifications();
        this.options = options;
        this.perRank = options.perRank();
        this.rounds = rounds;
        this.planted = planted;
        this.next = (rank.rank() + 1) % rank.ranks();
        this.previous = (rank.rank() + rank.ranks() - 1) % rank.ranks();
        this.values = arena.allocate(perRank * BYTES, Long.BYTES);
        try (Scope _ = rank.onDevice()) {
            this.base = rank.allAllocBytes(Layout.replicated(), (long) perRank * PART);
        }
        try (Scope _ = rank.offDevice()) {
            this.hostBase = rank.allAllocBytes(Layout.replicated(), PART);
        }
        this.place = new Meeting.Place(rank);
    }

    /** Shared memory of either kind that a rank needs, bytes. */
    static long heapBytes(int ranks, int perRank) {
        return BlockContract.heapBytes(ranks, perRank) + (long) perRank * PART;
    }

    /** This rank's looks that found something wrong: words, and notifications that were not there. */
    long run(Guarantee guarantee) {
        rank.stream().fill(base.local(), 0);
        rank.stream().sync();
        rank.barrier();
        return switch (guarantee) {
            case COLLECTIVES -> collectives();
            case HOST_ORDER -> hostOrder(MemoryKind.HOST) + hostOrder(MemoryKind.DEVICE);
            case STREAM_ORDER -> streamOrder(false);
            case STREAM_VALUE -> streamOrder(true);
            case HOST_TO_BLOCK -> hostToBlock();
            case BLOCK_TO_HOST -> blockToHost();
            case TRIGGER -> trigger();
            default -> between(guarantee);
        };
    }

    private Window window(SharedBytes array) {
        return rank.createWindow(rank.world(), array.pointer().onRank(rank.rank()), array.local().bytes());
    }

    /** What {@code source} sends in a round, in the values of block {@code local}. */
    private MemorySegment fill(int round, int source, int local) {
        MemorySegment at = values.asSlice(local * BYTES, BYTES);
        LitmusPrograms.fill(at, round, source, WORDS);
        return at;
    }

    /** Wrong words at {@code from} bytes of this rank's memory, which may be the device's. */
    private long look(SharedBytes array, long from, int round, int source) {
        rank.memget(seen, array.pointer().onRank(rank.rank()).plus(from), BYTES);
        return LitmusPrograms.wrong(seen, round, source, WORDS);
    }

    private void looked() {
        notifications.signal(previous, LOOKED);
        notifications.await(LOOKED, 1);
    }

    // ---- hosts and streams

    private long collectives() {
        int forms = PutForm.values().length;
        Buffer out = base.local().slice(OUT_AT, BYTES);
        long wrong = 0;
        for (int round = 0; round < rounds; round++) {
            for (Meeting meeting : Meeting.values()) {
                // Every meeting sees every form and kind within as many rounds as there are of both.
                int number = round * Meeting.values().length + meeting.ordinal();
                PutForm form = PutForm.values()[number % forms];
                SharedBytes array = number / forms % 2 == 0 ? hostBase : base;
                Buffer source = Buffer.ofHost(fill(number, rank.rank(), 0), ElementType.BYTE);
                if (form.isFromDevice()) {
                    Memory.copyBlocks(rank, out, source);
                }
                if (!planted) {
                    form.start(rank, array.pointer().onRank(next), source, out);
                }
                Runnable undo = meeting.hold(place, number);
                wrong += look(array, 0, number, previous);
                looked();
                if (planted) {
                    form.start(rank, array.pointer().onRank(next), source, out);
                }
                rank.fence();
                undo.run();
            }
        }
        return wrong;
    }

    private long hostOrder(MemoryKind kind) {
        SharedBytes array = kind == MemoryKind.HOST ? hostBase : base;
        long wrong = 0;
        try (Window window = window(array)) {
            for (int round = 0; round < rounds; round++) {
                MemorySegment source = fill(round, rank.rank(), 0);
                if (!planted) {
                    window.put(next, 0, source, BYTES);
                    window.putNotify(next, BYTES, source, BYTES, FIRST);
                }
                window.signal(next, DATA);
                notifications.await(DATA, 1);
                boolean first = notifications.test(FIRST, 1);
                wrong += (first ? 0 : 1) + look(array, 0, round, previous) + look(array, BYTES, round, previous);
                looked();
                if (planted) {
                    window.put(next, 0, source, BYTES);
                    window.putNotify(next, BYTES, source, BYTES, FIRST);
                }
                if (!first) {
                    notifications.await(FIRST, 1);
                }
                window.flush();
            }
        }
        return wrong;
    }

    /** @param value the notification has a value, which is set and waited for by devices alone where they reach each other */
    private long streamOrder(boolean value) {
        org.pgas4j.Stream stream = rank.stream();
        Buffer source = base.local().slice(OUT_AT, BYTES);
        long wrong = 0;
        try (Window window = window(base)) {
            for (int round = 0; round < rounds; round++) {
                Buffer filled = Buffer.ofHost(fill(round, rank.rank(), 0), ElementType.BYTE);
                if (!planted) {
                    stream.copy(source, filled);
                }
                if (value) {
                    stream.putNotifySet(window, next, 0, planted ? source.slice(0, 0) : source, DATA, round + 1);
                    stream.awaitValue(DATA);
                } else {
                    stream.putNotify(window, next, 0, planted ? source.slice(0, 0) : source, DATA);
                    stream.awaitNotifications(DATA, 1);
                }
                stream.copy(Buffer.ofHost(seen, ElementType.BYTE), base.local().slice(0, BYTES));
                stream.sync();
                wrong += LitmusPrograms.wrong(seen, round, previous, WORDS);
                looked();
                if (planted) {
                    stream.copy(source, filled);
                    stream.put(window, next, 0, source);
                    stream.sync();
                }
            }
        }
        return wrong;
    }

    // ---- blocks

    /** What the host does while the blocks run; returns what it found wrong. */
    @FunctionalInterface
    private interface Meanwhile {
        long on(DeviceGrid blocks);
    }

    private long between(Guarantee guarantee) {
        return launch(guarantee.between(), _ -> 0, Stream.concat(Stream.of(planted ? 1 : 0), Stream.of(guarantee.more()))
                .toArray());
    }

    /** Launches with the arguments that all programs have, then {@code more}. */
    private long launch(GridProgram program, Meanwhile host, Object... more) {
        Buffer wrong = rank.device().alloc(ElementType.LONG, perRank);
        rank.stream().fill(wrong, 0);
        rank.stream().sync();
        long found;
        try (DeviceGrid blocks = rank.createGrid(options)) {
            blocks.launch(program, Stream.concat(Stream.of(base.local(), wrong, rounds), Stream.of(more)).toArray());
            found = host.on(blocks);
            blocks.sync();
        }
        MemorySegment counts = arena.allocate(ValueLayout.JAVA_LONG, perRank);
        Memory.copyBlocks(rank, Buffer.ofHost(counts, ElementType.LONG), wrong);
        for (int local = 0; local < perRank; local++) {
            found += counts.getAtIndex(ValueLayout.JAVA_LONG, local);
        }
        wrong.close();
        return found;
    }

    /** World number of a rank's block. */
    private int block(int host, int local) {
        return host * perRank + local;
    }

    private long hostToBlock() {
        try (Window window = window(base)) {
            return launch(LitmusPrograms.FROM_HOST, blocks -> {
                for (int round = 0; round < rounds; round++) {
                    for (int local = 0; local < perRank; local++) {
                        MemorySegment source = fill(round, block(next, local), local);
                        if (!planted) {
                            window.put(next, (long) local * PART, source, BYTES);
                        }
                        blocks.signal(block(next, local), DATA);
                    }
                    for (int local = 0; local < perRank; local++) {
                        notifications.await(HOST_TAG + local, 1);
                        if (planted) {
                            window.put(next, (long) local * PART, values.asSlice(local * BYTES, BYTES), BYTES);
                        }
                    }
                    window.flush();
                }
                return 0;
            }, previous, HOST_TAG);
        }
    }

    private long blockToHost() {
        return launch(LitmusPrograms.TO_HOST, blocks -> {
            long wrong = 0;
            for (int round = 0; round < rounds; round++) {
                for (int local = 0; local < perRank; local++) {
                    notifications.await(HOST_TAG + local, 1);
                    wrong += look(base, (long) local * PART, round, block(previous, local));
                    blocks.signal(block(previous, local), LOOKED);
                }
            }
            return wrong;
        }, planted ? 1 : 0, next, HOST_TAG);
    }

    private long trigger() {
        try (Window window = window(base);
                Prepared put = window.preparePutNotify(next, 0, base.local().slice(OUT_AT, BYTES), DATA)) {
            return launch(LitmusPrograms.TRIGGER, blocks -> {
                long wrong = 0;
                for (int round = 0; round < rounds; round++) {
                    notifications.await(DATA, 1);
                    wrong += look(base, 0, round, block(previous, 0));
                    blocks.signal(block(previous, 0), LOOKED);
                }
                return wrong;
            }, planted ? 1 : 0, put.id());
        }
    }

    @Override
    public void close() {
        place.close();
        rank.allFree(hostBase);
        rank.allFree(base);
        arena.close();
    }
}
