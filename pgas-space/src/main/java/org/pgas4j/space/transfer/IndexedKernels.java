package org.pgas4j.space.transfer;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;

/**
 * Kernels over pieces of one size at listed offsets: copies and atomic additions. The list is in device memory, two longs for each
 * piece: its offset in the destination and in the source. Units as those of {@link PieceKernels}; either side may be a peer's
 * memory.
 */
final class IndexedKernels {

    private static final String LOOP = """
                long long step = (long long) gridDim.x * blockDim.x;
                long long units = perPiece * pieces;
                for (long long i = (long long) blockIdx.x * blockDim.x + threadIdx.x; i < units; i += step) {
                    long long piece = i;
                    long long within = pgas_rest(piece, perPiece) * UNIT;
                    long long d = offsets[2 * piece] + within;
                    long long s = offsets[2 * piece + 1] + within;
                    ADD
                }
            """;

    private static final Kernel COPY = new Kernel("pgas_copy_indexed", PieceKernels.PLACE + """
            template <typename T> __device__ __forceinline__ void pgas_copy_indexed_units(char *dst, const char *src,
                    const long long *offsets, long long perPiece, long long pieces) {
            LOOP}
            """.replace("LOOP", LOOP).replace("ADD", "*(T *) (dst + d) = *(const T *) (src + s);")
            .replace("UNIT", "(long long) sizeof(T)") + """
            extern "C" __global__ void pgas_copy_indexed(char *dst, const char *src, const long long *offsets, int unit,
                    long long perPiece, long long pieces) {
                switch (unit) {
                    case 16: pgas_copy_indexed_units<uint4>(dst, src, offsets, perPiece, pieces); break;
                    case 8: pgas_copy_indexed_units<unsigned long long>(dst, src, offsets, perPiece, pieces); break;
                    case 4: pgas_copy_indexed_units<unsigned int>(dst, src, offsets, perPiece, pieces); break;
                    case 2: pgas_copy_indexed_units<unsigned short>(dst, src, offsets, perPiece, pieces); break;
                    default: pgas_copy_indexed_units<unsigned char>(dst, src, offsets, perPiece, pieces); break;
                }
            }
            """, IndexedKernels::copyBody);

    static final Map<KernelSum, Kernel> SUMS = KernelSum.kernels(sum -> new Kernel("pgas_accumulate_indexed_" + sum.suffix(),
            PieceKernels.PLACE + sum.in("""
            extern "C" __global__ void NAME(char *dst, const char *src, const long long *offsets, FACTOR alpha,
                    long long perPiece, long long pieces) {
            LOOP}
            """.replace("LOOP", LOOP).replace("NAME", "pgas_accumulate_indexed_" + sum.suffix())),
            (at, args) -> accumulateBody(at, args, sum)));

    private IndexedKernels() {
    }

    /**
     * Queues a copy of the pieces of a list.
     *
     * @param offsets   the list on the device
     * @param dstExtent bytes from the first to behind the last that is written
     * @param srcExtent the same of those that are read
     */
    static void copy(AcceleratorStream stream, Accelerator device, Place dst, long dstExtent, Place src, long srcExtent,
            Place offsets, OffsetList list) {
        long bits = list.bits() | list.pieceBytes() | PieceKernels.address(dst) | PieceKernels.address(src);
        int unit = (int) Long.lowestOneBit(bits | PieceKernels.MAX_UNIT);
        launch(stream, device, COPY, dst, dstExtent, src, srcExtent, offsets, list, unit, unit);
    }

    /** Queues an atomic addition of each element of the pieces of a list; as {@link #copy}. */
    static void accumulate(AcceleratorStream stream, Accelerator device, Place dst, long dstExtent, Place src, long srcExtent,
            Place offsets, OffsetList list, ElementType type, double alpha) {
        KernelSum sum = KernelSum.of(type);
        launch(stream, device, SUMS.get(sum), dst, dstExtent, src, srcExtent, offsets, list, sum.argument(alpha), type.bytes());
    }

    private static void launch(AcceleratorStream stream, Accelerator device, Kernel kernel, Place dst, long dstExtent, Place src,
            long srcExtent, Place offsets, OffsetList list, Object fourth, int unit) {
        long perPiece = list.pieceBytes() / unit;
        long count = list.count();
        Object[] args = {PieceKernels.buffer(dst, dstExtent), PieceKernels.buffer(src, srcExtent),
            PieceKernels.buffer(offsets, list.bytes()), fourth, perPiece, count};
        stream.launch(kernel, PieceKernels.grid(device, Math.multiplyExact(count, perPiece)), args);
    }

    // ---- Java bodies: the first thread of a block does the block's share of the pieces

    private static void copyBody(Kernel.At at, Kernel.Args args) {
        forEach(at, args, (d, s) -> MemorySegment.copy(args.segment(1), s, args.segment(0), d, args.intAt(3) * args.longAt(4)));
    }

    private static void accumulateBody(Kernel.At at, Kernel.Args args, KernelSum sum) {
        long bytes = sum.type().bytes(args.longAt(4));
        forEach(at, args, (d, s) -> HostSums.add(args.segment(0), d, args.segment(1), s, bytes, sum.type(), sum.alpha(args, 3)));
    }

    /** Takes the offsets of one piece. */
    @FunctionalInterface
    private interface Offsets {
        void piece(long dst, long src);
    }

    private static void forEach(Kernel.At at, Kernel.Args args, Offsets body) {
        if (at.thread() == 0) {
            MemorySegment offsets = args.segment(2);
            for (long piece = at.block(); piece < args.longAt(5); piece += at.shape().blocks()) {
                body.piece(offsets.getAtIndex(ElementType.LAYOUT_LONG, 2 * piece),
                        offsets.getAtIndex(ElementType.LAYOUT_LONG, 2 * piece + 1));
            }
        }
    }
}
