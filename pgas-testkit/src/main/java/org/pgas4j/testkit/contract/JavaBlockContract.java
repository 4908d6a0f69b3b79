package org.pgas4j.testkit.contract;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.KernelException;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Block programs written in Java: what they have, and how their faults end a launch. */
final class JavaBlockContract extends Contract {

    private static final int BLOCKS = 4;
    private static final int SHARED_BYTES = 256;
    private static final int ROUNDS = 9;
    private static final int NEVER = 99; // a tag without notifications
    private static final DeviceGrid.Options OPTIONS = DeviceGrid.Options.of(new Dims(2, 2, 1), new Dims(16, 4, 1)).shared(SHARED_BYTES);

    private SharedInts errors;

    JavaBlockContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        SharedBytes base;
        SharedLongs sums;
        try (Scope _ = Program.in(rank, MemoryKind.DEVICE)) {
            base = rank.allAllocBytes(Layout.replicated(), (long) BLOCKS * JavaBlockPrograms.REGION);
            errors = rank.allAllocInts(Layout.blocked(BLOCKS), (long) BLOCKS * rank.ranks());
            sums = rank.allAllocLongs(Layout.cyclic(), (long) BLOCKS * rank.ranks());
        }
        rank.stream().fill(errors.local(), 0);
        rank.stream().fill(sums.local(), 0);
        rank.stream().sync();
        rank.barrier();
        Buffer memory = base.local();
        Buffer wrong = errors.local();
        try (DeviceGrid grid = rank.createGrid(OPTIONS)) {
            programs(grid, memory, wrong);
            launch(grid, "memory", self -> JavaBlockPrograms.memory(memory, wrong, sums, self));
            talk(grid);
        }
        if (rank.ranks() > 1) {
            try (DeviceGrid grid = rank.createGrid(OPTIONS.proxy())) {
                programs(grid, memory, wrong);
            }
        }
        faults(memory);
        rank.allFree(sums);
        rank.allFree(errors);
        rank.allFree(base.pointer().onRank(0));
    }

    private void programs(DeviceGrid grid, Buffer memory, Buffer wrong) {
        launch(grid, "puts", self -> JavaBlockPrograms.puts(memory, wrong, ROUNDS, self));
        launch(grid, "gets", self -> JavaBlockPrograms.gets(memory, wrong, self));
        launch(grid, "words", self -> JavaBlockPrograms.words(memory, wrong, ROUNDS, self));
        launch(grid, "tags", self -> JavaBlockPrograms.tags(wrong, self));
        launch(grid, "sources", self -> JavaBlockPrograms.sources(memory, wrong, ROUNDS, self));
        launch(grid, "requests", self -> JavaBlockPrograms.requests(memory, wrong, ROUNDS, self));
        launch(grid, "splits", self -> JavaBlockPrograms.splits(memory, wrong, self));
    }

    private void launch(DeviceGrid grid, String name, GridKernel program) {
        grid.launch(rank.stream(), program);
        grid.sync();
        for (int block = 0; block < BLOCKS; block++) {
            check.same(0, errors.get(errors.firstOn(rank.rank()) + block), "errors of block " + block + " of program " + name);
        }
    }

    private void talk(DeviceGrid grid) {
        List<String> lines = new CopyOnWriteArrayList<>();
        grid.logTo(line -> lines.add(line.text()));
        SharedBytes shown = rank.allAllocBytes(Layout.replicated(), 64);
        try (Window window = rank.createWindow(rank.world(), shown.pointer().onRank(rank.rank()), 64);
                Prepared prepared = window.prepareSignal(target(1), 2)) {
            int id = prepared.id();
            grid.launch(self -> JavaBlockPrograms.talk(id, self));
            grid.signal(grid.firstRank(), 1);
            rank.notifications().await(1, 1);
            rank.notifications().await(2, 1);
            grid.sync();
        }
        rank.allFree(shown.pointer().onRank(0));
        check.same(1, lines.size(), "lines of a log");
        check.that(lines.getFirst().contains("a block of \"Java\""), "line of a log: " + lines);
        check.that(grid.timerNanos(0, 3) > 0, "timer of block 0");
        lines.clear();
        grid.launch(self -> JavaBlockPrograms.lines(self));
        grid.sync();
        check.same(JavaBlockPrograms.linesOf(grid.perRank(), rank.device().backend() == Backend.HOST ? 1 : OPTIONS.threads() / 32),
                lines.stream().sorted().toList(), "lines that blocks print");
        grid.logTo(null);
    }

    /** Waits for what never comes, but for the last thread of block 0. */
    private static boolean waits(GridRank self) {
        if (self.rank(Comm.DEVICE) != 0) {
            self.awaitNotifications(NEVER, 1);
        }
        return self.thread() < self.threads() - 1;
    }

    private static void index(Buffer memory, long at, GridRank self) {
        if (!waits(self)) {
            memory.putInt(at, 1);
        }
        self.barrier(Comm.DEVICE);
    }

    private static void division(Buffer memory, int by, GridRank self) {
        if (!waits(self)) {
            memory.putInt(0, 7 / by);
        }
        self.awaitNotifications(NEVER, 1);
    }

    private static void thrown(GridRank self) {
        if (!waits(self)) {
            throw new IllegalStateException("not in this block");
        }
        self.sync();
        self.awaitNotifications(NEVER, 1);
    }

    private void faults(Buffer memory) {
        long end = memory.bytes() / 4;
        fails(IndexOutOfBoundsException.class, self -> index(memory, end, self));
        fails(ArithmeticException.class, self -> division(memory, 0, self));
        fails(IllegalStateException.class, JavaBlockContract::thrown);
        refusals(memory);
    }

    private void fails(Class<? extends Throwable> cause, GridKernel program) {
        DeviceGrid grid = rank.createGrid(OPTIONS);
        grid.compile(program); // not in the time of blocks that wait
        rank.barrier();
        grid.launch(program);
        check.refuses(KernelException.class, "block " + rank.rank() * BLOCKS, () -> {
            try {
                grid.sync();
            } catch (KernelException e) {
                check.same(cause, e.getCause().getClass(), "cause of " + e);
                throw e;
            }
        }, "a fault of a block: " + cause.getSimpleName());
        grid.close();
    }

    private void refusals(Buffer memory) {
        SharedInts onHost = rank.allAllocInts(Layout.even(), rank.ranks());
        try (DeviceGrid grid = rank.createGrid(OPTIONS)) {
            check.refuses(KernelRefusedException.class, "in host memory", () -> grid.launch(self -> onHost.put(self.block(), 1)),
                    "a shared array in host memory");
            check.refuses(KernelRefusedException.class, "use part(window, target)", () -> grid.launch(self -> self.ptr(0, 0)),
                    "memory as MemorySegment");
            grid.launch(self -> index(memory, 0, self));
            check.refuses(KernelRefusedException.class, "a field or a method of its object",
                    () -> grid.launch(self -> index(errors.local(), 0, self)), "a field");
            for (int block = 1; block < BLOCKS; block++) {
                grid.signal(grid.firstRank() + block, NEVER);
            }
            grid.sync();
        }
        rank.barrier();
        rank.allFree(onHost);
    }
}
