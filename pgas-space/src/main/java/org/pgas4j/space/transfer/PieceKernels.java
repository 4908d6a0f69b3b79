package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Strided;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * Kernels over the pieces of strided transfers: copies, with one side packed if wanted, and atomic additions. A thread handles
 * units of up to 16 bytes, a whole number of which is a piece; neighbouring threads handle neighbouring units, so that the
 * accesses of a warp join where pieces are long or lie side by side. Either side may be a peer's memory.
 */
final class PieceKernels {

    /** Levels that a kernel takes; shapes with more are launched once for each neighbour of the outer levels. */
    static final int MAX_LEVELS = 5;

    /** Largest unit, bytes. */
    static final int MAX_UNIT = 16;

    private static final int THREADS = 256;
    private static final int BLOCKS_OF_PROCESSOR = 8;

    /** Arguments that all kernels end with, and the offsets of a unit computed from them. */
    private static final String PARAMETERS = """
            long long perPiece, long long first, long long pieces, int packed,
                    long long n1, long long n2, long long n3, long long n4,
                    long long d0, long long d1, long long d2, long long d3, long long d4,
                    long long s0, long long s1, long long s2, long long s3, long long s4""";

    static final String PLACE = """
            __device__ __forceinline__ long long pgas_rest(long long &i, long long n) {
                if (n == 1) {
                    return 0;
                }
                long long quotient;
                if (((i | n) >> 32) == 0) {
                    quotient = (unsigned int) i / (unsigned int) n;  // a 64-bit division takes several times as long
                } else {
                    quotient = i / n;
                }
                long long rest = i - quotient * n;
                i = quotient;
                return rest;
            }
            """;

    private static final String LOOP = """
                long long step = (long long) gridDim.x * blockDim.x;
                long long units = perPiece * pieces;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < units; i += step) {
                    long long rest = i;
                    long long within = pgas_rest(rest, perPiece) * UNIT;
                    rest += first;
                    long long at = pgas_rest(rest, n4);
                    long long d = at * d4;
                    long long s = at * s4;
                    at = pgas_rest(rest, n3);
                    d += at * d3;
                    s += at * s3;
                    at = pgas_rest(rest, n2);
                    d += at * d2;
                    s += at * s2;
                    at = pgas_rest(rest, n1);
                    d += at * d1 + rest * d0 + within;
                    s += at * s1 + rest * s0 + within;
                    if (packed == 1) {
                        d = i * UNIT;
                    } else if (packed == 2) {
                        s = i * UNIT;
                    }
                    BODY
                }
            """;

    private static final String COPY_LOOP = """
            template <typename T> __device__ __forceinline__ void pgas_copy_units(char *dst, const char *src,
                    PARAMETERS) {
            LOOP}
            """.replace("LOOP", LOOP).replace("BODY", "*(T *) (dst + d) = *(const T *) (src + s);")
            .replace("UNIT", "(long long) sizeof(T)").replace("PARAMETERS", PARAMETERS);

    private static final Kernel COPY = new Kernel("pgas_copy_pieces", PLACE + COPY_LOOP + """
            extern "C" __global__ void pgas_copy_pieces(char *dst, const char *src, int unit, PARAMETERS) {
                switch (unit) {
                    case 16: pgas_copy_units<uint4>(dst, src, ARGUMENTS); break;
                    case 8: pgas_copy_units<unsigned long long>(dst, src, ARGUMENTS); break;
                    case 4: pgas_copy_units<unsigned int>(dst, src, ARGUMENTS); break;
                    case 2: pgas_copy_units<unsigned short>(dst, src, ARGUMENTS); break;
                    default: pgas_copy_units<unsigned char>(dst, src, ARGUMENTS); break;
                }
            }
            """.replace("PARAMETERS", PARAMETERS).replace("ARGUMENTS", PARAMETERS.replaceAll("(long long|int) ", "")),
            PieceKernels::copyBody);

    private static final int FIRST_SHARED_ARGUMENT = 3; // of the kernels over strided pieces

    static final Map<KernelSum, Kernel> SUMS = KernelSum.kernels(sum -> new Kernel("pgas_accumulate_" + sum.suffix(),
            PLACE + sum.in("""
            extern "C" __global__ void NAME(char *dst, const char *src, FACTOR alpha, PARAMETERS) {
            LOOP}
            """.replace("LOOP", LOOP).replace("BODY", "ADD").replace("PARAMETERS", PARAMETERS)
            .replace("NAME", "pgas_accumulate_" + sum.suffix())), (at, args) -> accumulateBody(at, args, sum)));

    private PieceKernels() {
    }

    // ---- launches

    /**
     * Queues a copy of pieces {@code first} to {@code first + count - 1}. Levels are {@link #MAX_LEVELS} at most.
     *
     * @param own true if both sides are the device's own memory
     */
    static void copy(AcceleratorStream stream, Accelerator device, Place dst, Place src, Strided shape, HostPieces.Packed packed,
                     long first, long count, boolean own) {
        copy(stream, device, List.of(new Place.Pair(dst, src)), shape, packed, first, count, own);
    }

    /**
     * Queues copies of all pieces between several pairs of places: where the pieces make lines, one launch for
     * {@link PieceLines#MAX_PAIRS} pairs, else one for each.
     *
     * @param own true if all sides are the device's own memory
     */
    static void copy(AcceleratorStream stream, Accelerator device, List<Place.Pair> pairs, Strided shape, boolean own) {
        copy(stream, device, pairs, shape, HostPieces.Packed.NEITHER, 0, shape.count(), own);
    }

    private static void copy(AcceleratorStream stream, Accelerator device, List<Place.Pair> pairs, Strided shape,
                             HostPieces.Packed packed, long first, long count, boolean own) {
        long bits = 0;
        for (Place.Pair pair : pairs) {
            bits |= address(pair.to()) | address(pair.from());
        }
        int unit = unit(shape, packed, bits);
        PieceLines lines = PieceLines.of(shape, first, count, unit);
        if (lines == null) {
            pairs.forEach(pair -> launch(stream, device, COPY, pair.to(), pair.from(), unit, unit, shape, packed, first, count));
            return;
        }
        for (int done = 0; done < pairs.size(); done += PieceLines.MAX_PAIRS) {
            lines.launch(stream, device, pairs.subList(done, Math.min(pairs.size(), done + PieceLines.MAX_PAIRS)),
                    dstExtent(shape, packed, count), srcExtent(shape, packed, count), unit, packed, own);
        }
    }

    /** A shape that a kernel takes, and where it starts. */
    @FunctionalInterface
    interface Launch {
        void launch(Place dst, Place src, Strided shape);
    }

    /** Launches a kernel, for each neighbour of the levels that it cannot take. */
    static void forEachLaunch(Strided shape, Place dst, Place src, Launch launch) {
        int outer = shape.levels() - MAX_LEVELS;
        if (outer <= 0) {
            launch.launch(dst, src, shape);
            return;
        }
        Strided inner = levels(shape, 1);
        for (long i = 0; i < shape.count(0); i++) {
            forEachLaunch(inner, dst.plus(i * shape.dstStride(0)), src.plus(i * shape.srcStride(0)), launch);
        }
    }

    /** The levels of a shape from {@code from} on. */
    private static Strided levels(Strided shape, int from) {
        int levels = shape.levels() - from;
        long[] counts = new long[levels];
        long[] dst = new long[levels];
        long[] src = new long[levels];
        for (int level = 0; level < levels; level++) {
            counts[level] = shape.count(from + level);
            dst[level] = shape.dstStride(from + level);
            src[level] = shape.srcStride(from + level);
        }
        return Strided.of(shape.run(), counts, dst, src);
    }

    /** Queues additions of all pieces, or of packed sources of some. */
    static void accumulate(AcceleratorStream stream, Accelerator device, Place dst, Place src, ElementType type, double alpha,
                           Strided shape, HostPieces.Packed packed, long first, long count) {
        KernelSum sum = KernelSum.of(type);
        launch(stream, device, SUMS.get(sum), dst, src, sum.argument(alpha), type.bytes(), shape, packed, first, count);
    }

    /** One thread for each unit, as far as the processors have room. */
    static Kernel.Shape grid(Accelerator device, long units) {
        long blocks = Math.ceilDiv(units, (long) THREADS);
        return new Kernel.Shape((int) Math.min(blocks, BLOCKS_OF_PROCESSOR * device.multiprocessors()), THREADS);
    }

    static long address(Place place) {
        return place.device().address() + place.offset();
    }

    private static void launch(AcceleratorStream stream, Accelerator device, Kernel kernel, Place dst, Place src, Object third,
                               int unit, Strided shape, HostPieces.Packed packed, long first, long count) {
        long run = shape.run();
        Object[] args = new Object[FIRST_SHARED_ARGUMENT + 4 + MAX_LEVELS - 1 + 2 * MAX_LEVELS];
        args[0] = buffer(dst, dstExtent(shape, packed, count));
        args[1] = buffer(src, srcExtent(shape, packed, count));
        args[2] = third;
        args[3] = run / unit;
        args[4] = first;
        args[5] = count;
        args[6] = packed.ordinal();
        int absent = MAX_LEVELS - shape.levels();
        for (int level = 0; level < MAX_LEVELS; level++) {
            int own = level - absent;
            if (level > 0) {
                args[6 + level] = own > 0 ? shape.count(own) : own == 0 ? Math.max(1, shape.count(0)) : 1L;
            }
            args[11 + level] = own >= 0 ? shape.dstStride(own) : 0L;
            args[11 + MAX_LEVELS + level] = own >= 0 ? shape.srcStride(own) : 0L;
        }
        stream.launch(kernel, grid(device, Math.multiplyExact(count, run / unit)), args);
    }

    private static long dstExtent(Strided shape, HostPieces.Packed packed, long count) {
        return packed == HostPieces.Packed.DST ? count * shape.run() : shape.dstExtent();
    }

    private static long srcExtent(Strided shape, HostPieces.Packed packed, long count) {
        return packed == HostPieces.Packed.SRC ? count * shape.run() : shape.srcExtent();
    }

    static Buffer buffer(Place place, long bytes) {
        return Buffer.ofDevice(place.device(), place.offset(), ElementType.BYTE, bytes);
    }

    /**
     * Largest power of two up to 16 that divides the piece and all addresses.
     *
     * @param addresses or'ed
     */
    private static int unit(Strided shape, HostPieces.Packed packed, long addresses) {
        long bits = shape.run() | addresses | MAX_UNIT;
        for (int level = 0; level < shape.levels(); level++) {
            bits |= (packed == HostPieces.Packed.DST ? 0 : shape.dstStride(level))
                    | (packed == HostPieces.Packed.SRC ? 0 : shape.srcStride(level));
        }
        return (int) Long.lowestOneBit(bits);
    }

    // ---- Java bodies: the first thread of a block does the block's share of the pieces

    private static void copyBody(Kernel.At at, Kernel.Args args) {
        if (at.thread() == 0) {
            Strided shape = shape(args, args.intAt(2));
            MemorySegment dst = args.segment(0);
            MemorySegment src = args.segment(1);
            share(at, args, shape, (d, dStride, s, sStride, n) -> {
                for (long i = 0; i < n; i++) {
                    MemorySegment.copy(src, s + i * sStride, dst, d + i * dStride, shape.run());
                }
            });
        }
    }

    private static void accumulateBody(Kernel.At at, Kernel.Args args, KernelSum sum) {
        if (at.thread() == 0) {
            ElementType type = sum.type();
            double alpha = sum.alpha(args, 2);
            Strided shape = shape(args, type.bytes());
            MemorySegment dst = args.segment(0);
            MemorySegment src = args.segment(1);
            share(at, args, shape, (d, dStride, s, sStride, n) -> {
                for (long i = 0; i < n; i++) {
                    HostSums.add(dst, d + i * dStride, src, s + i * sStride, shape.run(), type, alpha);
                }
            });
        }
    }

    /** The shape that the arguments describe. */
    private static Strided shape(Kernel.Args args, int unit) {
        long[] counts = new long[MAX_LEVELS];
        long[] dst = new long[MAX_LEVELS];
        long[] src = new long[MAX_LEVELS];
        long inner = 1;
        for (int level = MAX_LEVELS - 1; level >= 0; level--) {
            counts[level] = level > 0 ? args.longAt(6 + level) : Math.ceilDiv(args.longAt(4) + args.longAt(5), inner);
            inner = Math.max(1, inner * counts[level]);
            dst[level] = args.longAt(11 + level);
            src[level] = args.longAt(11 + MAX_LEVELS + level);
        }
        return Strided.of(args.longAt(3) * unit, counts, dst, src);
    }

    /** Rows of the block's share; an equal number of pieces for each block, counted from the launch's first. */
    private static void share(Kernel.At at, Kernel.Args args, Strided shape, HostPieces.Row row) {
        HostPieces.Packed packed = HostPieces.Packed.values()[args.intAt(6)];
        long count = args.longAt(5);
        long each = Math.ceilDiv(count, (long) at.shape().blocks());
        long from = Math.min(count, at.block() * each);
        long size = Math.min(count - from, each);
        long skipped = from * shape.run();
        HostPieces.forEachRow(shape, packed, args.longAt(4) + from, size, (d, dStride, s, sStride, n) ->
                row.pieces(packed == HostPieces.Packed.DST ? d + skipped : d, dStride,
                        packed == HostPieces.Packed.SRC ? s + skipped : s, sStride, n));
    }
}
