package org.pgas4j.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;

/**
 * Blocks of which all threads, warps and blocks send at once, as a program: {@code BlockCrowd [--blocks N] [--threads T] [--rounds R]
 * [--bytes B] [--forms F] [--proxy] [--each] [--anywhere] [--skip]}. F is a sum of 1 (threads), 2 (warps), 4 (blocks) and 8 (half of the warps by threads, the
 * others as warps). With {@code --each} every block sends to every block in each round; with {@code --anywhere} sources of puts are in memory that is not shared. With {@code --skip} one block leaves a barrier out, which has to be noticed in that launch.
 */
public final class BlockCrowd {

    private static final Map<String, String> OPTIONS = Map.of("blocks", "4", "threads", "64", "rounds", "20", "bytes", "8",
            "forms", "15", "proxy", "false", "each", "false", "anywhere", "false", "skip", "false", "heap", "16777216");
    private static final int WARP = 32;

    private BlockCrowd() {
    }

    public static void main(String[] args) {
        LitmusOptions options = new LitmusOptions(List.of(args), OPTIONS);
        Pgas.run(new PgasConfig().deviceHeap(options.count("heap", 1)).hostHeap(1 << 20), List.of(args), BlockCrowd::run);
    }

    /** Collective: fails on every rank if any check fails. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        if (options.flag("skip")) {
            skip(rank, options);
        } else if (options.flag("anywhere")) {
            anywhere(rank, options);
        } else {
            crowd(rank, options);
        }
    }

    private static DeviceGrid create(Rank rank, LitmusOptions options) {
        DeviceGrid.Options shape = DeviceGrid.Options.of((int) options.count("blocks", 1), (int) options.count("threads", WARP));
        return rank.createGrid(options.flag("proxy") ? shape.proxy() : shape);
    }

    private static void crowd(Rank rank, LitmusOptions options) {
        int perRank = (int) options.count("blocks", 1);
        int threads = (int) options.count("threads", WARP);
        int rounds = (int) options.count("rounds", 1);
        int bytes = (int) options.count("bytes", Long.BYTES);
        int forms = (int) options.count("forms", 1);
        boolean each = options.flag("each");
        int lanes = each ? 2 : threads + threads / WARP + 1;
        long all = (long) rank.ranks() * perRank;
        long region = (each ? 2 * all : all + 1) * lanes * bytes;
        SharedBytes base;
        SharedBytes errors;
        try (Scope _ = rank.onDevice()) {
            base = rank.allAllocBytes(Layout.replicated(), perRank * region);
            errors = rank.allAllocBytes(Layout.replicated(), (long) perRank * Integer.BYTES);
        }
        rank.memset(errors.pointer(), 0, (long) perRank * Integer.BYTES);
        rank.device().residentBlocks(each ? CrowdPrograms.EACH : CrowdPrograms.CROWD, threads); // compiles it
        rank.barrier();
        Check check = new Check(rank);
        try (DeviceGrid blocks = create(rank, options)) {
            for (int launch = 1; launch <= 2; launch++) { // counters and lanes go on where they were
                rank.barrier();
                long startNs = System.nanoTime();
                if (each) {
                    blocks.launch(CrowdPrograms.EACH, base.local(), region, errors.local(), rounds);
                } else {
                    blocks.launch(CrowdPrograms.CROWD, base.local(), region, errors.local(), rounds, bytes, forms, threads);
                }
                blocks.sync();
                double seconds = (System.nanoTime() - startNs) / 1e9;
                int[] wrong = read(rank, errors.local());
                for (int block = 0; block < perRank; block++) {
                    check.same(0, wrong[block], "errors of block " + block + " in launch " + launch);
                }
                double sent = (double) rounds * perRank * (each ? 2 * all : sendersOf(forms, threads));
                if (rank.rank() == 0) {
                    System.out.printf("crowd, launch %d: %.0f notified puts of each rank in %.3f s, %.0f a second and rank%n", launch,
                            sent, seconds, sent / seconds);
                }
            }
        }
        rank.allFree(errors);
        rank.allFree(base);
        long checks = check.finish("crowd");
        if (rank.rank() == 0) {
            System.out.println("crowd: " + checks + " checks passed, ranks=" + rank.ranks() + " processes=" + rank.processes()
                    + " device=" + rank.device().backend() + ", 0 wrong");
        }
    }

    private static void anywhere(Rank rank, LitmusOptions options) {
        int perRank = (int) options.count("blocks", 1);
        SharedBytes base;
        SharedBytes errors;
        try (Scope _ = rank.onDevice()) {
            base = rank.allAllocBytes(Layout.replicated(), perRank * 4096L);
            errors = rank.allAllocBytes(Layout.replicated(), (long) perRank * Integer.BYTES);
        }
        rank.memset(errors.pointer(), 0, (long) perRank * Integer.BYTES);
        rank.barrier();
        Check check = new Check(rank);
        Buffer own = rank.device().alloc(ElementType.BYTE, perRank * 1000L);
        try (DeviceGrid blocks = create(rank, options)) {
            blocks.launch(CrowdPrograms.ANYWHERE, base.local(), own, errors.local());
            blocks.sync();
            int[] wrong = read(rank, errors.local());
            for (int block = 0; block < perRank; block++) {
                check.same(0, wrong[block], "errors of block " + block);
            }
        }
        own.close();
        rank.allFree(errors);
        rank.allFree(base);
        long checks = check.finish("anywhere");
        if (rank.rank() == 0) {
            System.out.println("anywhere: " + checks + " checks passed, ranks=" + rank.ranks() + " device=" + rank.device().backend());
        }
    }

    private static int sendersOf(int forms, int threads) {
        int warps = threads / WARP;
        return ((forms & 1) != 0 ? threads : (forms & 8) != 0 ? (warps + 1) / 2 * WARP : 0)
                + ((forms & 2) != 0 ? warps : (forms & 8) != 0 ? warps / 2 : 0) + ((forms & 4) != 0 ? 1 : 0);
    }

    private static int[] read(Rank rank, Buffer block) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(block.bytes(), Long.BYTES);
            rank.stream().copy(Buffer.ofHost(segment, block.type()), block);
            rank.stream().sync();
            return segment.toArray(ValueLayout.JAVA_INT);
        }
    }

    /** Rank 0 notices in the launch in which its block 0 skips a barrier, and nobody in one without. */
    private static void skip(Rank rank, LitmusOptions options) {
        Check check = new Check(rank);
        DeviceGrid blocks = create(rank, options);
        blocks.launch(CrowdPrograms.SKIP, 0);
        blocks.sync();
        blocks.launch(CrowdPrograms.SKIP, 1);
        if (rank.rank() == 0) {
            check.refuses(CollectiveMismatchException.class, "different numbers of barriers", blocks::sync, "a barrier that one block skips");
        } else {
            blocks.sync();
        }
        long checks = check.finish("skip"); // the blocks stay: those of rank 0 have failed, and the others' close would wait for it
        if (rank.rank() == 0) {
            System.out.println("skip: " + checks + " checks passed, ranks=" + rank.ranks() + " device=" + rank.device().backend());
        }
    }
}
