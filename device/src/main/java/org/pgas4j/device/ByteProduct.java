package org.pgas4j.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.Kernel;

/**
 * Kernel for products of bytes of any shape, alignment and leading dimension, with exact sums of 32 bits that wrap. A block
 * computes 64 x 64 elements of c at a time from parts of both operands in shared memory, zeros beyond
 * their edges, four products by one instruction. GPU libraries take only columns of multiples of four bytes, and are several
 * times as fast there.
 */
public final class ByteProduct {

    /** Kernel whose arguments {@link #args} gives. */
    public static final Kernel KERNEL = new Kernel("pgas_gemm_bytes", source(), ByteProduct::run);

    private static final int TILE = 64;
    private static final int STEP = 32; // inner indices in shared memory
    private static final int SIDE = 16; // threads of a block in each dimension
    private static final int EACH = TILE / SIDE;
    private static final int MAX_BLOCKS = 1 << 20;

    private ByteProduct() {
    }

    /** Grid for a product; its m and n are not 0. */
    public static Kernel.Shape shape(Gemm gemm) {
        long down = Math.ceilDiv(gemm.m(), TILE);
        long across = Math.ceilDiv(gemm.n(), TILE);
        int blocks = down > MAX_BLOCKS / across ? MAX_BLOCKS : (int) (down * across);
        return new Kernel.Shape(blocks, SIDE * SIDE);
    }

    /** Arguments for a product of INT8, which is checked already. */
    public static Object[] args(Gemm gemm, Buffer a, Buffer b, Buffer c) {
        return new Object[] {a, b, c, gemm.m(), gemm.n(), gemm.k(), gemm.lda(), gemm.ldb(), gemm.ldc(), gemm.transposedA(),
            gemm.transposedB(), (int) gemm.alpha(), (int) gemm.beta()};
    }

    private static String source() {
        return """
                static __device__ void pgas_load(int (*tile)[STEP / 4 + 1], const signed char *matrix, long long first,
                                                 long long count, long long at, long long k, long long ld, bool innerFirst) {
                    for (int e = threadIdx.x; e < TILE * STEP; e += blockDim.x) {
                        int x = innerFirst ? e / STEP : e % TILE;
                        int l = innerFirst ? e % STEP : e / TILE;
                        signed char value = 0;
                        if (first + x < count && at + l < k) {
                            value = matrix[innerFirst ? (first + x) * ld + at + l : (at + l) * ld + first + x];
                        }
                        ((signed char *) tile[x])[l] = value;
                    }
                }

                extern "C" __global__ void pgas_gemm_bytes(const signed char *a, const signed char *b, unsigned int *c,
                        long long m, long long n, long long k, long long lda, long long ldb, long long ldc, bool transposedA,
                        bool transposedB, unsigned int alpha, unsigned int beta) {
                    __shared__ int left[TILE][STEP / 4 + 1]; // one word more, so that neighbours lie in different banks
                    __shared__ int right[TILE][STEP / 4 + 1];
                    long long down = (m + TILE - 1) / TILE;
                    long long tiles = down * ((n + TILE - 1) / TILE);
                    int row = threadIdx.x % SIDE;
                    int column = threadIdx.x / SIDE;
                    for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                        long long top = tile % down * TILE;
                        long long start = tile / down * TILE;
                        int sums[EACH][EACH] = {};
                        for (long long at = 0; at < k; at += STEP) {
                            pgas_load(left, a, top, m, at, k, lda, transposedA);
                            pgas_load(right, b, start, n, at, k, ldb, !transposedB);
                            __syncthreads();
                            for (int word = 0; word < STEP / 4; word++) {
                                for (int x = 0; x < EACH; x++) {
                                    for (int y = 0; y < EACH; y++) {
                                        sums[x][y] = __dp4a(left[row + x * SIDE][word], right[column + y * SIDE][word],
                                                sums[x][y]);
                                    }
                                }
                            }
                            __syncthreads();
                        }
                        for (int x = 0; x < EACH; x++) {
                            for (int y = 0; y < EACH; y++) {
                                long long i = top + row + x * SIDE;
                                long long j = start + column + y * SIDE;
                                if (i < m && j < n) {
                                    unsigned int *p = c + j * ldc + i;
                                    *p = alpha * (unsigned int) sums[x][y] + (beta == 0 ? 0 : beta * *p);
                                }
                            }
                        }
                    }
                }
                """.replace("TILE", Integer.toString(TILE)).replace("STEP", Integer.toString(STEP))
                .replace("SIDE", Integer.toString(SIDE)).replace("EACH", Integer.toString(EACH));
    }

    /** The elements of one thread; without shared memory, which the host device does not have. */
    private static void run(Kernel.At at, Kernel.Args args) {
        long m = args.longAt(3);
        long n = args.longAt(4);
        long down = Math.ceilDiv(m, TILE);
        long tiles = down * Math.ceilDiv(n, TILE);
        for (long tile = at.block(); tile < tiles; tile += at.shape().blocks()) {
            for (int element = 0; element < EACH * EACH; element++) {
                long row = tile % down * TILE + at.thread() % SIDE + element % EACH * SIDE;
                long column = tile / down * TILE + at.thread() / SIDE + element / EACH * SIDE;
                if (row < m && column < n) {
                    finish(args, row, column);
                }
            }
        }
    }

    private static void finish(Kernel.Args args, long row, long column) {
        int sum = sum(args, row, column);
        MemorySegment c = args.segment(2);
        long place = (column * args.longAt(8) + row) * Integer.BYTES;
        int beta = args.intAt(12);
        c.set(ElementType.LAYOUT_INT, place,
                args.intAt(11) * sum + (beta == 0 ? 0 : beta * c.get(ElementType.LAYOUT_INT, place)));
    }

    private static int sum(Kernel.Args args, long row, long column) {
        MemorySegment a = args.segment(0);
        MemorySegment b = args.segment(1);
        long lda = args.longAt(6);
        long ldb = args.longAt(7);
        boolean transposedA = args.booleanAt(9);
        boolean transposedB = args.booleanAt(10);
        int sum = 0;
        for (long inner = 0; inner < args.longAt(5); inner++) {
            sum += a.get(ValueLayout.JAVA_BYTE, transposedA ? row * lda + inner : inner * lda + row)
                    * b.get(ValueLayout.JAVA_BYTE, transposedB ? inner * ldb + column : column * ldb + inner);
        }
        return sum;
    }
}
