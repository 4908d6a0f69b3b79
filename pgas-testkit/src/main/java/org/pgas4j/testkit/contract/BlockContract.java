package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.Layout;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.GridOptions;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Contract of blocks as ranks, whichever device they run on and however they reach each other. */
@Command(name = "block", description = "Runs the contract of blocks as ranks.")
public final class BlockContract implements Program {

    private static final int[] SIZES = {1, 2, 3, 4, 5, 8, 9, 16, 63, 64, 256, 1000, 4096, 16384};
    private static final int REGION = 8 * 16384;
    private static final int ORDER_REGION = 16384;
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final long NEAR_WRAP = (1L << 32) - 40;

    private static final int MAX_RANKS = 64;
    /** Payloads of 9 bytes up to 8 for each thread travel as packets, but those of 256 bytes do anyway and of 4 KiB the last. */
    private static final int MIN_PACKETS = 256;
    private static final int MAX_PACKETS = 4096;

    @Mixin
    private GridOptions grid;

    @InRange(min = 0)
    @Option(names = "--messages", paramLabel = "M", description = "Only order and loss: M notified puts of each block.")
    private long messages;

    @InRange(min = 0, max = 3)
    @Option(names = "--kind", paramLabel = "K",
            description = "Their payloads: 0: 4 bytes, 1: 8, 2: 64, 3: all in turn (default).")
    private int kind = 3;

    @InRange(min = 0, max = Integer.MAX_VALUE / 8)
    @Option(names = "--bursts", paramLabel = "B", description = "Only bursts of up to 8 notified puts of random sizes, which overlap:"
            + " B of each block.")
    private long bursts;

    @InRange(min = 0)
    @Option(names = "--heap", paramLabel = "BYTES", description = "Device heap, a part of which is for packets; default: as much as"
            + " the contract takes.")
    private long heap;

    private Rank rank;
    private Tally check;
    private int perRank;
    private int threads;

    @Override
    public PgasConfig config() {
        return new PgasConfig().deviceHeap(Math.max(heap, heapBytes(MAX_RANKS, grid.blocks))).hostHeap(1 << 20);
    }

    /** Device heap that the contract takes, bytes. */
    public static long heapBytes(int ranks, int perRank) {
        // Six sets of blocks fail and are kept.
        long bytes = (long) perRank * (BlockPrograms.PUTS_REGION + 7 * 50 * 1024) + (long) ranks * perRank * 5 * 1024 + (4 << 20);
        return bytes + bytes / 4; // rings of packets take a thirty-second part for each set
    }

    @Override
    public void run(Rank self) {
        rank = self;
        check = new Tally(rank);
        perRank = grid.blocks;
        threads = grid.threads;
        String more = "";
        if (bursts > 0) {
            bursts(bursts, 0);
            more = burstsDone();
        } else if (messages > 0) {
            order(kind, messages, 0);
            more = ", " + messages * perRank * rank.ranks() + " notified puts, 0 early, 0 lost";
        } else {
            exercise(0);
            exercise(NEAR_WRAP);
            exercise(-5);
            talk();
            order(3, 2000, 0);
            order(3, 500, NEAR_WRAP);
            bursts(10, 0);
            bursts(10, NEAR_WRAP);
            windows(1);
            windows(3);
            windows(DeviceGrid.Options.MAX_WINDOWS);
            refused();
            starved();
            exercise(0);
        }
        check.finish("contract block", more);
    }

    private String burstsDone() {
        int blocks = perRank * rank.ranks();
        int max = Math.min(MAX_PACKETS, Math.max(MIN_PACKETS, threads * Long.BYTES));
        long puts = 0;
        long packets = 0;
        for (int block = 0; block < blocks; block++) {
            long[] its = BlockPrograms.puts(block, (int) bursts, Long.BYTES + 1, max);
            puts += its[0];
            packets += its[1];
        }
        return ", " + bursts * blocks + " bursts of " + puts + " notified puts, " + packets + " of 9 to " + max + " bytes";
    }

    private DeviceGrid create(Duration timeout, long firstCount) {
        return create(timeout, firstCount, DeviceGrid.Options.DEFAULT_WINDOWS);
    }

    private DeviceGrid create(Duration timeout, long firstCount, int windows) {
        return PgasUnsafe.createGrid(rank, new DeviceGrid.Options(perRank, threads, timeout, null, grid.proxy, 0, null, null,
                windows, null), firstCount);
    }

    private SharedBytes device(long bytes) {
        try (Scope _ = rank.onDevice()) {
            return rank.allAllocBytes(Layout.replicated(), bytes);
        }
    }

    private void fill(Buffer block, int[] values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(block.bytes(), Long.BYTES);
            for (int i = 0; i < values.length; i++) {
                segment.setAtIndex(ValueLayout.JAVA_INT, i, values[i]);
            }
            rank.stream().copy(block, Buffer.ofHost(segment, block.type()));
            rank.stream().sync();
        }
    }

    private long[] read(Buffer block, ValueLayout layout) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(block.bytes(), Long.BYTES);
            rank.stream().copy(Buffer.ofHost(segment, block.type()), block);
            rank.stream().sync();
            long[] values = new long[(int) (block.bytes() / layout.byteSize())];
            for (int i = 0; i < values.length; i++) {
                values[i] = layout.byteSize() == Integer.BYTES ? segment.getAtIndex(ValueLayout.JAVA_INT, i)
                        : segment.getAtIndex(ValueLayout.JAVA_LONG, i);
            }
            return values;
        }
    }

    // ---- everything that moves and notifies, with counters that start at firstCount

    private void exercise(long firstCount) {
        SharedBytes base = device((long) perRank * REGION);
        SharedBytes errors = device((long) perRank * Integer.BYTES);
        SharedBytes sizes = device((long) SIZES.length * Integer.BYTES);
        fill(errors.local(), new int[perRank]);
        fill(sizes.local(), SIZES);
        rank.barrier();
        try (DeviceGrid blocks = create(null, firstCount)) {
            check.same(rank.ranks() * perRank, blocks.ranks(), "number of blocks");
            check.same(rank.rank() * perRank, blocks.firstRank(), "first block");
            // Twice on the same blocks: counters, channels and barriers go on where they were.
            for (int launch = 1; launch <= 2; launch++) {
                blocks.launch(BlockPrograms.EXERCISE, base.local(), errors.local(), sizes.local(), SIZES.length, 4, REGION);
                blocks.sync();
                check.that(blocks.isDone(), "done after sync");
                long[] wrong = read(errors.local(), ValueLayout.JAVA_INT);
                for (int block = 0; block < perRank; block++) {
                    check.same(0L, wrong[block], "errors of block " + block + " in launch " + launch + ", counters from "
                            + firstCount);
                }
            }
        }
        rank.allFree(sizes);
        rank.allFree(errors);
        rank.allFree(base);
    }

    // ---- as many windows as a grid has room for

    private void windows(int windows) {
        SharedBytes base = device(perRank * BlockPrograms.MANY_REGION);
        SharedBytes errors = device((long) perRank * Integer.BYTES);
        fill(errors.local(), new int[perRank]);
        rank.barrier();
        try (DeviceGrid blocks = create(null, 0, windows)) {
            for (int launch = 1; launch <= 2; launch++) {
                blocks.launch(BlockPrograms.MANY, base.local(), errors.local(), windows);
                blocks.sync();
            }
            long[] wrong = read(errors.local(), ValueLayout.JAVA_INT);
            for (int block = 0; block < perRank; block++) {
                check.same(0L, wrong[block], "errors of block " + block + " with " + windows + " windows");
            }
        }
        rank.allFree(errors);
        rank.allFree(base);
    }

    // ---- order and loss

    /** Notified puts with checked payloads between each block and its like on the next rank. */
    private void order(int payload, long count, long firstCount) {
        SharedBytes base = device((long) perRank * ORDER_REGION);
        SharedBytes seen = device(2L * perRank * Long.BYTES);
        fill(seen.local(), new int[0]);
        rank.barrier();
        try (DeviceGrid blocks = create(null, firstCount)) {
            blocks.launch(BlockPrograms.ORDER, base.local(), seen.local(), count, perRank, payload);
            blocks.sync();
            long[] found = read(seen.local(), ValueLayout.JAVA_LONG);
            for (int block = 0; block < perRank; block++) {
                check.same(0L, found[2 * block], "payloads of block " + block + " seen before they were there");
                check.same(0L, found[2 * block + 1], "notifications of block " + block + " lost or too many");
            }
        }
        rank.allFree(seen);
        rank.allFree(base);
    }

    /** Notified puts of random sizes, which overlap, from each block to its like on the next rank. */
    private void bursts(long count, long firstCount) {
        SharedBytes base = device((long) perRank * BlockPrograms.PUTS_REGION);
        SharedBytes seen = device(2L * perRank * Long.BYTES);
        fill(seen.local(), new int[0]);
        rank.barrier();
        try (DeviceGrid blocks = create(null, firstCount)) {
            blocks.launch(BlockPrograms.BURSTS, base.local(), seen.local(), count, perRank, BlockPrograms.PUTS_REGION);
            blocks.sync();
            long[] found = read(seen.local(), ValueLayout.JAVA_LONG);
            for (int block = 0; block < perRank; block++) {
                check.same(0L, found[2 * block], "bytes of block " + block + " that are not of the last put");
                check.same(0L, found[2 * block + 1], "too many notifications of block " + block);
            }
        }
        rank.allFree(seen);
        rank.allFree(base);
    }

    // ---- host and blocks

    private void talk() {
        int rounds = 20;
        try (DeviceGrid blocks = create(null, 0);
                SharedWindow shown = new SharedWindow();
                Prepared prepared = shown.window.prepareSignal((rank.rank() + 1) % rank.ranks(), 12)) {
            blocks.launch(BlockPrograms.TALK, rounds, prepared.id());
            for (int i = 0; i < rounds; i++) {
                blocks.signal(blocks.firstRank(), 7);
                rank.notifications().await(8, 1);
            }
            if (perRank > 1) {
                rank.notifications().await(9, rounds);
            }
            rank.notifications().await(12, 1);
            blocks.sync();
            check.that(blocks.timerNanos(0, 3) > 0, "timer of block 0");
            check.same(1, blocks.timerIntervals(0, 3).length, "intervals of the timer of block 0");
            check.same(0L, blocks.droppedLogLines(), "log lines dropped");
            check.same(0L, rank.notifications().available(8), "notifications left");
            check.refuses(IllegalArgumentException.class, "block=" + blocks.ranks(), () -> blocks.signal(blocks.ranks(), 1),
                    "a block there is not");
        }
    }

    private final class SharedWindow implements AutoCloseable {
        private final SharedBytes array = rank.allAllocBytes(Layout.replicated(), 64);
        private final Window window = rank.createWindow(rank.world(), array.pointer().onRank(rank.rank()), 64);

        @Override
        public void close() {
            window.close();
            rank.allFree(array);
        }
    }

    // ---- what must end with an exception

    private void refused() {
        SharedBytes base = device(64);
        DeviceGrid blocks = create(null, 0);
        blocks.launch(BlockPrograms.OVERREACH, base.local(), 56);
        check.refuses(IndexOutOfBoundsException.class, "windowBytes=64", blocks::sync, "a put beyond a window");
        check.refuses(IllegalStateException.class, "failed before", () -> blocks.launch(BlockPrograms.OVERREACH, base.local(), 0),
                "a launch on blocks that have failed");
        blocks.close();
        refused("no wait for -3 notifications of tag 17", BlockPrograms.STARVE, base.local(), 17, -3);
        refused("no timer 16 (expected: 0..15)", BlockPrograms.MISTIME, 16);
        refused("no window is left of the 8 of all blocks", BlockPrograms.CROWDED, base.local(), 9);
        refused("no window has the number 8", BlockPrograms.BEYOND, base.local(), 8);
        rank.allFree(base);
    }

    private void refused(String text, GridProgram program, Object... args) {
        DeviceGrid blocks = create(null, 0);
        blocks.launch(program, args);
        check.refuses(IllegalArgumentException.class, text, blocks::sync, text);
        blocks.close();
    }

    private void starved() {
        SharedBytes base = device(64);
        DeviceGrid blocks = create(SHORT, 0);
        blocks.compile(BlockPrograms.STARVE); // one rank's compiler is not to use up the other's deadline
        rank.barrier();
        blocks.launch(BlockPrograms.STARVE, base.local(), 17, 3);
        try {
            blocks.sync();
            check.that(false, "a wait for what no block sends: nothing was thrown");
        } catch (NotificationTimeoutException e) {
            check.same(rank.rank(), e.rank(), "rank of the timeout");
            check.same(rank.rank() * perRank, e.block(), "block of the timeout");
            check.same(0, e.window(), "window of the timeout");
            check.same(17, e.tag(), "tag of the timeout");
            check.same(3L, e.expected(), "expected of the timeout");
            check.same(1L, e.seen(), "seen of the timeout");
        }
        blocks.close();
        rank.allFree(base);
    }
}
