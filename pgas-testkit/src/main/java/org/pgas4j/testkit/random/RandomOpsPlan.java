package org.pgas4j.testkit.random;

import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Strided;
import org.pgas4j.testkit.program.Mixer;

/**
 * Operations of every rank in every epoch, as a function of the seed: any rank can list any other's without communication.
 * After {@link #next()} the fields describe one operation.
 */
final class RandomOpsPlan {

    enum Action { PUT, PUT_PIECES, GET, COPY, SET, FETCH_ADD, ACCUMULATE, SYNC, FENCE, PROGRESS, BUSY, OWN }

    enum Form { BLOCKING, HANDLE, IMPLICIT, STREAM }

    /** Private end of a transfer. */
    enum Local { HOST, ARRAY, DEVICE }

    private static final int SHORTEST = 64;
    private static final int LONGEST = 1024;
    private static final long[] SMALL = {0, 1, 7, 8, 9};
    /** Bytes of the largest extent of pieces and of the longest accumulate: no more than the smallest {@code maxBytes}. */
    private static final long SHORT_BYTES = RandomOwns.BLOCK_BYTES;

    private final long seed;
    private final int ranks;
    private final long regionBytes;
    private final long maxBytes;
    private final long[] edges;
    private long state;

    Action action;
    Form form;
    Local local;
    boolean block;
    int shift;
    MemoryKind kind;
    int owner;
    long offset;
    long bytes;
    MemoryKind sourceKind;
    int sourceOwner;
    long sourceOffset;
    /** Pieces of a put, which lie within {@link #bytes} on either side. */
    Strided pieces;
    /** Type of the elements of an accumulate, and its factor. */
    ElementType type;
    int factor;
    /** Further random bits: which bytes, which value, which of several. */
    long noise;

    /**
     * @param edges sizes around which something changes: chunks, thresholds
     */
    RandomOpsPlan(long seed, int ranks, long regionBytes, long maxBytes, long[] edges) {
        this.seed = seed;
        this.ranks = ranks;
        this.regionBytes = regionBytes;
        this.maxBytes = maxBytes;
        this.edges = edges;
    }

    /** A number that depends on seed, epoch and {@code what} alone. */
    long mixed(long epoch, long what) {
        return Mixer.mix(Mixer.mix(Mixer.mix(seed) + epoch) + what);
    }

    /** Operations of each rank in an epoch. */
    int length(long epoch) {
        return SHORTEST + (int) Long.remainderUnsigned(mixed(epoch, -1), LONGEST - SHORTEST + 1);
    }

    /** Starts at the first operation of {@code rank} in {@code epoch}. */
    void begin(long epoch, int rank) {
        state = mixed(epoch, rank);
    }

    /** Makes the next operation. */
    void next() {
        long bits = random();
        action = action((int) (bits & 1023));
        form = form((int) (bits >>> 10 & 15));
        kind = (bits >>> 14 & 1) == 0 ? MemoryKind.HOST : MemoryKind.DEVICE;
        local = local((int) (bits >>> 15 & 7));
        block = (bits >>> 18 & 1) == 0;
        shift = (int) (bits >>> 19 & 15);
        sourceKind = (bits >>> 23 & 1) == 0 ? MemoryKind.HOST : MemoryKind.DEVICE;
        owner = (int) ((bits >>> 24 & 0xFFFFF) % ranks);
        sourceOwner = (int) ((bits >>> 44) % ranks);
        noise = random();
        if (action == Action.PUT || action == Action.GET || action == Action.COPY || action == Action.SET) {
            bytes = bytes();
            offset = offset();
            if (action == Action.COPY) {
                sourceOffset = offset();
                if (sourceKind == kind && sourceOwner == owner) {
                    bytes = Math.min(bytes, Math.abs(offset - sourceOffset));
                }
            }
            if (form == Form.STREAM && (action == Action.COPY || action == Action.SET)) {
                form = Form.BLOCKING;
            }
        } else if (action == Action.PUT_PIECES) {
            pieces = pieces();
            bytes = Math.max(pieces.dstExtent(), pieces.srcExtent());
            offset = offset();
            form = form == Form.STREAM ? Form.BLOCKING : form;
        } else if (action == Action.FETCH_ADD) {
            bytes = Long.BYTES;
            offset = offset() & -Long.BYTES;
        } else if (action == Action.ACCUMULATE) {
            type = (noise & 1) == 0 ? ElementType.LONG : ElementType.INT;
            factor = (int) (noise >>> 1 & 7) - 3;
            bytes = Math.min(bytes(), SHORT_BYTES) & -type.bytes();
            offset = offset() & -type.bytes();
            shift &= -Long.BYTES;
            local = local == Local.ARRAY ? Local.HOST : local;
            form = form == Form.STREAM ? Form.BLOCKING : form;
        }
    }

    /** Pieces in two levels, of single bytes or of words, which overlap on neither side. */
    private Strided pieces() {
        long bits = random();
        long unit = (bits & 1) == 0 ? 1 : Long.BYTES;
        long run = 1 + (bits >>> 1 & 7);
        long[] counts = {1 + (bits >>> 4 & 3), 1 + (bits >>> 6 & 7) % 6};
        return Strided.of(unit * run, counts, strides(unit, run, counts[1], bits >>> 9),
                strides(unit, run, counts[1], bits >>> 15));
    }

    private static long[] strides(long unit, long run, long count, long bits) {
        long inner = run + (bits & 7);
        return new long[] {unit * (count * inner + (bits >>> 3 & 7)), unit * inner};
    }

    // Allocations of one rank ask other JVMs, which takes a thousand times as long as a transfer: few are enough.
    private static Action action(int dice) {
        return dice < 375 ? Action.PUT
                : dice < 400 ? Action.PUT_PIECES
                : dice < 720 ? Action.GET
                : dice < 790 ? Action.COPY
                : dice < 850 ? Action.SET
                : dice < 862 ? Action.FETCH_ADD
                : dice < 880 ? Action.ACCUMULATE
                : dice < 905 ? Action.SYNC
                : dice < 930 ? Action.FENCE
                : dice < 1008 ? Action.PROGRESS
                : dice < 1018 ? Action.BUSY : Action.OWN;
    }

    private static Form form(int dice) {
        return dice < 6 ? Form.BLOCKING : dice < 9 ? Form.HANDLE : dice < 13 ? Form.IMPLICIT : Form.STREAM;
    }

    private static Local local(int dice) {
        return dice < 4 ? Local.HOST : dice < 7 ? Local.DEVICE : Local.ARRAY;
    }

    private long bytes() {
        long bits = random();
        int dice = (int) (bits & 255);
        long size;
        if (dice < 90) {
            size = SMALL[(int) ((bits >>> 8) % SMALL.length)];
        } else if (dice < 170) {
            size = bits >>> 8 & 511;
        } else if (dice < 210) {
            // One below, at and one above an edge, an edge with a header before it included.
            long edge = edges[(int) ((bits >>> 8) % edges.length)] - ((bits >>> 40 & 1) == 0 ? 0 : 64);
            size = edge - 1 + (bits >>> 48) % 3;
        } else {
            long most = Math.min(dice < 252 ? 8 << 10 : dice < 255 ? 64 << 10 : Long.MAX_VALUE, maxBytes);
            long scale = Math.max(1, most >>> (bits >>> 8 & 7));
            size = (bits >>> 16) % (scale + 1);
        }
        return Math.clamp(size, 0, maxBytes);
    }

    /** Often at one of the region's ends, where other ranks' regions begin. */
    private long offset() {
        long bits = random();
        long last = regionBytes - bytes;
        return switch ((int) (bits & 7)) {
            case 0 -> Math.min(last, bits >>> 3 & 15);
            case 1 -> Math.max(0, last - (bits >>> 3 & 15));
            case 2, 3 -> Math.min(last, bits >>> 3 & 1023);
            default -> (bits >>> 3) % (last + 1);
        };
    }

    private long random() {
        state += Mixer.STEP;
        return Mixer.mix(state);
    }
}
