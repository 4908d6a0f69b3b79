package org.pgas4j;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The blocks of all ranks' devices as ranks of their own: block b of host rank r is world block r * {@link #perRank()} + b. Made
 * once, collectively ({@link Rank#createGrid}); programs are then launched on them as often as wanted, each host rank its own
 * blocks, one launch of a rank after the other. Counters live as long as the blocks: what one launch was notified of, the next can
 * consume. Used by the rank's thread.
 *
 * <p>A launch is cooperative: all its blocks are resident, so they may wait for each other. Waits in it end at
 * {@link Options#timeout()}; {@link #sync} then throws {@link NotificationTimeoutException}, and the device stays usable. A launch
 * may compute as long as it likes, unless it is given a {@link Options#launchTimeout()}; a warning names it after twice the job's
 * timeout.
 *
 * <p>When a block fails, the others of the device end at their next wait, and the failure is thrown once: by {@link #sync} or
 * {@link #isDone}, or by whatever else the rank waits in, since what it waits for may never come. What a Java body threw is the
 * cause of a {@link KernelException}. The blocks of this rank are of no more use then; every later call but {@link #close}
 * refuses. A program that goes on instead of ending makes new ones, on all ranks.
 */
public interface DeviceGrid extends AutoCloseable {

    /**
     * Numbers of blocks or threads in up to three dimensions; index (x, y, z) has the number (z * y' + y) * x' + x of y' and x' in
     * all.
     */
    record Dims(int x, int y, int z) {

        public Dims {
            if (x <= 0 || y <= 0 || z <= 0 || (long) x * y > Integer.MAX_VALUE / z) {
                throw new IllegalArgumentException("dimensions out of range: x=" + x + " y=" + y + " z=" + z
                        + " (expected: > 0, product < 2^31)");
            }
        }

        /** One dimension. */
        public static Dims of(int x) {
            return new Dims(x, 1, 1);
        }

        /** Product of the three. */
        public int count() {
            return x * y * z;
        }

        /** Coordinates, from 0, of number {@code index}: x, y, z. */
        public int[] at(int index) {
            return new int[] {index % x, index / x % y, index / (x * y)};
        }
    }

    /**
     * How many blocks and of what kind.
     *
     * @param perRank     blocks of each rank; 0 for one for each multiprocessor, which the ranks on a device share
     * @param threads     of a block, a multiple of 32; the host device uses one whatever is given
     * @param timeout     deadline of one wait inside a launch; null for three quarters of the job's
     * @param launchTimeout deadline of one launch from its start to its end; null for none: the waits inside have
     *                    theirs, a loop without end has none
     * @param forcedProxy everything between blocks of different ranks takes the way through the host, as if their devices could
     *                    not reach each other
     * @param sharedBytes memory that the threads of a block share, beside what the program declares: {@code pgas_shared(c)},
     *                    {@link GridRank#shared()}; up to what the device has, which GPUs refuse at the launch, and 227 KiB on
     *                    the host device
     * @param grid        shape of the blocks of a rank, of which there are as many; null for one dimension
     * @param block       shape of the threads of a block, of which there are as many; null for one dimension
     * @param windows     of all blocks that may be open at once, splits among them; each takes 16 bytes of every rank's shared
     *                    device heap for each block of the job. The blocks of one rank have {@link #MAX_WINDOWS} of their own
     *                    beside them
     * @param partnerRanks ranks whose parts of windows this rank's blocks use, beside their own rank's; null for all. Each of them
     *                    names this rank too, and no rank is null if one is not. Tables of windows, and counts of transfers, have
     *                    entries of the partners' blocks alone: as many as the rank with the most partners needs, on every rank
     */
    record Options(int perRank, int threads, Duration timeout, Duration launchTimeout, boolean forcedProxy, int sharedBytes, Dims grid,
                   Dims block, int windows, List<Integer> partnerRanks) {

        /** Windows of all blocks unless {@link #windows(int)} says otherwise. */
        public static final int DEFAULT_WINDOWS = 8;

        /** Most windows of a communicator. */
        public static final int MAX_WINDOWS = 64;

        private static final int WARP = 32;

        public Options {
            if (perRank < 0 || threads <= 0 || threads > 1024 || threads % WARP != 0) {
                throw new IllegalArgumentException("blocks out of range: perRank=" + perRank + " threads=" + threads
                        + " (expected: perRank >= 0, threads 32..1024 and a multiple of " + WARP + ")");
            }
            if (sharedBytes < 0) {
                throw new IllegalArgumentException("shared memory of blocks: " + sharedBytes + " (expected: >= 0)");
            }
            if (windows < 1 || windows > MAX_WINDOWS) {
                throw new IllegalArgumentException("windows of all blocks: " + windows + " (expected: 1.." + MAX_WINDOWS + ")");
            }
            partnerRanks = partnerRanks == null ? null : List.copyOf(new TreeSet<>(partnerRanks));
            requireCount("grid", grid, perRank);
            requireCount("block", block, threads);
            requirePositive("timeout", timeout);
            requirePositive("launchTimeout", launchTimeout);
        }

        private static void requireCount(String name, Dims dims, int count) {
            if (dims != null && dims.count() != count) {
                throw new IllegalArgumentException(name + " of blocks: " + dims + " (expected: " + count + " in all)");
            }
        }

        private static void requirePositive(String name, Duration limit) {
            if (limit != null && !limit.isPositive()) {
                throw new IllegalArgumentException(name + " of blocks: " + limit + " (expected: > 0)");
            }
        }

        /** Blocks with the job's timeout and the best way to each other. */
        public static Options of(int perRank, int threads) {
            return new Options(perRank, threads, null, null, false, 0, null, null, DEFAULT_WINDOWS, null);
        }

        /** The same in up to three dimensions. The launch has one; the library gives blocks and threads their coordinates. */
        public static Options of(Dims grid, Dims block) {
            return new Options(grid.count(), block.count(), null, null, false, 0, grid, block, DEFAULT_WINDOWS, null);
        }

        /** The same with the way between ranks forced through the host. */
        public Options proxy() {
            return new Options(perRank, threads, timeout, launchTimeout, true, sharedBytes, grid, block, windows, partnerRanks);
        }

        /** The same with a deadline for waits inside a launch. */
        public Options timeout(Duration limit) {
            return new Options(perRank, threads, limit, launchTimeout, forcedProxy, sharedBytes, grid, block, windows, partnerRanks);
        }

        /** The same with a deadline for each launch as a whole. */
        public Options launchTimeout(Duration limit) {
            return new Options(perRank, threads, timeout, limit, forcedProxy, sharedBytes, grid, block, windows, partnerRanks);
        }

        /** The same with {@code bytes} of memory that the threads of a block share. */
        public Options shared(int bytes) {
            return new Options(perRank, threads, timeout, launchTimeout, forcedProxy, bytes, grid, block, windows, partnerRanks);
        }

        /** The same with up to {@code count} windows of all blocks at once. */
        public Options windows(int count) {
            return new Options(perRank, threads, timeout, launchTimeout, forcedProxy, sharedBytes, grid, block, count, partnerRanks);
        }

        /**
         * The same for blocks that use the windows of these ranks' blocks alone, and of their own rank's: memory for the pairs that
         * talk. Such a relation has both sides: each of the ranks names this one. To blocks of other ranks a window has 0 bytes, and
         * an access ends the launch; there are no splits of all blocks. Barriers, the creation of windows, which is one, and
         * notifications that bring nothing reach all blocks.
         */
        public Options partners(int... ranks) {
            return new Options(perRank, threads, timeout, launchTimeout, forcedProxy, sharedBytes, grid, block, windows,
                    Arrays.stream(ranks).boxed().toList());
        }
    }

    /** Number of blocks of all ranks. */
    int ranks();

    /** Blocks of each rank. */
    int perRank();

    /** Threads of a block. */
    int threads();

    /** World number of this rank's first block. */
    int firstRank();

    /**
     * Compiles a program as launches on these blocks need it, if it was not yet: seconds on GPUs, nothing on the host device. If all
     * ranks do so before a barrier, no rank's blocks use up their deadline while they wait for another rank's compiler.
     *
     * @throws DeviceException if it does not compile
     */
    void compile(GridProgram program);

    /**
     * As {@link #compile(GridProgram)}, of a program written in Java.
     *
     * @throws KernelRefusedException as {@link #launch(GridKernel)}
     */
    void compile(GridKernel body);

    /** Memory that has been {@linkplain #register registered}. */
    interface Registration extends AutoCloseable {

        /**
         * Collective: waits for the launches of all ranks, and returns when no other rank has the memory mapped. Its windows are
         * freed. {@linkplain ExceptionalExit On the way of an exception} it does nothing.
         */
        @Override
        void close();
    }

    /**
     * Collective: lets windows of all blocks lie over private memory of this rank's device, {@link Device#alloc}'s or another
     * library's, where the ranks are of several processes: each maps what the others show. Nothing uses the memory during the call,
     * and it stays allocated until the registration is closed; the end of the grid closes it. In one JVM, whose ranks use the same
     * addresses, windows need no registration. A put with its notification goes there as a copy and a release, however few the bytes.
     *
     * @param memory one range for each rank, of any size; null if this rank shows none
     * @throws IllegalStateException if some devices reach each other through the host alone, or a launch is unfinished
     * @throws DeviceException       on every rank, if one could not share its memory or map another's: on GPUs memory of a pool, on
     *                               the host device memory that it did not allocate
     */
    Registration register(Buffer memory);

    /**
     * Launches a program on this rank's blocks; returns when queued. Compiles it, if it was not yet.
     *
     * @param args as {@link Stream#launch}'s
     * @throws DeviceException if not all blocks can be resident at once; has the numbers
     */
    void launch(GridProgram program, Object... args);

    /** As {@link #launch(GridProgram, Object...)}, after the work queued on {@code stream}; later work there waits for it. */
    void launch(Stream stream, GridProgram program, Object... args);

    /**
     * Launches a program written in Java on this rank's blocks; returns when queued. Its fault, an index out of bounds, a division by
     * zero or what it throws, ends all blocks of this rank, and is the cause of the {@link KernelException} that {@link #sync} throws.
     *
     * @throws KernelRefusedException if it has what such programs have not, or captured something in host memory
     * @throws DeviceException        if not all blocks can be resident at once; has the numbers
     */
    void launch(GridKernel body);

    /** As {@link #launch(GridKernel)}, after the work queued on {@code stream}; later work there waits for it. */
    void launch(Stream stream, GridKernel body);

    /** True if no launch is unfinished; serves the blocks' requests. Throws as {@link #sync}, so that polling it ends. */
    boolean isDone();

    /**
     * Waits for all launches of this rank, serving the blocks' requests.
     *
     * @throws NotificationTimeoutException if a block waited past its deadline
     * @throws KernelException              if a Java body threw
     * @throws PgasTimeoutException         if a launch does not end within {@link Options#launchTimeout()}, or does not begin within
     *                                      the job's timeout because its stream is held up
     */
    void sync();

    /** Adds one to the counter of {@code tag} at world block {@code block}, after all this rank's puts are at their targets. */
    void signal(int block, int tag);

    /**
     * As {@link #signal(int, int)}, after all work queued on {@code stream} before it: {@link Stream#signal} of a block. The host
     * runs ahead. Sent by a service, the rank's own or its helper's, when the stream has come there.
     */
    void signal(Stream stream, int block, int tag);

    /**
     * Puts a buffer to the part that the block's rank shows in {@code window}, after all work queued on {@code stream} before it,
     * then adds one to the counter of {@code tag} at world block {@code block}: {@link Stream#putNotify} of a block. A block that
     * has seen the notification sees the bytes, and those of this stream's earlier puts to its rank.
     *
     * @param offset bytes from the start of that part
     * @param src    as {@link Stream#putNotify}'s; may be reused by later work of the stream
     * @throws IllegalArgumentException  if the rank is no member of the window's team
     * @throws IndexOutOfBoundsException if the range leaves the part
     */
    void putNotify(Stream stream, Window window, long offset, Buffer src, int block, int tag);

    /**
     * As {@link Window#preparePutNotify}, with a notification of a block as {@link #putNotify}'s. Close it before the window and
     * before these blocks.
     */
    Prepared preparePutNotify(Window window, long offset, Buffer src, int block, int tag);

    /** As {@link #preparePutNotify}, without bytes. */
    Prepared prepareSignal(int block, int tag);

    /** Sum of what timer {@code timer} of this rank's block {@code block} measured, ns. */
    long timerNanos(int block, int timer);

    /**
     * The last intervals that timer {@code timer} of this rank's block {@code block} measured, up to 256, the oldest first, ns: from
     * each start to the stop after it, as the host took the commands.
     */
    long[] timerIntervals(int block, int timer);

    /**
     * Line that a block of this rank logged.
     *
     * @param block among those of the rank
     */
    record LogLine(int rank, int block, String text) {
    }

    /**
     * Gives the lines that blocks log to {@code receiver} instead of standard output, in the order in which they were begun; null for
     * standard output again. It is called by whichever thread serves the blocks, the rank's or a helper's, and must not wait.
     */
    void logTo(Consumer<LogLine> receiver);

    /** Lines that blocks logged and that were dropped because the log was full. */
    long droppedLogLines();

    /**
     * Collective: waits for the launches of all ranks and frees the blocks. After a failure of this rank's blocks, and {@link
     * ExceptionalExit on the way of an exception}, it waits for no other rank, so that the failure ends the job at once;
     * launches are ended, and their memory stays taken until the job ends.
     */
    @Override
    void close();
}
