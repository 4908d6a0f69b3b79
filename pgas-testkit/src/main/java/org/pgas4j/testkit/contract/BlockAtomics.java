package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import org.pgas4j.AtomicDomain;
import org.pgas4j.AtomicOp;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.GridOptions;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Atomic operations of all threads of all blocks on the same words of device memory, and of the hosts at the same time. The
 * blocks' program is in both forms, as a test of the device library for CUDA C++.
 */
@Command(name = "block-atomics", description = "Changes the same words by kernels and hosts at once and checks the sums.")
public final class BlockAtomics implements Program {

    private static final GridProgram ATOMICS = new GridProgram("atomics", BlockPrograms.read(BlockAtomics.class, "atomics.cu"),
            BlockAtomics::atomics);
    private static final int WINDOW = 64;
    private static final int HOST_ADDS = 200;
    private static final int HOST_ADDS_OF_HALF = 50;

    @Mixin
    private GridOptions grid;

    @InRange(min = 1)
    @Option(names = "--rounds", paramLabel = "R", description = "Operations of each kind by each thread; default: ${DEFAULT-VALUE}.")
    private int rounds = 100;

    @Override
    public PgasConfig config() {
        return new PgasConfig().deviceHeap((8L << 20) + grid.blocks * (64L << 10)).hostHeap(1 << 20);
    }

    @Override
    public void run(Rank rank) {
        Tally check = new Tally(rank);
        SharedBytes base;
        SharedBytes tickets;
        try (Scope _ = rank.onDevice()) {
            base = rank.allAllocBytes(Layout.replicated(), WINDOW * (long) rank.ranks());
            tickets = rank.allAllocBytes(Layout.replicated(), 8L * grid.blocks);
        }
        rank.stream().fill(base.local(), 0);
        rank.stream().fill(tickets.local(), 0);
        rank.stream().sync();
        rank.barrier();
        if (grid.proxy && rank.ranks() > 1) {
            refuse(rank, check, base, tickets);
        } else {
            long threads = rank.device().backend() == Backend.HOST ? 1 : grid.threads;
            all(rank, check, base, tickets, threads * grid.blocks * rank.ranks());
        }
        check.finish("contract block-atomics");
    }

    private void all(Rank rank, Tally check, SharedBytes base, SharedBytes tickets, long threads) {
        SharedPointer word = base.pointer().onRank(0).cast(0, 1);
        AtomicDomain doubles = rank.atomics().domain(ElementType.DOUBLE, Set.of(AtomicOp.ADD));
        long hostTickets = 0;
        try (DeviceGrid blocks = rank.createGrid(grid.shape())) {
            blocks.launch(ATOMICS, base.local(), tickets.local(), rounds);
            for (int i = 0; i < HOST_ADDS; i++) {
                hostTickets += rank.atomics().fetchAdd(word, 1);
            }
            for (int i = 0; i < HOST_ADDS_OF_HALF; i++) {
                doubles.apply(AtomicOp.ADD, word.plus(8), 0.5);
            }
            blocks.sync();
        }
        rank.barrier();
        long operations = threads * rounds;
        long adds = operations + (long) HOST_ADDS * rank.ranks();
        long sum = rank.allReduce(hostTickets + sum(rank, tickets), ReduceOp.SUM);
        check.same(adds, rank.atomics().get(word), "sum of all additions");
        check.same(adds * (adds - 1) / 2, sum, "sum of all tickets: each was given once");
        check.same(0.5 * (operations + (long) HOST_ADDS_OF_HALF * rank.ranks()),
                Double.longBitsToDouble(rank.atomics().get(word.plus(8))), "sum of doubles");
        long pair = rank.atomics().get(word.plus(16));
        check.same(0.5f * operations, Float.intBitsToFloat((int) pair), "sum of floats");
        check.same((int) (3 * operations), (int) (pair >>> 32), "sum of ints");
        check.same(0L, rank.atomics().get(word.plus(24)), "exclusive or twice");
        check.same(threads - 1, rank.atomics().get(word.plus(32)), "largest");
        check.same((double) (1 - threads) + 0.0, Double.longBitsToDouble(rank.atomics().get(word.plus(40))) + 0.0, "smallest");
        check.same((long) grid.blocks * rank.ranks(), rank.atomics().get(word.plus(48)), "compare-and-swap of each block");
        rank.barrier();
    }

    /** Expects atomic operations to be refused by name, since blocks reach each other through the host only. */
    private void refuse(Rank rank, Tally check, SharedBytes base, SharedBytes tickets) {
        // Blocks of rank 0 need nobody, and wait at the end for those that were refused.
        DeviceGrid blocks = rank.createGrid(grid.shape().timeout(Duration.ofSeconds(8)));
        blocks.launch(ATOMICS, base.local(), tickets.local(), 1);
        try {
            blocks.sync();
            check.that(rank.rank() == 0, "atomic operations through the host were not refused");
        } catch (PgasException e) {
            String text = String.valueOf(e.getMessage());
            check.that(text.contains(rank.rank() == 0 ? "" : "no atomic operations on memory of block 0 in window 0"),
                    "refusal: " + text);
        }
        blocks.close();
    }

    private static long sum(Rank rank, SharedBytes tickets) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(tickets.length(), 8);
            rank.memget(all, tickets.pointer().onRank(rank.rank()), tickets.length());
            long sum = 0;
            for (long at = 0; at < tickets.length(); at += 8) {
                sum += all.get(ValueLayout.JAVA_LONG, at);
            }
            return sum;
        }
    }

    private static long half(GridRank self, int window, long offset, ElementType type) {
        long bits = type == ElementType.DOUBLE ? Double.doubleToRawLongBits(0.5) : Float.floatToRawIntBits(0.5f);
        return self.atomic(window, 0, offset, type, AtomicOp.ADD, bits, 0);
    }

    private static void atomics(GridRank self, Kernel.Args args) {
        int w = self.createWindow(GridRank.Comm.WORLD, args.segment(0).asSlice(0, WINDOW));
        long id = self.rank(GridRank.Comm.WORLD);
        long sum = 0;
        for (int i = 0; i < args.intAt(2); i++) {
            sum += self.atomic(w, 0, 0, AtomicOp.ADD, 1);
            half(self, w, 8, ElementType.DOUBLE);
            half(self, w, 16, ElementType.FLOAT);
            self.atomic(w, 0, 20, ElementType.INT, AtomicOp.ADD, 3, 0);
            self.atomic(w, 0, 24, AtomicOp.XOR, id * 77 + i);
            self.atomic(w, 0, 24, AtomicOp.XOR, id * 77 + i);
            self.atomic(w, 0, 32, AtomicOp.MAX, id);
            self.atomic(w, 0, 40, ElementType.DOUBLE, AtomicOp.MIN, Double.doubleToRawLongBits(-id), 0);
        }
        long seen = self.atomic(w, 0, 48, AtomicOp.GET, 0);
        for (long found; (found = self.atomic(w, 0, 48, ElementType.LONG, AtomicOp.COMPARE_SWAP, seen + 1, seen)) != seen;) {
            seen = found;
        }
        args.segment(1).setAtIndex(ValueLayout.JAVA_LONG, self.rank(GridRank.Comm.DEVICE), sum);
        self.freeWindow(w);
    }
}
