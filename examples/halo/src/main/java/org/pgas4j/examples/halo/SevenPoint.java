package org.pgas4j.examples.halo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The seven-point stencil of a box of n x n rows of n floats, in both languages. Ranks are beside each other along the rows, so a
 * face, the first or the last float of every row, is not contiguous and must be packed. Across the other sides all is 0. No
 * multiplication is fused with an addition: every version computes the same bits.
 */
final class SevenPoint {

    static final float CENTRE = 0.4f;
    static final float BESIDE = 0.1f;

    /** Each does what lies at from, from + step ... before to; faces are the first's n * n floats, then the last's. */
    static final String CUDA = """
            __device__ void halo_value(const float *u, float *next, int n, long long at, float left, float right) {
                const long long plane = (long long) n * n;
                const int y = at / n % n, z = at / plane;
                const float sum = __fadd_rn(__fadd_rn(__fadd_rn(left, right),
                        __fadd_rn(y > 0 ? u[at - n] : 0.0f, y < n - 1 ? u[at + n] : 0.0f)),
                        __fadd_rn(z > 0 ? u[at - plane] : 0.0f, z < n - 1 ? u[at + plane] : 0.0f));
                next[at] = __fadd_rn(__fmul_rn(0.4f, u[at]), __fmul_rn(0.1f, sum));
            }

            // Rows.
            __device__ void halo_pack(const float *u, float *faces, int n, long long from, long long to, long long step) {
                for (long long row = from; row < to; row += step) {
                    faces[row] = u[row * n];
                    faces[(long long) n * n + row] = u[row * n + n - 1];
                }
            }

            // Points that need no face, n - 2 of each row.
            __device__ void halo_interior(const float *u, float *next, int n, long long from, long long to, long long step) {
                for (long long point = from; point < to; point += step) {
                    const long long at = point / (n - 2) * n + 1 + point % (n - 2);
                    halo_value(u, next, n, at, u[at - 1], u[at + 1]);
                }
            }

            // Rows: the two points that need a face.
            __device__ void halo_unpack(const float *u, float *next, const float *faces, int n, long long from, long long to,
                                        long long step) {
                for (long long row = from; row < to; row += step) {
                    halo_value(u, next, n, row * n, faces[row], u[row * n + 1]);
                    halo_value(u, next, n, row * n + n - 1, u[row * n + n - 2], faces[(long long) n * n + row]);
                }
            }
            """;

    private static final ValueLayout.OfFloat F = ValueLayout.JAVA_FLOAT;

    private SevenPoint() {
    }

    /** Rows {@code from} to {@code to - 1}, as the functions after it. */
    static void pack(MemorySegment u, MemorySegment faces, int n, long from, long to) {
        for (long row = from; row < to; row++) {
            faces.setAtIndex(F, row, u.getAtIndex(F, row * n));
            faces.setAtIndex(F, (long) n * n + row, u.getAtIndex(F, row * n + n - 1));
        }
    }

    static void interior(MemorySegment u, MemorySegment next, int n, long from, long to) {
        for (long row = from; row < to; row++) {
            for (long at = row * n + 1; at < (row + 1) * n - 1; at++) {
                value(u, next, n, at, u.getAtIndex(F, at - 1), u.getAtIndex(F, at + 1));
            }
        }
    }

    static void unpack(MemorySegment u, MemorySegment next, MemorySegment faces, int n, long from, long to) {
        for (long row = from; row < to; row++) {
            value(u, next, n, row * n, faces.getAtIndex(F, row), u.getAtIndex(F, row * n + 1));
            value(u, next, n, row * n + n - 1, u.getAtIndex(F, row * n + n - 2), faces.getAtIndex(F, (long) n * n + row));
        }
    }

    private static void value(MemorySegment u, MemorySegment next, int n, long at, float left, float right) {
        long plane = (long) n * n;
        int y = (int) (at / n % n);
        int z = (int) (at / plane);
        next.setAtIndex(F, at, value(u.getAtIndex(F, at), left, right, y > 0 ? u.getAtIndex(F, at - n) : 0,
                y < n - 1 ? u.getAtIndex(F, at + n) : 0, z > 0 ? u.getAtIndex(F, at - plane) : 0,
                z < n - 1 ? u.getAtIndex(F, at + plane) : 0));
    }

    /** The new value of a point from its own and the six beside it. */
    static float value(float own, float left, float right, float above, float below, float before, float behind) {
        return CENTRE * own + BESIDE * (((left + right) + (above + below)) + (before + behind));
    }
}
