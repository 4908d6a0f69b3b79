package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgas4j.Kernel;
import org.pgas4j.Strided;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * The kernel that copies pieces line by line. A line is a long piece, or all pieces of the innermost level; blocks take chunks of
 * {@value #CHUNK} units of a line, so that places in the outer levels are divided out once for each chunk, and each thread has
 * {@value #UNROLL} units in flight. Either side may be a peer's memory, or packed. Several pairs of places with pieces of one shape
 * are one launch: a block does its chunk for all of them, so that a part of the source that each needs some of, as of rows whose
 * columns go to ranks in turn, is read from memory once.
 *
 * @param units    of a line, each of up to 16 bytes
 * @param perPiece units of a piece; as many as of a line if that is one piece
 * @param dstStep  bytes between neighbouring pieces of a line in the destination
 * @param srcStep  the same in the source
 * @param first    number of the first line
 * @param lines    number of lines
 * @param levels   counts of the levels outside a line, {@link PieceKernels#MAX_LEVELS} of them; missing ones come first, with 1
 * @param dst      bytes between neighbours of each of these levels in the destination
 * @param src      the same in the source
 */
record PieceLines(long units, long perPiece, long dstStep, long srcStep, long first, long lines, long[] levels, long[] dst,
                  long[] src) {

    private static final int THREADS = 256;
    private static final int UNROLL = 4;
    static final int CHUNK = THREADS * UNROLL;

    private static final int CACHE_LINE = 128;

    /** Shorter lines leave most threads of a block without work. */
    private static final int MIN_LINE = 256;

    /** Pieces of so many units are lines of their own: nothing is gained by joining them. */
    private static final int LONG_PIECE = 4 * CHUNK;

    /** Blocks of a processor for copies within the device, beside those that wait for links. */
    private static final int OWN_BLOCKS = 2;

    /** Blocks of a processor for copies to or from a peer: links need fewer, and a copy beside it finds room. */
    private static final int PEER_BLOCKS = 2;

    /** Pairs of places that a launch takes. */
    static final int MAX_PAIRS = 8;

    /** Place of the first level among the kernel's arguments. */
    private static final int LEVELS = 10;

    /** Place of the number of pairs; destinations and sources of all but the first pair follow. */
    private static final int PAIRS = LEVELS + PieceKernels.MAX_LEVELS - 1 + 2 * PieceKernels.MAX_LEVELS;

    private static final String PARAMETERS = """
            long long units, long long perPiece, long long dStep, long long sStep, long long first,
                    long long lines, int packed,
                    long long n1, long long n2, long long n3, long long n4,
                    long long d0, long long d1, long long d2, long long d3, long long d4,
                    long long s0, long long s1, long long s2, long long s3, long long s4""";

    private static final String SOURCE = PieceKernels.PLACE + """
            /* Place of a unit in a line: its piece, and which unit of the piece it is. */
            struct pgas_unit {
                long long piece;
                long long within;
            };
            /* The unit that is as many units further as there are threads: no division for each. */
            __device__ __forceinline__ void pgas_step(pgas_unit &unit, long long perPiece, const pgas_unit &step) {
                unit.piece += step.piece;
                unit.within += step.within;
                if (unit.within >= perPiece) {
                    unit.within -= perPiece;
                    unit.piece++;
                }
            }
            /* Where line number l begins on both sides, and bytes between its pieces. */
            struct pgas_line {
                long long d;
                long long s;
                long long dJump;
                long long sJump;
            };
            __device__ __forceinline__ pgas_line pgas_line_of(long long line, long long bytes, PARAMETERS) {
                pgas_line l = {0, 0, dStep, sStep};
                long long rest = line + first;
                long long at = pgas_rest(rest, n4);
                l.d = at * d4;
                l.s = at * s4;
                at = pgas_rest(rest, n3);
                l.d += at * d3;
                l.s += at * s3;
                at = pgas_rest(rest, n2);
                l.d += at * d2;
                l.s += at * s2;
                at = pgas_rest(rest, n1);
                l.d += at * d1 + rest * d0;
                l.s += at * s1 + rest * s0;
                if (packed == 1) {
                    l.d = line * units * bytes;
                    l.dJump = perPiece * bytes;
                } else if (packed == 2) {
                    l.s = line * units * bytes;
                    l.sJump = perPiece * bytes;
                }
                return l;
            }
            /* Where the pieces of a pair of places begin. */
            struct pgas_pair {
                char *dst;
                const char *src;
            };
            template <typename T> __device__ __forceinline__ void pgas_copy_line_units(const pgas_pair *pair, int pairs,
                    PARAMETERS) {
                const long long perLine = (units + CHUNK - 1) / CHUNK;
                const long long end = perLine * lines;
                pgas_unit step = {THREADS, 0};
                step.within = pgas_rest(step.piece, perPiece);
                for (long long chunk = blockIdx.x; chunk < end; chunk += gridDim.x) {
                    long long line = chunk;
                    const long long from = pgas_rest(line, perLine) * CHUNK + threadIdx.x;
                    const pgas_line l = pgas_line_of(line, sizeof(T), ARGUMENTS);
                    pgas_unit begin = {from, 0};
                    begin.within = pgas_rest(begin.piece, perPiece);
                    for (int p = 0; p < pairs; p++) {
                        char *const to = pair[p].dst + l.d;
                        const char *const source = pair[p].src + l.s;
                        T value[UNROLL];
                        pgas_unit unit = begin;
                        #pragma unroll
                        for (int k = 0; k < UNROLL; k++) {
                            if (from + k * THREADS < units) {
                                value[k] = *(const T *) (source + unit.piece * l.sJump + unit.within * (long long) sizeof(T));
                            }
                            pgas_step(unit, perPiece, step);
                        }
                        unit = begin;
                        #pragma unroll
                        for (int k = 0; k < UNROLL; k++) {
                            if (from + k * THREADS < units) {
                                *(T *) (to + unit.piece * l.dJump + unit.within * (long long) sizeof(T)) = value[k];
                            }
                            pgas_step(unit, perPiece, step);
                        }
                    }
                }
            }
            /*
             * Lines whose destination has no gaps: a thread gathers 16 bytes, and a warp writes whole lines of the cache but for
             * the ends. Links carry others in more packets. A chunk begins at byte number chunk of its line, rounded down to a
             * line of the cache.
             */
            template <typename T> __device__ __forceinline__ void pgas_gather_chunk(char *to, const char *source,
                    long long chunk, long long bytes, long long perPiece, long long sJump, const pgas_unit &step) {
                constexpr int PARTS = 16 / (int) sizeof(T);
                const long long from = chunk + threadIdx.x * 16 - ((unsigned long long) to & (CACHE_LINE - 1));
                const long long ahead = from < 0 ? (-from / (long long) sizeof(T) + perPiece - 1) / perPiece : 0;
                pgas_unit unit = {from / (long long) sizeof(T) + ahead * perPiece, 0}; // none is before the first piece
                unit.within = pgas_rest(unit.piece, perPiece);
                unit.piece -= ahead;
                T value[UNROLL][PARTS];
                #pragma unroll
                for (int k = 0; k < UNROLL; k++) {
                    const long long at = from + k * THREADS * 16;
                    pgas_unit one = unit;
                    #pragma unroll
                    for (int i = 0; i < PARTS; i++) {
                        const long long here = at + i * (long long) sizeof(T);
                        if (here >= 0 && here < bytes) {
                            value[k][i] = *(const T *) (source + one.piece * sJump + one.within * (long long) sizeof(T));
                        }
                        if (++one.within == perPiece) {
                            one.within = 0;
                            one.piece++;
                        }
                    }
                    pgas_step(unit, perPiece, step);
                }
                #pragma unroll
                for (int k = 0; k < UNROLL; k++) {
                    const long long at = from + k * THREADS * 16;
                    if (at >= 0 && at + 16 <= bytes) {
                        uint4 whole;
                        memcpy(&whole, value[k], 16);
                        *(uint4 *) (to + at) = whole;
                        continue;
                    }
                    #pragma unroll
                    for (int i = 0; i < PARTS; i++) {
                        const long long here = at + i * (long long) sizeof(T);
                        if (here >= 0 && here < bytes) {
                            *(T *) (to + here) = value[k][i];
                        }
                    }
                }
            }
            template <typename T> __device__ __forceinline__ void pgas_gather_lines(const pgas_pair *pair, int pairs, PARAMETERS) {
                constexpr int BYTES = 16 * CHUNK;
                const long long bytes = units * (long long) sizeof(T);
                const long long perLine = (bytes + CACHE_LINE - 1 + BYTES - 1) / BYTES;
                const long long end = perLine * lines;
                pgas_unit step = {THREADS * 16 / (int) sizeof(T), 0};
                step.within = pgas_rest(step.piece, perPiece);
                for (long long chunk = blockIdx.x; chunk < end; chunk += gridDim.x) {
                    long long line = chunk;
                    const long long part = pgas_rest(line, perLine);
                    const pgas_line l = pgas_line_of(line, sizeof(T), ARGUMENTS);
                    for (int p = 0; p < pairs; p++) {
                        pgas_gather_chunk<T>(pair[p].dst + l.d, pair[p].src + l.s, part * BYTES, bytes, perPiece, l.sJump, step);
                    }
                }
            }
            extern "C" __global__ void __launch_bounds__(THREADS, OWN_BLOCKS + PEER_BLOCKS) pgas_copy_lines(char *dst0,
                    const char *src0, int unit, PARAMETERS, int pairs, OTHER_PLACES) {
                __shared__ pgas_pair pair[MAX_PAIRS];
                if (threadIdx.x == 0) {
                    const pgas_pair all[MAX_PAIRS] = {ALL_PLACES};
                    #pragma unroll
                    for (int p = 0; p < MAX_PAIRS; p++) {
                        pair[p] = all[p];
                    }
                }
                __syncthreads();
                const bool gapless = units == perPiece || packed == 1 || dStep == perPiece * unit;
                switch (gapless && unit >= 4 ? -unit : unit) {
                    case -16: pgas_gather_lines<uint4>(pair, pairs, ARGUMENTS); break;
                    case -8: pgas_gather_lines<unsigned long long>(pair, pairs, ARGUMENTS); break;
                    case -4: pgas_gather_lines<unsigned int>(pair, pairs, ARGUMENTS); break;
                    case 16: pgas_copy_line_units<uint4>(pair, pairs, ARGUMENTS); break;
                    case 8: pgas_copy_line_units<unsigned long long>(pair, pairs, ARGUMENTS); break;
                    case 4: pgas_copy_line_units<unsigned int>(pair, pairs, ARGUMENTS); break;
                    case 2: pgas_copy_line_units<unsigned short>(pair, pairs, ARGUMENTS); break;
                    default: pgas_copy_line_units<unsigned char>(pair, pairs, ARGUMENTS); break;
                }
            }
            """;

    static final Kernel KERNEL = new Kernel("pgas_copy_lines", SOURCE.replace("PARAMETERS", PARAMETERS)
            .replace("ARGUMENTS", PARAMETERS.replaceAll("(long long|int) ", "")).replace("THREADS", "" + THREADS)
            .replace("UNROLL", "" + UNROLL).replace("CACHE_LINE", "" + CACHE_LINE).replace("CHUNK", "" + CHUNK)
            .replace("OTHER_PLACES", numbers(1, "char *dst%d") + ", " + numbers(1, "const char *src%d"))
            .replace("ALL_PLACES", numbers(0, "{dst%1$d, src%1$d}")).replace("MAX_PAIRS", "" + MAX_PAIRS)
            .replace("OWN_BLOCKS", "" + OWN_BLOCKS).replace("PEER_BLOCKS", "" + PEER_BLOCKS), PieceLines::body);

    /** A text for each pair from number {@code first} on. */
    private static String numbers(int first, String text) {
        return IntStream.range(first, MAX_PAIRS).mapToObj(text::formatted).collect(Collectors.joining(", "));
    }

    /**
     * Lines of pieces {@code first} to {@code first + count - 1} in units of {@code unit} bytes; null if they are short, or begin
     * or end within a line.
     */
    static PieceLines of(Strided shape, long first, long count, int unit) {
        int inner = shape.levels() - 1;
        long perPiece = shape.run() / unit;
        long row = shape.count(inner);
        boolean whole = row > 0 && first % row == 0 && count % row == 0 && row <= Long.MAX_VALUE / perPiece;
        if (perPiece < LONG_PIECE && whole && row * perPiece >= MIN_LINE) {
            return new PieceLines(row * perPiece, perPiece, shape.dstStride(inner), shape.srcStride(inner), first / row,
                    count / row, levels(shape, inner), strides(shape, inner, true), strides(shape, inner, false));
        }
        if (perPiece >= MIN_LINE) {
            return new PieceLines(perPiece, perPiece, 0, 0, first, count, levels(shape, inner + 1),
                    strides(shape, inner + 1, true), strides(shape, inner + 1, false));
        }
        return null;
    }

    private static long[] levels(Strided shape, int used) {
        long[] counts = new long[PieceKernels.MAX_LEVELS];
        Arrays.fill(counts, 1);
        for (int level = 0; level < used; level++) {
            counts[counts.length - used + level] = Math.max(1, shape.count(level));
        }
        return counts;
    }

    private static long[] strides(Strided shape, int used, boolean dst) {
        long[] strides = new long[PieceKernels.MAX_LEVELS];
        for (int level = 0; level < used; level++) {
            strides[strides.length - used + level] = dst ? shape.dstStride(level) : shape.srcStride(level);
        }
        return strides;
    }

    private long perLine() {
        return Math.ceilDiv(units, (long) CHUNK);
    }

    /**
     * Queues the copy.
     *
     * @param pairs     of places, {@link #MAX_PAIRS} at most
     * @param dstExtent bytes from the first to behind the last that is written
     * @param srcExtent the same of those that are read
     * @param own       true if all sides are the device's own memory
     */
    void launch(AcceleratorStream stream, Accelerator device, List<Place.Pair> pairs, long dstExtent, long srcExtent, int unit,
                HostPieces.Packed packed, boolean own) {
        long chunks = Math.multiplyExact(perLine(), lines);
        int blocks = (int) Math.min(chunks, (own ? OWN_BLOCKS : PEER_BLOCKS) * device.multiprocessors());
        Object[] args = arguments(unit, packed, pairs.size());
        for (int pair = 0; pair < MAX_PAIRS; pair++) { // those that are not there name the first
            boolean there = pair < pairs.size();
            args[dst(pair)] = there ? PieceKernels.buffer(pairs.get(pair).to(), dstExtent) : args[dst(0)];
            args[src(pair)] = there ? PieceKernels.buffer(pairs.get(pair).from(), srcExtent) : args[src(0)];
        }
        stream.launch(KERNEL, new Kernel.Shape(blocks, THREADS), args);
    }

    /** Place of a pair's destination among the arguments. */
    private static int dst(int pair) {
        return pair == 0 ? 0 : PAIRS + pair;
    }

    private static int src(int pair) {
        return pair == 0 ? 1 : PAIRS + MAX_PAIRS - 1 + pair;
    }

    /** The kernel's arguments but for the places. */
    Object[] arguments(int unit, HostPieces.Packed packed, int pairs) {
        Object[] args = new Object[src(MAX_PAIRS)];
        args[2] = unit;
        args[3] = units;
        args[4] = perPiece;
        args[5] = dstStep;
        args[6] = srcStep;
        args[7] = first;
        args[8] = lines;
        args[9] = packed.ordinal();
        for (int level = 0; level < PieceKernels.MAX_LEVELS; level++) {
            if (level > 0) {
                args[LEVELS - 1 + level] = levels[level];
            }
            args[LEVELS + PieceKernels.MAX_LEVELS - 1 + level] = dst[level];
            args[LEVELS + 2 * PieceKernels.MAX_LEVELS - 1 + level] = src[level];
        }
        args[PAIRS] = pairs;
        return args;
    }

    // ---- Java body: the first thread of a block does the block's chunks

    private static void body(Kernel.At at, Kernel.Args args) {
        if (at.thread() > 0) {
            return;
        }
        PieceLines lines = of(args);
        long end = lines.perLine() * lines.lines();
        for (long chunk = at.block(); chunk < end; chunk += at.shape().blocks()) {
            for (int pair = 0; pair < args.intAt(PAIRS); pair++) {
                lines.copyChunk(args, pair, chunk);
            }
        }
    }

    private static PieceLines of(Kernel.Args args) {
        long[] counts = new long[PieceKernels.MAX_LEVELS];
        long[] dst = new long[PieceKernels.MAX_LEVELS];
        long[] src = new long[PieceKernels.MAX_LEVELS];
        for (int level = 0; level < PieceKernels.MAX_LEVELS; level++) {
            counts[level] = level > 0 ? args.longAt(LEVELS - 1 + level) : 1;
            dst[level] = args.longAt(LEVELS + PieceKernels.MAX_LEVELS - 1 + level);
            src[level] = args.longAt(LEVELS + 2 * PieceKernels.MAX_LEVELS - 1 + level);
        }
        return new PieceLines(args.longAt(3), args.longAt(4), args.longAt(5), args.longAt(6), args.longAt(7), args.longAt(8),
                counts, dst, src);
    }

    private void copyChunk(Kernel.Args args, int pair, long chunk) {
        int unit = args.intAt(2);
        HostPieces.Packed packed = HostPieces.Packed.values()[args.intAt(9)];
        long line = chunk / perLine();
        long from = chunk % perLine() * CHUNK;
        long to = Math.min(units, from + CHUNK);
        long rest = line + first;
        long d = 0;
        long s = 0;
        for (int level = PieceKernels.MAX_LEVELS - 1; level >= 0; level--) {
            long at = level > 0 ? rest % levels[level] : rest;
            rest /= levels[level];
            d += at * dst[level];
            s += at * src[level];
        }
        boolean dstPacked = packed == HostPieces.Packed.DST;
        boolean srcPacked = packed == HostPieces.Packed.SRC;
        copyUnits(args.segment(dst(pair)), dstPacked ? line * units * unit : d, dstPacked ? perPiece * unit : dstStep,
                args.segment(src(pair)), srcPacked ? line * units * unit : s, srcPacked ? perPiece * unit : srcStep, from, to, unit);
    }

    /** Units {@code from} to {@code to - 1} of a line: the rest of a piece, whole pieces, the begin of one. */
    private void copyUnits(MemorySegment dst, long d, long dStep, MemorySegment src, long s, long sStep, long from, long to,
            int unit) {
        long at = from;
        while (at < to) {
            long piece = at / perPiece;
            long within = at - piece * perPiece;
            long dAt = d + piece * dStep + within * unit;
            long sAt = s + piece * sStep + within * unit;
            long whole = within == 0 ? (to - at) / perPiece : 0;
            if (whole > 0) {
                HostPieces.row(dst, dAt, dStep, src, sAt, sStep, whole, perPiece * unit);
                at += whole * perPiece;
            } else {
                long part = Math.min(to - at, perPiece - within);
                MemorySegment.copy(src, sAt, dst, dAt, part * unit);
                at += part;
            }
        }
    }
}
