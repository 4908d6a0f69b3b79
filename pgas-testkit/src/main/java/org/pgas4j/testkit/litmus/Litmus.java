package org.pgas4j.testkit.litmus;

import static org.pgas4j.testkit.litmus.LitmusPrograms.DATA;
import static org.pgas4j.testkit.litmus.LitmusPrograms.FIRST;
import static org.pgas4j.testkit.litmus.LitmusPrograms.LOOKED;
import static org.pgas4j.testkit.litmus.LitmusPrograms.OUT_AT;
import static org.pgas4j.testkit.litmus.LitmusPrograms.PART;
import static org.pgas4j.testkit.litmus.LitmusPrograms.WORDS;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Notifications;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.UsageException;
import org.pgas4j.Window;
import org.pgas4j.testkit.contract.BlockContract;
import org.pgas4j.testkit.program.CollectiveForm;
import org.pgas4j.testkit.program.GridOptions;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.PutForm;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A program for each guarantee. Each round moves new values to the next rank or block and checks them as soon as the
 * notification is seen. Planted, every program has a broken twin: what should come before the notification, or what stands for
 * one, is done after the look, so every round must be found wrong. Used by the rank's thread; every method is collective.
 */
@Command(name = "litmus",
        description = "A program for each ordering guarantee of collectives, atomic operations, locks, semaphores and fences,"
        + " and of notifications between hosts, streams and kernels.")
public final class Litmus implements Program {

    /** First of the tags by which hosts and blocks talk, one for each block of a rank; also the most blocks of a rank. */
    private static final int HOST_TAG = 64;
    private static final int MAX_RANKS = 64;
    private static final long BYTES = WORDS * 4L;

    @Option(names = "--guarantee", paramLabel = "NAME", description = "${COMPLETION-CANDIDATES}; default: all.")
    private List<Guarantee> guarantees = List.of(Guarantee.values());

    @InRange(min = 1)
    @Option(names = "--rounds", paramLabel = "N", description = "Rounds of each; default: ${DEFAULT-VALUE}.")
    private int rounds = 1000;

    @Option(names = "--planted", description = "Breaks the order of each program; fails if a round was not found wrong.")
    private boolean planted;

    @Option(names = "--device", paramLabel = "NAME", description = "host, cuda or auto; default: that of the launcher.")
    private String device;

    @Mixin
    private GridOptions grid;

    private Rank rank;
    private Notifications notifications;
    private int perRank;
    private int next;
    private int previous;
    private Arena arena;
    private MemorySegment values;
    private MemorySegment seen;
    private SharedBytes base;
    private SharedBytes hostBase;
    private SharedWordPrograms words;

    @Override
    public PgasConfig config() {
        PgasConfig config = new PgasConfig().ranks(2).hostHeap(1 << 20)
                .deviceHeap(BlockContract.heapBytes(MAX_RANKS, grid.blocks) + (long) grid.blocks * PART);
        return device == null ? config : config.set(PgasKey.DEVICE, device);
    }

    /** The names of all guarantees. */
    public static List<String> guarantees() {
        return Arrays.stream(Guarantee.values()).map(Guarantee::toString).toList();
    }

    @Override
    public void run(Rank self) {
        if (grid.blocks > HOST_TAG) {
            throw new UsageException("--blocks " + grid.blocks + " (expected: 1.." + HOST_TAG + ")");
        }
        rank = self;
        notifications = rank.notifications();
        perRank = grid.blocks;
        next = (rank.rank() + 1) % rank.ranks();
        previous = (rank.rank() + rank.ranks() - 1) % rank.ranks();
        try (Scope _ = rank.onDevice()) {
            base = rank.allAllocBytes(Layout.replicated(), (long) perRank * PART);
        }
        try (Scope _ = rank.offDevice()) {
            hostBase = rank.allAllocBytes(Layout.replicated(), PART);
        }
        long failed = 0;
        try (Arena own = Arena.ofConfined()) {
            arena = own;
            values = arena.allocate(perRank * BYTES, Long.BYTES);
            seen = arena.allocate(BYTES, Long.BYTES);
            words = new SharedWordPrograms(rank, rounds, planted, hostBase, base, own, this::looked);
            failed = guarantees.stream().filter(guarantee -> !holds(guarantee)).count();
        }
        rank.allFree(hostBase);
        rank.allFree(base);
        if (failed > 0) {
            throw new PgasException("litmus: " + failed + (planted ? " broken programs were not noticed"
                    : " guarantees were violated"));
        }
    }

    private boolean holds(Guarantee guarantee) {
        long found = run(guarantee);
        long all = rank.allReduce(found, ReduceOp.SUM);
        // Every round of every rank is broken in a twin, and each is found wrong by a word at least.
        boolean good = planted ? rank.allReduce(found, ReduceOp.MIN) >= rounds : all == 0;
        if (rank.rank() == 0) {
            System.out.println("litmus " + guarantee + ": rounds=" + rounds + (planted ? " planted, noticed=" : " violations=")
                    + all + " ranks=" + rank.ranks() + " processes=" + rank.processes() + " device=" + rank.device().backend()
                    + (good ? "" : planted ? " NOT NOTICED" : " VIOLATED"));
        }
        return good;
    }

    /** This rank's looks that found something wrong: words, and notifications that were not there. */
    private long run(Guarantee guarantee) {
        rank.stream().fill(base.local(), 0);
        rank.stream().sync();
        rank.memset(hostBase.pointer().onRank(rank.rank()), 0, PART);
        rank.barrier();
        return switch (guarantee) {
            case COLLECTIVES -> collectives();
            case ATOMIC -> words.atomic();
            case LOCK -> words.lock();
            case SEMAPHORE -> words.semaphore();
            case STORE_BUFFERING -> words.storeBuffering();
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

    /** Payload of {@code source} in a round, in the values of block {@code local}. */
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
        CollectiveForm.Workspace workspace = new CollectiveForm.Workspace(rank);
        for (int round = 0; round < rounds; round++) {
            for (CollectiveForm collective : CollectiveForm.values()) {
                // Every collective sees every form and kind within as many rounds as there are of both.
                int number = round * CollectiveForm.values().length + collective.ordinal();
                PutForm form = PutForm.values()[number % forms];
                SharedBytes array = number / forms % 2 == 0 ? hostBase : base;
                Buffer source = Buffer.ofHost(fill(number, rank.rank(), 0), ElementType.BYTE);
                if (form.isFromDevice()) {
                    PatternMemory.copyBlocks(rank, out, source);
                }
                if (!planted) {
                    form.start(rank, array.pointer().onRank(next), source, out);
                }
                Runnable undo = collective.run(workspace, number);
                wrong += look(array, 0, number, previous);
                looked();
                if (planted) {
                    form.start(rank, array.pointer().onRank(next), source, out);
                }
                rank.fence();
                undo.run();
            }
        }
        workspace.close();
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

    /**
     * Streams of both kinds in turns.
     *
     * @param value the notification has a value, which is set and waited for by devices alone where they reach each other
     */
    private long streamOrder(boolean value) {
        Buffer source = base.local().slice(OUT_AT, BYTES);
        long wrong = 0;
        try (Window window = window(base); org.pgas4j.Stream prompt = rank.device().newLowLatencyStream()) {
            for (int round = 0; round < rounds; round++) {
                org.pgas4j.Stream stream = round % 2 == 0 ? rank.stream() : prompt;
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

    /** Part of the host while the blocks run; returns the number of wrong words. */
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
        try (DeviceGrid blocks = rank.createGrid(grid.shape())) {
            blocks.launch(program, Stream.concat(Stream.of(base.local(), wrong, rounds), Stream.of(more)).toArray());
            found = host.on(blocks);
            blocks.sync();
        }
        MemorySegment counts = arena.allocate(ValueLayout.JAVA_LONG, perRank);
        PatternMemory.copyBlocks(rank, Buffer.ofHost(counts, ElementType.LONG), wrong);
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
}
