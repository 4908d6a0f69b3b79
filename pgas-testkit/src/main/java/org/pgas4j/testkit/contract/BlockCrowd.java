package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.GridOptions;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Blocks of which all threads, warps and blocks send at once. */
@Command(name = "crowd", description = "Blocks of which all threads, warps and blocks send at once.")
public final class BlockCrowd implements Program {

    private static final int WARP = 32;

    @Mixin
    private GridOptions grid;

    @InRange(min = 1)
    @Option(names = "--rounds", paramLabel = "R", description = "Rounds of a launch; default: ${DEFAULT-VALUE}.")
    private int rounds = 20;

    @InRange(min = Long.BYTES)
    @Option(names = "--bytes", paramLabel = "B", description = "Bytes of a put; default: ${DEFAULT-VALUE}.")
    private int bytes = Long.BYTES;

    @InRange(min = 1)
    @Option(names = "--forms", paramLabel = "F", description = "Sum of 1 (threads send), 2 (warps), 4 (blocks) and 8 (half of the"
            + " warps by threads, the others as warps); default: ${DEFAULT-VALUE}.")
    private int forms = 15;

    @Option(names = "--each", description = "Every block sends to every block in each round.")
    private boolean each;

    @Option(names = "--anywhere", description = "Puts from memory that is not shared.")
    private boolean anywhere;

    @Option(names = "--skip", description = "One block leaves a barrier out, which that launch must report.")
    private boolean skip;

    @InRange(min = 1)
    @Option(names = "--heap", paramLabel = "BYTES", description = "Shared device memory; default: ${DEFAULT-VALUE}.")
    private long heap = 16_777_216;

    private Rank rank;

    @Override
    public PgasConfig config() {
        return new PgasConfig().deviceHeap(heap).hostHeap(1 << 20);
    }

    @Override
    public void run(Rank self) {
        rank = self;
        if (skip) {
            skip();
        } else if (anywhere) {
            anywhere();
        } else {
            crowd();
        }
    }

    private SharedBytes device(long count) {
        try (Scope _ = rank.onDevice()) {
            return rank.allAllocBytes(Layout.replicated(), count);
        }
    }

    private void crowd() {
        int perRank = grid.blocks;
        int threads = grid.threads;
        if (threads < WARP) {
            throw new UsageException("--threads " + threads + " (expected: " + WARP + " or more)");
        }
        int lanes = each ? 2 : threads + threads / WARP + 1;
        long all = (long) rank.ranks() * perRank;
        long region = (each ? 2 * all : all + 1) * lanes * bytes;
        SharedBytes base = device(perRank * region);
        SharedBytes errors = device((long) perRank * Integer.BYTES);
        rank.memset(errors.pointer(), 0, (long) perRank * Integer.BYTES);
        Tally check = new Tally(rank);
        try (DeviceGrid blocks = rank.createGrid(grid.shape())) {
            blocks.compile(each ? CrowdPrograms.EACH : CrowdPrograms.CROWD);
            for (int launch = 1; launch <= 2; launch++) { // counters and channels go on where they were
                rank.barrier();
                long startNs = System.nanoTime();
                if (each) {
                    blocks.launch(CrowdPrograms.EACH, base.local(), region, errors.local(), rounds);
                } else {
                    blocks.launch(CrowdPrograms.CROWD, base.local(), region, errors.local(), rounds, bytes, forms, threads);
                }
                blocks.sync();
                double seconds = (System.nanoTime() - startNs) / 1e9;
                int[] wrong = read(errors.local());
                for (int block = 0; block < perRank; block++) {
                    check.same(0, wrong[block], "errors of block " + block + " in launch " + launch);
                }
                double sent = (double) rounds * perRank * (each ? 2 * all : senders(threads));
                if (rank.rank() == 0) {
                    System.out.printf("crowd, launch %d: %.0f notified puts of each rank in %.3f s, %.0f a second and rank%n",
                            launch, sent, seconds, sent / seconds);
                }
            }
        }
        rank.allFree(errors);
        rank.allFree(base);
        check.finish("crowd", ", 0 wrong");
    }

    private void anywhere() {
        int perRank = grid.blocks;
        SharedBytes base = device(perRank * 4096L);
        SharedBytes errors = device((long) perRank * Integer.BYTES);
        rank.memset(errors.pointer(), 0, (long) perRank * Integer.BYTES);
        rank.barrier();
        Tally check = new Tally(rank);
        Buffer own = rank.device().alloc(ElementType.BYTE, perRank * 1000L);
        try (DeviceGrid blocks = rank.createGrid(grid.shape())) {
            blocks.launch(CrowdPrograms.ANYWHERE, base.local(), own, errors.local());
            blocks.sync();
            int[] wrong = read(errors.local());
            for (int block = 0; block < perRank; block++) {
                check.same(0, wrong[block], "errors of block " + block);
            }
        }
        own.close();
        rank.allFree(errors);
        rank.allFree(base);
        check.finish("anywhere");
    }

    private int senders(int threads) {
        int warps = threads / WARP;
        return ((forms & 1) != 0 ? threads : (forms & 8) != 0 ? (warps + 1) / 2 * WARP : 0)
                + ((forms & 2) != 0 ? warps : (forms & 8) != 0 ? warps / 2 : 0) + ((forms & 4) != 0 ? 1 : 0);
    }

    private int[] read(Buffer block) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(block.bytes(), Long.BYTES);
            rank.stream().copy(Buffer.ofHost(segment, block.type()), block);
            rank.stream().sync();
            return segment.toArray(ValueLayout.JAVA_INT);
        }
    }

    /** Rank 0 notices in the launch in which its block 0 skips a barrier, and no rank in one without. */
    private void skip() {
        Tally check = new Tally(rank);
        DeviceGrid blocks = rank.createGrid(grid.shape());
        blocks.launch(CrowdPrograms.SKIP, 0);
        blocks.sync();
        blocks.launch(CrowdPrograms.SKIP, 1);
        if (rank.rank() == 0) {
            check.refuses(CollectiveMismatchException.class, "different numbers of barriers", blocks::sync,
                    "a barrier that one block skips");
        } else {
            blocks.sync();
        }
        check.finish("skip"); // the blocks stay: those of rank 0 have failed, and the others' close would wait for it
    }
}
