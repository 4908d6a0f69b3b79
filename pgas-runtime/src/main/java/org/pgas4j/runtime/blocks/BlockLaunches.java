package org.pgas4j.runtime.blocks;

import java.util.function.Supplier;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.device.StreamEvent;

/**
 * Launches of a rank's blocks, one after the other whatever their streams, and how they are ended. A stream counts them in the host
 * page when they begin and when they are done. Used by the rank's thread.
 */
final class BlockLaunches implements AutoCloseable {

    /**
     * Blocks see within microseconds that they have to end; those of a failed launch that go on computing are not
     * waited for.
     */
    private static final long ABORT_NS = 20_000_000;
    private static final long END_NS = 5_000_000_000L;
    /** As {@link #END_NS}, of a launch that has had its time. */
    private static final long LATE_END_NS = 500_000_000;
    /** For blocks to end after an interrupt. */
    private static final long INTERRUPT_NS = 200_000_000;

    private final Accelerator accelerator;
    private final DeviceGrid.Options options;
    private final DeviceLibrary.Form form;
    private final long area;
    private final HostPage page;
    private final ProxyWriter writer;
    private final HostBlock.World hostWorld;
    private final LaunchDeadlines deadlines;
    private final String blocks;
    private AcceleratorStream own;
    private AcceleratorStream last;
    private String program = "none";
    private Kernel prepared; // last
    private long launched;
    private boolean aborted;
    private long abortedNs;

    /**
     * No launch yet.
     *
     * @param area      device address of the blocks' memory
     * @param deadlines that look at the page
     * @param hostWorld of blocks of the host device; null on others
     */
    BlockLaunches(Accelerator accelerator, int rank, DeviceGrid.Options options, BlockLayout layout, long area, HostPage page,
                  ProxyWriter writer, LaunchDeadlines deadlines, HostBlock.World hostWorld) {
        this.accelerator = accelerator;
        this.options = options;
        this.form = layout.rings().count() == 0 ? DeviceLibrary.Form.PLAIN
                : new DeviceLibrary.Form(true, PacketRings.maxRegisters(options.threads()));
        this.area = area;
        this.page = page;
        this.writer = writer;
        this.hostWorld = hostWorld;
        this.deadlines = deadlines;
        this.blocks = "blocks of rank " + rank + ", ";
    }

    /** Stream of launches that name none; made at the first. */
    AcceleratorStream ownStream() {
        if (own == null) {
            own = accelerator.newStream();
        }
        return own;
    }

    /** Compiles and loads a program as these blocks launch it, if that was not done yet. */
    void prepare(GridProgram its) {
        prepared(its);
    }

    private Kernel prepared(GridProgram its) {
        Kernel kernel = DeviceLibrary.kernel(its, form);
        if (kernel != prepared) {
            accelerator.prepare(kernel);
            prepared = kernel;
        }
        return kernel;
    }

    /**
     * Launches behind all launches before. The program is compiled first, so that its deadlines count what its blocks do.
     *
     * @param name        of the program in messages
     * @param leaveIsLast true if blocks have no operations after {@code leave}, as those in CUDA C++
     * @param sharedBytes of dynamic shared memory beside those of the options
     */
    void launch(AcceleratorStream stream, GridProgram its, String name, boolean leaveIsLast, int sharedBytes, Object[] args) {
        Kernel kernel = prepared(its);
        forgetClosed();
        if (last != null && last != stream) {
            try (StreamEvent before = last.record()) {
                stream.await(before);
            }
        }
        try (StreamEvent before = writer.launching()) {
            if (before != null) {
                stream.await(before);
            }
        }
        if (!areUnfinished()) {
            deadlines.start();
        }
        stream.writeValue(page.memory(), HostPage.BEGUN, launched + 1);
        stream.launchBlocks(new BlockGrid(kernel, options.perRank(), options.threads(),
                (int) Math.min(Integer.MAX_VALUE, (long) options.sharedBytes() + sharedBytes), // the device refuses too much
                area, args, its.body() == null ? null : (block, given) -> HostBlock.run(hostWorld, its, leaveIsLast, block, given)));
        stream.writeValue(page.memory(), HostPage.DONE, ++launched);
        last = stream;
        program = name;
    }

    /** Number of launches. */
    long count() {
        return launched;
    }

    /** Name of the program that was launched last. */
    String program() {
        return program;
    }

    /** The blocks and the launch that runs, or the last, for messages. */
    String describe() {
        return blocks + "program " + program + ", launch " + Math.min(launched, page.get(HostPage.DONE) + 1) + " of " + launched;
    }

    boolean areUnfinished() {
        return page.get(HostPage.DONE) - launched < 0;
    }

    /**
     * Looks now and then, while launches are unfinished, whether they are late.
     *
     * @param what text for the error
     */
    void check(Supplier<String> what) {
        deadlines.check(last, what);
    }

    /**
     * Asks the stream of the last launch for its failure.
     *
     * @throws DeviceException if the device failed
     */
    void throwFailure() {
        forgetClosed();
        if (last != null) {
            last.isIdle();
        }
    }

    /** Asks no stream that the program has closed behind the launches, which has thrown what there was to throw. */
    private void forgetClosed() {
        if (last != null && !areUnfinished() && last.isClosed()) {
            last = null;
        }
    }

    // ---- ending

    /** Ends what runs after a failure: waits in launches see it soon, and others end by themselves. */
    void abort() {
        abort(ABORT_NS);
    }

    /** Ends what runs when the blocks are closed: launches that have had their time get little more. */
    void abortAtEnd() {
        abort(deadlines.havePassed() ? LATE_END_NS : END_NS);
    }

    /**
     * Ends what runs.
     *
     * @param limitNs to wait for that, from the first call on
     */
    private void abort(long limitNs) {
        if (!areUnfinished()) {
            return;
        }
        if (!aborted) {
            aborted = true;
            abortedNs = System.nanoTime();
            writer.area(BlockLayout.ABORT, 1);
        }
        awaitEnd(abortedNs + limitNs);
    }

    private void awaitEnd(long endNs) {
        while (areUnfinished() && !hasFailed(last) && System.nanoTime() - endNs < 0) {
            Thread.yield();
        }
    }

    /** Ends launches as far as they can be ended. */
    void end() {
        abortAtEnd();
        if (!areUnfinished() || hasFailed(last)) {
            return;
        }
        last.giveUp();
        awaitEnd(System.nanoTime() + INTERRUPT_NS);
        if (areUnfinished() && !hasFailed(last)) {
            throw new DeviceException(describe() + " goes on: neither a wait in it nor an interrupt has ended its blocks, and"
                    + " they cannot be stopped");
        }
    }

    /** True if a stream has failed, so that nothing runs on it any more. */
    private static boolean hasFailed(AcceleratorStream stream) {
        try {
            stream.isIdle();
            return false;
        } catch (DeviceException _) {
            return true;
        }
    }

    /** Closes the stream of its own. */
    @Override
    public void close() {
        if (own != null) {
            own.close();
        }
    }
}
