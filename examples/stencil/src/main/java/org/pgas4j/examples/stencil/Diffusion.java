package org.pgas4j.examples.stencil;

import java.lang.foreign.MemorySegment;
import org.pgas4j.ElementType;

/**
 * The arithmetic at one point, in CUDA and in Java: a Laplacian, its differences in both directions as fluxes with a limiter,
 * and the step. Both round alike, so results agree in every bit: the only product that a compiler could join with a sum into
 * one rounding and that is not exact anyway is written with {@code __fmul_rn}, which keeps them apart.
 */
final class Diffusion {

    static final float COEFFICIENT = 0.025f;

    static final String CUDA = "#define COEFFICIENT " + COEFFICIENT + "f\n" + """
            __device__ inline int place(int point, int i, int width, int row, int height, int isize, int rows) {
                return (point / width / height * rows + row + point / width % height) * isize + i + point % width;
            }

            __device__ inline float laplacian(const float *f, int row) {
                return ((f[-1] + f[1]) + (f[-row] + f[row])) - 4.0f * f[0];
            }

            __device__ inline float limited(float flux, float gradient) {
                return flux * gradient > 0.0f ? 0.0f : flux;
            }

            // Towards the next point (next = 1) or row (next = row).
            __device__ inline float flux(const float *f, int row, int next) {
                return limited(laplacian(f + next, row) - laplacian(f, row), f[next] - f[0]);
            }

            __device__ inline float step(float f, float xin, float xout, float yin, float yout) {
                return f - __fmul_rn(COEFFICIENT, (xout - xin) + (yout - yin));
            }

            __device__ inline float diffused(const float *f, int row) {
                return step(f[0], flux(f - 1, row, 1), flux(f, row, 1), flux(f - row, row, row), flux(f, row, row));
            }
            """;

    private Diffusion() {
    }

    static float laplacian(MemorySegment f, int at, int row) {
        return ((get(f, at - 1) + get(f, at + 1)) + (get(f, at - row) + get(f, at + row))) - 4.0f * get(f, at);
    }

    /** Only what flows from more to less. */
    static float limited(float flux, float gradient) {
        return flux * gradient > 0.0f ? 0.0f : flux;
    }

    private static float flux(MemorySegment f, int at, int row, int next) {
        return limited(laplacian(f, at + next, row) - laplacian(f, at, row), get(f, at + next) - get(f, at));
    }

    static float step(float f, float xin, float xout, float yin, float yout) {
        return f - COEFFICIENT * ((xout - xin) + (yout - yin));
    }

    static float diffused(MemorySegment f, int at, int row) {
        return step(get(f, at), flux(f, at - 1, row, 1), flux(f, at, row, 1), flux(f, at - row, row, row),
                flux(f, at, row, row));
    }

    static float get(MemorySegment memory, int at) {
        return memory.get(ElementType.LAYOUT_FLOAT, (long) at * Float.BYTES);
    }

    static void set(MemorySegment memory, int at, float value) {
        memory.set(ElementType.LAYOUT_FLOAT, (long) at * Float.BYTES, value);
    }
}
