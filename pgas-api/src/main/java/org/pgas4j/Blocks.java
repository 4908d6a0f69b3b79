package org.pgas4j;

import java.time.Duration;

/**
 * The blocks of all ranks' devices as ranks of their own: block b of host rank r is world block r * {@link #perRank()} + b. Made
 * once, collectively ({@link Rank#createBlocks}); programs are then launched on them as often as wanted, each host rank its own
 * blocks, one launch of a rank after the other. Counters live as long as the blocks: what one launch was notified of, the next can
 * consume. Used by the rank's thread.
 *
 * <p>A launch is cooperative: all its blocks are resident, so they may wait for each other. Waits in it end at
 * {@link Options#timeout()}; {@link #sync} then throws {@link NotificationTimeoutException}, and the device stays usable.
 */
public interface Blocks extends AutoCloseable {

    /**
     * How many blocks and of what kind.
     *
     * @param perRank     blocks of each rank; 0 for one for each multiprocessor
     * @param threads     of a block; the host device uses one whatever is given
     * @param timeout     deadline of one wait inside a launch; null for three quarters of the job's
     * @param forcedProxy everything between blocks of different ranks takes the way through the host, as if their devices could
     *                    not reach each other
     * @param firstCount  what the notification counters start with, for tests of their wrap-around; 0 normally
     */
    record Options(int perRank, int threads, Duration timeout, boolean forcedProxy, long firstCount) {

        public Options {
            if (perRank < 0 || threads <= 0 || threads > 1024) {
                throw new IllegalArgumentException("blocks out of range: perRank=" + perRank + " threads=" + threads
                        + " (expected: perRank >= 0, threads 1..1024)");
            }
        }

        /** Blocks with the job's timeout and the best way to each other. */
        public static Options of(int perRank, int threads) {
            return new Options(perRank, threads, null, false, 0);
        }

        /** The same with the way between ranks forced through the host. */
        public Options proxy() {
            return new Options(perRank, threads, timeout, true, firstCount);
        }

        /** The same with a deadline for waits inside a launch. */
        public Options timeout(Duration limit) {
            return new Options(perRank, threads, limit, forcedProxy, firstCount);
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
     * Launches a program on this rank's blocks; returns when queued.
     *
     * @param args as {@link Stream#launch}'s
     * @throws DeviceException if not all blocks can be resident at once; has the numbers
     */
    void launch(BlockProgram program, Object... args);

    /** As {@link #launch(BlockProgram, Object...)}, after the work queued on {@code stream}; later work there waits for it. */
    void launch(Stream stream, BlockProgram program, Object... args);

    /** True if no launch is unfinished; serves the blocks' requests. */
    boolean isDone();

    /**
     * Waits for all launches of this rank, serving the blocks' requests.
     *
     * @throws NotificationTimeoutException if a block waited past its deadline
     * @throws PgasTimeoutException         if the launches do not end
     */
    void sync();

    /** Adds one to the counter of {@code tag} at world block {@code block}, after all this rank's puts are at their targets. */
    void notify(int block, int tag);

    /** Sum of what timer {@code timer} of this rank's block {@code block} measured, ns. */
    long timerNanos(int block, int timer);

    /** Lines that blocks logged and that were dropped because the log was full. */
    long droppedLogLines();

    /** Collective: frees the blocks. */
    @Override
    void close();
}
