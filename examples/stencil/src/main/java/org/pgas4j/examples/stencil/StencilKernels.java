package org.pgas4j.examples.stencil;

import org.pgas4j.Buffer;
import org.pgas4j.kernel.ThreadKernel;

/** Kernels of which each thread does one point of a box; the arithmetic is that of {@link Diffusion}. */
final class StencilKernels {

    private StencilKernels() {
    }

    /** A whole step. */
    static ThreadKernel fused(PointBox box, Buffer in, Buffer out) {
        return self -> {
            int point = (int) self.global();
            if (point < box.points()) {
                int at = box.place(point);
                out.putFloat(at, diffused(in, at, box.isize()));
            }
        };
    }

    /** First stage. */
    static ThreadKernel laplacian(PointBox box, Buffer in, Buffer laplacian) {
        return self -> {
            int point = (int) self.global();
            if (point < box.points()) {
                int at = box.place(point);
                laplacian.putFloat(at, laplacian(in, at, box.isize()));
            }
        };
    }

    /** Second stage. */
    static ThreadKernel fluxes(PointBox box, Buffer in, Buffer laplacian, Buffer x, Buffer y) {
        return self -> {
            int point = (int) self.global();
            if (point < box.points()) {
                int at = box.place(point);
                x.putFloat(at, difference(in, laplacian, at, at + 1));
                y.putFloat(at, difference(in, laplacian, at, at + box.isize()));
            }
        };
    }

    /** Last stage. */
    static ThreadKernel step(PointBox box, Buffer in, Buffer x, Buffer y, Buffer out) {
        return self -> {
            int point = (int) self.global();
            if (point < box.points()) {
                int at = box.place(point);
                out.putFloat(at, Diffusion.step(in.getFloat(at), x.getFloat(at - 1), x.getFloat(at),
                        y.getFloat(at - box.isize()), y.getFloat(at)));
            }
        };
    }

    /** Gathers the points of a box. */
    static ThreadKernel pack(PointBox box, Buffer field, Buffer packed) {
        return self -> {
            int point = (int) self.global();
            if (point < box.points()) {
                packed.putFloat(point, field.getFloat(box.place(point)));
            }
        };
    }

    /** Spreads the points of a box. */
    static ThreadKernel unpack(PointBox box, Buffer field, Buffer packed) {
        return self -> {
            int point = (int) self.global();
            if (point < box.points()) {
                field.putFloat(box.place(point), packed.getFloat(point));
            }
        };
    }

    private static float laplacian(Buffer f, int at, int row) {
        float beside = (f.getFloat(at - 1) + f.getFloat(at + 1)) + (f.getFloat(at - row) + f.getFloat(at + row));
        return beside - 4.0f * f.getFloat(at);
    }

    private static float difference(Buffer in, Buffer laplacian, int at, int next) {
        return Diffusion.limited(laplacian.getFloat(next) - laplacian.getFloat(at), in.getFloat(next) - in.getFloat(at));
    }

    private static float flux(Buffer f, int at, int row, int next) {
        return Diffusion.limited(laplacian(f, at + next, row) - laplacian(f, at, row), f.getFloat(at + next) - f.getFloat(at));
    }

    /** New value of a point. */
    static float diffused(Buffer f, int at, int row) {
        return Diffusion.step(f.getFloat(at), flux(f, at - 1, row, 1), flux(f, at, row, 1), flux(f, at - row, row, row),
                flux(f, at, row, row));
    }
}
