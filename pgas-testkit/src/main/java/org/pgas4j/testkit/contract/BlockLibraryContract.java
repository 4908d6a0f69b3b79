package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Layout;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.RankCounters;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.testkit.program.GridOptions;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Contract of what the device library has beside notified puts, whichever device and however the blocks reach each other. */
@Command(name = "block-library", description = "Runs the contract of gets of blocks, their waits, prepared puts and splits.")
public final class BlockLibraryContract implements Program {

    private static final int LAUNCHES = 2;

    @Mixin
    private GridOptions grid;

    private Rank rank;
    private Tally check;

    @Override
    public PgasConfig config() {
        return new PgasConfig().deviceHeap((8L << 20) + grid.blocks * (512L << 10)).hostHeap(1 << 20);
    }

    @Override
    public void run(Rank self) {
        rank = self;
        check = new Tally(rank);
        SharedBytes sizes = device((long) GetPrograms.SIZES.length * Integer.BYTES);
        write(sizes.local(), GetPrograms.SIZES);
        exercise(GetPrograms.GETS, GetPrograms.REGION, BlockLibraryContract::nothing, sizes.local(), GetPrograms.SIZES.length);
        rank.allFree(sizes);
        exercise(WaitPrograms.WAITS, WaitPrograms.REGION, this::signal, WaitPrograms.ROUNDS);
        long region = SourcePrograms.region(rank.ranks() * grid.blocks);
        exercise(SourcePrograms.SOURCES, region, BlockLibraryContract::nothing, region, SourcePrograms.ROUNDS);
        exercise(RequestPrograms.REQUESTS, RequestPrograms.REGION, BlockLibraryContract::nothing, RequestPrograms.REGION,
                RequestPrograms.ROUNDS);
        privates();
        partners();
        long half = SplitPrograms.half(rank.ranks() * grid.blocks);
        exercise(SplitPrograms.SPLITS, 2 * half, BlockLibraryContract::nothing, half, SplitPrograms.ROUNDS);
        try (DeviceGrid blocks = rank.createGrid(LinePrograms.shape(grid.shape()))) {
            LinePrograms.check(rank, blocks, check);
        }
        StreamToBlocks.check(rank, grid.shape(), check);
        check.finish("contract block-library");
    }

    private static void nothing(DeviceGrid blocks) {
    }

    private SharedBytes device(long bytes) {
        try (Scope _ = rank.onDevice()) {
            return rank.allAllocBytes(Layout.replicated(), bytes);
        }
    }

    private void signal(DeviceGrid blocks) {
        for (int block = 0; block < grid.blocks; block++) {
            blocks.signal(blocks.firstRank() + block, WaitPrograms.HOST);
        }
    }

    /**
     * Runs a program twice on the same blocks, which count their errors; its first arguments are a region for each block and
     * the counts.
     *
     * @param meanwhile what the host does while they run
     */
    private void exercise(GridProgram program, long region, Consumer<DeviceGrid> meanwhile, Object... more) {
        SharedBytes base = device(grid.blocks * region);
        exercise(program, base.local(), meanwhile, more);
        rank.allFree(base);
    }

    private void exercise(GridProgram program, Buffer base, Consumer<DeviceGrid> meanwhile, Object... more) {
        exercise(grid.shape(), program, base, meanwhile, more);
    }

    private void exercise(DeviceGrid.Options options, GridProgram program, Buffer base, Consumer<DeviceGrid> meanwhile,
                          Object... more) {
        SharedBytes errors = device((long) grid.blocks * Integer.BYTES);
        rank.stream().fill(base, 0);
        rank.stream().fill(errors.local(), 0);
        rank.stream().sync();
        Object[] args = new Object[more.length + 2];
        args[0] = base;
        args[1] = errors.local();
        System.arraycopy(more, 0, args, 2, more.length);
        try (DeviceGrid blocks = rank.createGrid(options)) {
            blocks.compile(program);
            rank.barrier();
            for (int launch = 1; launch <= LAUNCHES; launch++) {
                blocks.launch(program, args);
                meanwhile.accept(blocks);
                blocks.sync();
                int[] wrong = read(errors.local());
                for (int block = 0; block < grid.blocks; block++) {
                    check.same(0, wrong[block], program.name() + ": errors of block " + block + " in launch " + launch);
                }
            }
        }
        rank.allFree(errors);
    }

    /** Windows over private memory: of the device's blocks, and of all where they use the same addresses or have registered it. */
    private void privates() {
        try (Buffer memory = rank.device().alloc(ElementType.BYTE, grid.blocks * PrivatePrograms.REGION)) {
            exercise(PrivatePrograms.PRIVATES, memory, BlockLibraryContract::nothing, PrivatePrograms.REGION, Comm.DEVICE.ordinal(),
                    PrivatePrograms.ROUNDS);
            if (rank.processes() == 1 && (!grid.proxy || rank.ranks() == 1)) {
                exercise(PrivatePrograms.PRIVATES, memory, BlockLibraryContract::nothing, PrivatePrograms.REGION, Comm.WORLD.ordinal(),
                        PrivatePrograms.ROUNDS);
            } else {
                refused(memory);
            }
            registered(memory);
        }
    }

    private void refused(Buffer memory) {
        DeviceGrid blocks = rank.createGrid(grid.shape());
        blocks.compile(PrivatePrograms.PRIVATES);
        rank.barrier();
        blocks.launch(PrivatePrograms.PRIVATES, memory, memory, PrivatePrograms.REGION, Comm.WORLD.ordinal(), 1);
        check.refuses(IllegalArgumentException.class, "Private memory of the device may be in windows of the device's blocks",
                blocks::sync, "a window of all blocks over private memory");
        rank.barrier();
        blocks.close();
    }

    /** The last rank registers nothing the first time, and has its windows in shared memory then. */
    private void registered(Buffer memory) {
        SharedBytes shared = device(grid.blocks * PrivatePrograms.REGION);
        SharedBytes errors = device((long) grid.blocks * Integer.BYTES);
        rank.stream().fill(errors.local(), 0);
        rank.stream().sync();
        try (DeviceGrid blocks = rank.createGrid(grid.shape())) {
            blocks.compile(PrivatePrograms.PRIVATES);
            if (rank.ranks() > 1 && (grid.proxy || rank.nodes() > 1)) {
                check.refuses(IllegalStateException.class, "through the host alone", () -> blocks.register(memory),
                        "private memory that the host would have to find");
            } else {
                for (Buffer own : new Buffer[] {rank.rank() == rank.ranks() - 1 ? null : memory, memory}) {
                    try (DeviceGrid.Registration _ = blocks.register(own)) {
                        blocks.launch(PrivatePrograms.PRIVATES, own == null ? shared.local() : own, errors.local(),
                                PrivatePrograms.REGION, Comm.WORLD.ordinal(), PrivatePrograms.ROUNDS);
                        blocks.sync();
                    }
                }
            }
            int[] wrong = read(errors.local());
            for (int block = 0; block < grid.blocks; block++) {
                check.same(0, wrong[block], "registered memory: errors of block " + block);
            }
        }
        rank.allFree(errors);
        rank.allFree(shared);
    }

    private void partners() {
        SharedBytes base = device(grid.blocks * PartnerPrograms.REGION);
        SharedBytes errors = device((long) grid.blocks * Integer.BYTES);
        long before = transfers();
        exercise(PartnerPrograms.shape(grid.shape(), rank), PartnerPrograms.PARTNERS, base.local(), BlockLibraryContract::nothing,
                PartnerPrograms.REGION, PartnerPrograms.ROUNDS, PartnerPrograms.NOBODY);
        int sides = (rank.rank() > 0 ? 1 : 0) + (rank.rank() < rank.ranks() - 1 ? 1 : 0);
        check.same(2L * LAUNCHES * PartnerPrograms.ROUNDS * sides * grid.blocks, transfers() - before, "puts and gets with partners");
        PartnerPrograms.refused(rank, grid.shape(), base.local(), errors.local(), check);
        rank.allFree(errors);
        rank.allFree(base);
    }

    /** Of blocks, with the ranks below and above. */
    private long transfers() {
        return rank.diagnostics().counters().traffic().stream().filter(line -> line.route().startsWith("blocks")
                && Math.abs(line.peer() - rank.rank()) == 1).mapToLong(RankCounters.Traffic::calls).sum();
    }

    private void write(Buffer block, int[] values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_INT, values);
            rank.stream().copy(block, Buffer.ofHost(segment, block.type()));
            rank.stream().sync();
        }
    }

    private int[] read(Buffer block) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(block.bytes(), Long.BYTES);
            rank.stream().copy(Buffer.ofHost(segment, block.type()), block);
            rank.stream().sync();
            return segment.toArray(ValueLayout.JAVA_INT);
        }
    }
}
