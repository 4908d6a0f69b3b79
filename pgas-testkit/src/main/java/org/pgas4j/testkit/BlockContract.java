package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Layout;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.Prepared;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.Window;

/** What blocks as ranks must do, whatever device they run on and whatever way they reach each other. */
public final class BlockContract {

    private static final int[] SIZES = {1, 2, 3, 4, 5, 8, 9, 16, 63, 64, 256, 1000, 4096, 16384};
    private static final int REGION = 8 * 16384;
    private static final int ORDER_REGION = 16384;
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final long NEAR_WRAP = (1L << 32) - 40;

    private final Rank rank;
    private final Check check;
    private final int perRank;
    private final int threads;
    private final boolean proxy;

    public BlockContract(Rank rank, Check check, int perRank, int threads, boolean proxy) {
        this.rank = rank;
        this.check = check;
        this.perRank = perRank;
        this.threads = threads;
        this.proxy = proxy;
    }

    /** Device heap that the contract takes, bytes. */
    public static long heapBytes(int ranks, int perRank) {
        return (long) perRank * (REGION + 3 * 48 * 1024) + (long) ranks * perRank * 3 * 1024 + (4 << 20); // two sets fail: kept
    }

    /** Collective. */
    public void run() {
        exercise(0);
        exercise(NEAR_WRAP);
        exercise(-5);
        talk();
        order(3, 2000, 0);
        order(3, 500, NEAR_WRAP);
        refused();
        starved();
        exercise(0);
    }

    private DeviceGrid create(Duration timeout, long firstCount) {
        return PgasUnsafe.createGrid(rank, new DeviceGrid.Options(perRank, threads, timeout, null, proxy), firstCount);
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
            // Twice on the same blocks: counters, lanes and barriers go on where they were.
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

    // ---- order and loss

    /**
     * Collective: notified puts with checked payloads between each block and the one {@code distance} further.
     *
     * @param kind 0: 4 bytes, 1: 8 bytes, 2: 64 bytes, 3: all in turn
     * @return messages of all blocks
     */
    public long order(int kind, long messages, long firstCount) {
        SharedBytes base = device((long) perRank * ORDER_REGION);
        SharedBytes seen = device(2L * perRank * Long.BYTES);
        fill(seen.local(), new int[0]);
        rank.barrier();
        try (DeviceGrid blocks = create(null, firstCount)) {
            blocks.launch(BlockPrograms.ORDER, base.local(), seen.local(), messages, perRank, kind);
            blocks.sync();
            long[] found = read(seen.local(), ValueLayout.JAVA_LONG);
            for (int block = 0; block < perRank; block++) {
                check.same(0L, found[2 * block], "payloads of block " + block + " seen before they were there");
                check.same(0L, found[2 * block + 1], "notifications of block " + block + " lost or too many");
            }
        }
        rank.allFree(seen);
        rank.allFree(base);
        return messages * perRank * rank.ranks();
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
        rank.allFree(base);
    }

    private void starved() {
        SharedBytes base = device(64);
        rank.device().residentBlocks(BlockPrograms.STARVE, threads); // compiles it: one rank's compiler is not to use up the other's deadline
        rank.barrier();
        DeviceGrid blocks = create(SHORT, 0);
        blocks.launch(BlockPrograms.STARVE, base.local(), 17, 3);
        try {
            blocks.sync();
            check.that(false, "a wait for what nobody sends: nothing was thrown");
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
