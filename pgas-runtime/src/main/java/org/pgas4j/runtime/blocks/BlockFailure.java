package org.pgas4j.runtime.blocks;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.AtomicOp;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.KernelException;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.kernel.runtime.JavaBlocks;

/**
 * Failure of a block as it recorded it: the eight words from {@link HostPage#ERROR} on. The device library has the same
 * kinds.
 *
 * <pre>
 *   kind               window      tag word        expected          seen              detail           missing
 *   LATE_NOTIFICATION  last used   tag             count             available
 *   LATE_BARRIER       made/freed  -               arrivals          arrivals          {@link Barrier}  ranks, bit by bit
 *   LATE_CREDIT        -           target block    messages          taken
 *   LATE_FLUSH         -           -               puts              done
 *   LATE_QUEUE         -           -               commands          taken
 *   LATE_GET           -           -               gets              done
 *   BAD_PLACE          window      target          offset            bytes             window's bytes
 *   NO_WINDOW          given       -               -                 -
 *   NO_TARGET          window, -1  given           number of targets -                 {@link Comm} of a notification
 *   NO_TAG             -           given           number of tags    -
 *   NO_TAGS            -           first tag       fewest            number given
 *   NO_HOST_RANK       -           given           number of ranks   -
 *   MANY_WINDOWS       -           -               most              -                 {@link Comm}
 *   NOT_SHARED         -           -               bytes of a window
 *   SHORT_SOURCE       window      target          bytes             source's bytes
 *   SHORT_TARGET       window      target          bytes             destination's bytes
 *   LATE_VALUE         window      {@link Comparison} words          that have come
 *   LATE_TAGS          -           first tag       tags              that have come
 *   LATE_SPLIT         -           member's block  barriers          that block's
 *   SMALL_SPLIT        -           -               bytes needed      bytes given
 *   LATE_LOCK          -           target block
 *   NO_ATOMICS         window      target
 *   ODD_WORD           window      target          offset            bytes of the word
 *   NO_OPERATION       window      target          {@link AtomicOp}  {@link AtomicWords#code} of the type, or 0
 *   BAD_TYPE           -           {@link ElementType} 2 of words, 4 of elements of a split
 *   LATE_PACKETS       -           -               lap of the ring   lap that was there
 *   NO_TIMER           -           given           number of timers  -
 *   BAD_COUNT          -           tag             most              count
 *   FAULTED            -           place           first value       second value      kind of fault       number of the program
 *   LATE_SOURCE        window      tag             count             available         source, or -1
 *   NO_SOURCE          window      given           number of sources
 *   SMALL_SOURCES      -           number of tags  bytes needed      bytes given       number of blocks
 *   BAD_TAGS           -           number of tags  most
 *   MANY_REQUESTS      -           -               most
 *   NO_REQUEST         -           given           number of requests
 *   STARTED            -           request
 *   NO_PARTNER         window      target, or -1   its host rank     -
 *   UNEQUAL_BARRIERS   -           2 x block, + 1  barriers          that block's      the + 1: of the device, else of all ranks
 * </pre>
 */
final class BlockFailure {

    static final int LATE_NOTIFICATION = 1;
    static final int LATE_BARRIER = 2;
    static final int LATE_CREDIT = 3;
    static final int LATE_FLUSH = 4;
    static final int LATE_QUEUE = 5;
    /** A Java body threw; the exception is with the host's data. */
    static final int THREW = 8;
    static final int BAD_PLACE = 9;
    static final int NO_WINDOW = 10;
    static final int NO_TARGET = 11;
    static final int NO_TAG = 12;
    static final int NO_HOST_RANK = 13;
    static final int MANY_WINDOWS = 14;
    static final int NOT_SHARED = 15;
    static final int SHORT_SOURCE = 16;
    static final int LATE_LOCK = 17;
    static final int UNEQUAL_BARRIERS = 18;
    static final int NO_ATOMICS = 19;
    static final int ODD_WORD = 20;
    static final int LATE_GET = 21;
    static final int SHORT_TARGET = 22;
    static final int LATE_VALUE = 23;
    static final int LATE_TAGS = 24;
    static final int LATE_SPLIT = 25;
    static final int SMALL_SPLIT = 26;
    /** A program that was translated from Java had a fault. */
    static final int FAULTED = 27;
    static final int LATE_PACKETS = 28;
    static final int NO_TIMER = 29;
    static final int BAD_COUNT = 30;
    static final int NO_OPERATION = 31;
    static final int NO_TAGS = 32;
    static final int BAD_TYPE = 33;
    static final int LATE_SOURCE = 40;
    static final int NO_SOURCE = 41;
    static final int SMALL_SOURCES = 42;
    static final int BAD_TAGS = 43;
    static final int MANY_REQUESTS = 44;
    static final int NO_REQUEST = 45;
    static final int STARTED = 46;
    static final int NO_PARTNER = 47;

    /**
     * A wait in a barrier outlasts others by this part of the timeout: a block that waits in vain for a notification
     * does not come to the barrier either, and its failure is the one to report.
     */
    static final int BARRIER_GRACE = 8;

    /** Barriers, by what they are part of. */
    enum Barrier {
        UNKNOWN("a barrier"), WORLD("a barrier of all blocks"), DEVICE("a barrier of the device's blocks"),
        END("the end of the launch, for which all blocks wait"), CREATE("the creation of window"),
        FREE("the release of window");

        private final String text;

        Barrier(String text) {
            this.text = text;
        }

        String text(int window) {
            return this == CREATE || this == FREE ? text + " " + window : text;
        }
    }

    private final HostPage page;
    private final String where;
    private final String late;
    private final int rank;
    private final int firstBlock;
    private final int block;
    private final int window;
    private final int word;
    private final long expected;
    private final long seen;
    private final long detail;

    private BlockFailure(HostPage page, String program, int rank, int firstBlock, long timeoutNs) {
        this.page = page;
        this.rank = rank;
        this.firstBlock = firstBlock;
        this.block = firstBlock + (int) page.get(HostPage.ERROR_BLOCK);
        this.window = (int) page.get(HostPage.ERROR_WINDOW);
        this.word = (int) page.get(HostPage.ERROR_TAG);
        this.expected = page.get(HostPage.ERROR_EXPECTED);
        this.seen = page.get(HostPage.ERROR_SEEN);
        this.detail = page.get(HostPage.ERROR_DETAIL);
        this.where = "rank " + rank + " block " + block + ", program " + program + ": ";
        this.late = " after " + timeoutNs / 1_000_000
                + " ms; raise pgas.timeout or the blocks' own if that is too short";
    }

    /** True if a block recorded a failure. */
    static boolean isThere(HostPage page) {
        return page.get(HostPage.ERROR) != 0;
    }

    /** True if it is a fault of a program that was translated from Java. */
    static boolean isOfJava(HostPage page) {
        return page.get(HostPage.ERROR) == FAULTED;
    }

    /** The exception that it would be in Java. */
    static RuntimeException fault(HostPage page, JavaBlocks programs) {
        return programs.fault((int) page.get(HostPage.ERROR_MISSING), (int) page.get(HostPage.ERROR_DETAIL),
                (int) page.get(HostPage.ERROR_TAG), page.get(HostPage.ERROR_EXPECTED), page.get(HostPage.ERROR_SEEN));
    }

    /**
     * Returns the exception for the recorded failure.
     *
     * @param program that was launched last
     * @param thrown  by its Java body, or null
     */
    static RuntimeException of(HostPage page, String program, int rank, int firstBlock, long timeoutNs,
                               Throwable thrown) {
        return new BlockFailure(page, program, rank, firstBlock, timeoutNs).exception((int) page.get(HostPage.ERROR),
                thrown);
    }

    private RuntimeException exception(int kind, Throwable thrown) {
        return switch (kind) {
            case LATE_NOTIFICATION -> new NotificationTimeoutException(rank, block, window, word, expected, seen,
                    where + "the notifications a block waits for did not come" + late);
            case LATE_BARRIER -> new PgasTimeoutException(where + barrier() + late);
            case LATE_CREDIT -> new PgasTimeoutException(where + "block " + word + " takes no messages, " + seen
                    + " of " + expected + " are taken" + late);
            case LATE_FLUSH -> new PgasTimeoutException(where + "flush, " + seen + " of " + expected + " puts are done"
                    + late);
            case BAD_TYPE -> new IllegalArgumentException(where + (expected == 2 ? "no words" : "no elements of a split") + " of type "
                    + ElementType.values()[word] + " (expected: " + (expected == 2 ? "INT or LONG" : "INT, LONG, FLOAT or DOUBLE")
                    + ")");
            case LATE_GET -> new PgasTimeoutException(where + "gets by the host, " + seen + " of " + expected + " are done"
                    + late);
            case LATE_QUEUE -> new PgasTimeoutException(where + "the host takes no commands, " + seen + " of "
                    + expected + " are taken" + late);
            case LATE_PACKETS -> new PgasTimeoutException(where + "packets of a message that has come are missing: lap "
                    + expected + " of the ring, " + seen + " is there" + late);
            case FAULTED -> new KernelException(where + thrown.getMessage(), thrown);
            case THREW -> new KernelException(where + "threw " + thrown, thrown);
            case BAD_PLACE -> new IndexOutOfBoundsException(where + "access out of bounds of a window: window=" + window
                    + " target=" + word + " offset=" + expected + " bytes=" + seen + " windowBytes=" + detail);
            case NO_WINDOW -> new IllegalArgumentException(where + "no window has the number " + window
                    + "; it was never created, or is freed");
            case NO_TARGET -> new IllegalArgumentException(where + "no block " + word
                    + (window >= 0 ? " in window " + window : "") + " (expected: 0.." + (expected - 1) + ")");
            case NO_TAG -> new IllegalArgumentException(where + "no tag " + word + " (expected: 0.." + (expected - 1)
                    + ")");
            case NO_TAGS -> new IllegalArgumentException(where + "no wait for " + seen + " tags from " + word + " on (expected: "
                    + expected + " or more)");
            case NO_TIMER -> new IllegalArgumentException(where + "no timer " + word + " (expected: 0.." + (expected - 1)
                    + ")");
            case BAD_COUNT -> new IllegalArgumentException(where + "no wait for " + seen + " notifications of tag " + word
                    + " (expected: 0.." + expected + ")");
            case NO_HOST_RANK -> new IllegalArgumentException(where + "no host rank " + word + " (expected: 0.."
                    + (expected - 1) + ")");
            case MANY_WINDOWS -> new IllegalArgumentException(where + "no window is left of the " + expected + " of "
                    + (detail == Comm.WORLD.ordinal()
                            ? "all blocks; free one, or raise DeviceGrid.Options.windows" : "the rank's blocks; free one"));
            case NOT_SHARED -> new IllegalArgumentException(where
                    + "the memory of a window is not in the rank's shared device segment: bytes=" + expected
                    + "; allocate it while Rank.onDevice() is open. Private memory of the device may be in windows of the device's"
                    + " blocks, and in those of all blocks where no device reaches another through the host and all ranks are of one"
                    + " JVM or have given it to DeviceGrid.register");
            case SHORT_SOURCE -> new IndexOutOfBoundsException(where + "put of more than its source holds: window="
                    + window + " target=" + word + " bytes=" + expected + " sourceBytes=" + seen);
            case SHORT_TARGET -> new IndexOutOfBoundsException(where + "get of more than its destination holds: window="
                    + window + " target=" + word + " bytes=" + expected + " destinationBytes=" + seen);
            case LATE_VALUE -> new NotificationTimeoutException(rank, block, window, -1, expected, seen,
                    where + "of the words that a block waits for, in window " + window + ", by "
                            + Comparison.values()[word] + ", " + seen + " of " + expected + " have come" + late);
            case LATE_TAGS -> new NotificationTimeoutException(rank, block, -1, word, expected, seen,
                    where + "of the tags from " + word + " on that a block waits for, " + seen + " of " + expected
                            + " have notifications" + late);
            case LATE_SPLIT -> new PgasTimeoutException(where + "a barrier of a split: block " + word + " has not come, "
                    + seen + " of " + expected + " barriers" + late);
            case SMALL_SPLIT -> new IllegalArgumentException(where + "the memory of a split is too small, or not aligned to 16"
                    + " bytes: bytes=" + seen + " (expected: >= " + expected + "); splitBytes(comm, stage) returns what it takes");
            case LATE_LOCK -> new PgasTimeoutException(where
                    + "another thread of the block opens the endpoint of block " + word + ", or notifies it" + late);
            case LATE_SOURCE -> new NotificationTimeoutException(rank, block, window, word, expected, seen,
                    where + "the notifications from " + (detail < 0 ? "any source" : "source " + detail)
                            + " that a block waits for did not come" + late);
            case NO_SOURCE -> new IllegalArgumentException(where + "no source " + word + " in window " + window + " (expected: 0.."
                    + (expected - 1) + ", or ANY_SOURCE)");
            case SMALL_SOURCES -> new IllegalArgumentException(where + "the memory for counters of " + word + " tags from " + detail
                    + " sources is too small, or not aligned to 16 bytes: bytes=" + seen + " (expected: >= " + expected
                    + "); sourceBytes(comm, tags) returns what it takes");
            case MANY_REQUESTS -> new IllegalArgumentException(where + "a block prepares " + expected
                    + " puts at most, and so many are in use; free one");
            case NO_REQUEST -> new IllegalArgumentException(where + "no request has the number " + word + " (expected: 0.."
                    + (expected - 1) + "); it was never prepared, or is freed");
            case STARTED -> new IllegalStateException(where + "request " + word
                    + " is started, and no wait or test has found that it has ended");
            case NO_PARTNER -> new IllegalArgumentException(where + (word < 0 ? "no split of all blocks"
                    : "window " + window + " has no part of block " + word + ", whose rank " + expected + " is no partner")
                    + " in a grid of partners (DeviceGrid.Options.partners)");
            case BAD_TAGS -> new IllegalArgumentException(where + "no window counts " + word + " tags by source (expected: 1.."
                    + expected + ")");
            case UNEQUAL_BARRIERS -> new CollectiveMismatchException(where
                    + "the blocks of a rank came to different numbers of barriers"
                    + ((word & 1) == 0 ? " of all ranks" : "") + " in a launch: block " + block + " to " + expected
                    + ", block " + (firstBlock + (word >> 1)) + " to " + seen
                    + ", windows created and freed and the end among them");
            case NO_ATOMICS -> new PgasException(where + "no atomic operations on memory of block " + word + " in window " + window
                    + ": the device of rank " + rank + " does not reach it with them, and what goes through the host has none");
            case ODD_WORD -> new IllegalArgumentException(where + "a word that is not aligned: window=" + window
                    + " target=" + word + " offset=" + expected + " bytes=" + seen);
            case NO_OPERATION -> new IllegalArgumentException(where + "no atomic operation " + AtomicOp.ofCode((int) expected)
                    + " on words of type " + (seen == 0 ? "BYTE, SHORT, CHAR, HALF or BFLOAT16" : AtomicWords.typeOf(seen))
                    + ": window=" + window + " target=" + word
                    + " (expected: INT, LONG, FLOAT or DOUBLE, the last two without AND, OR, XOR, UNSIGNED_MIN and UNSIGNED_MAX)");
            default -> new PgasException(where + "unknown failure " + kind);
        };
    }

    private String barrier() {
        String text = Barrier.values()[(int) detail].text(window) + ": ";
        long missing = page.get(HostPage.ERROR_MISSING);
        if (missing == 0) {
            return text + (expected - seen) + " blocks of this rank have not come, " + seen + " of " + expected
                    + " arrivals";
        }
        List<Integer> ranks = new ArrayList<>();
        for (int r = 0; r < Long.SIZE; r++) {
            if ((missing >>> r & 1) != 0) {
                ranks.add(r);
            }
        }
        return text + "blocks of ranks " + ranks + " have not come, or were not launched";
    }
}
