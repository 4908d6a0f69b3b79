package org.pgas4j.examples.stencil;

import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedFloats;
import org.pgas4j.Stream;

/** The host does the steps: kernels on the rank's stream, puts of halos behind them, a barrier. */
final class HostStencil implements Way {

    private static final String BOX = "int i, int width, int row, int height, int levels, int isize, int rows) {\n"
            + "    const int point = blockIdx.x * blockDim.x + threadIdx.x;\n"
            + "    if (point >= width * height * levels) {\n"
            + "        return;\n"
            + "    }\n"
            + "    const int at = place(point, i, width, row, height, isize, rows);\n";

    /** What a kernel does at a place; {@code point} is the place's number in the box. */
    private interface AtPlace {

        void run(Kernel.Args args, int point, int at, int row);
    }

    private static final Kernel FUSED = kernel("stencil_fused", 2, "const float *in, float *out", """
                out[at] = diffused(in + at, isize);
            """, (args, _, at, row) -> Diffusion.set(args.segment(1), at, Diffusion.diffused(args.segment(0), at, row)));

    private static final Kernel LAPLACIAN = kernel("stencil_laplacian", 2, "const float *in, float *lap", """
                lap[at] = laplacian(in + at, isize);
            """, (args, _, at, row) -> Diffusion.set(args.segment(1), at, Diffusion.laplacian(args.segment(0), at, row)));

    private static final Kernel FLUXES = kernel("stencil_fluxes", 4, "const float *in, const float *lap, float *x, float *y", """
                x[at] = limited(lap[at + 1] - lap[at], in[at + 1] - in[at]);
                y[at] = limited(lap[at + isize] - lap[at], in[at + isize] - in[at]);
            """, (args, _, at, row) -> {
                Diffusion.set(args.segment(2), at, flux(args, at, at + 1));
                Diffusion.set(args.segment(3), at, flux(args, at, at + row));
            });

    private static final Kernel STEP = kernel("stencil_step", 4, "const float *in, const float *x, const float *y, float *out", """
                out[at] = step(in[at], x[at - 1], x[at], y[at - isize], y[at]);
            """, (args, _, at, row) -> Diffusion.set(args.segment(3), at, Diffusion.step(Diffusion.get(args.segment(0), at),
                Diffusion.get(args.segment(1), at - 1), Diffusion.get(args.segment(1), at),
                Diffusion.get(args.segment(2), at - row), Diffusion.get(args.segment(2), at))));

    private static final Kernel PACK = kernel("stencil_pack", 2, "const float *field, float *packed", """
                packed[point] = field[at];
            """, (args, point, at, _) -> Diffusion.set(args.segment(1), point, Diffusion.get(args.segment(0), at)));

    private static final Kernel UNPACK = kernel("stencil_unpack", 2, "float *field, const float *packed", """
                field[at] = packed[point];
            """, (args, point, at, _) -> Diffusion.set(args.segment(0), at, Diffusion.get(args.segment(1), point)));

    private final Rank rank;
    private final Stream stream;
    private final Settings settings;
    private final Fields fields;
    private final Domain domain;
    private final Box inner;
    private final boolean below;
    private final boolean above;
    private final long haloLength;
    private Buffer laplacian;
    private Buffer xFlux;
    private Buffer yFlux;
    private Buffer toSend;
    /** Packed halos that have come: of two steps in turn, from below and from above. */
    private SharedFloats received;

    HostStencil(Rank rank, Settings settings, Fields fields) {
        this.rank = rank;
        this.stream = rank.stream();
        this.settings = settings;
        this.fields = fields;
        this.domain = fields.domain();
        this.inner = domain.inner();
        this.below = rank.rank() > 0;
        this.above = rank.rank() < rank.ranks() - 1;
        this.haloLength = domain.border(0).points();
        if (settings.style() == Style.STAGED) {
            laplacian = rank.device().allocFloats(domain.length());
            xFlux = rank.device().allocFloats(domain.length());
            yFlux = rank.device().allocFloats(domain.length());
        }
        if (settings.style() == Style.PACKED) {
            toSend = rank.device().allocFloats(2 * haloLength);
            try (var _ = rank.onDevice()) {
                received = rank.allAllocFloats(Layout.blocked(4 * haloLength), 4 * haloLength * rank.ranks());
            }
        }
    }

    @Override
    public void steps(int count) {
        for (int step = 0; step < count; step++) {
            if (settings.style() == Style.STAGED) {
                computeInStages(fields.in(step).local(), fields.out(step).local());
            } else {
                launch(FUSED, inner, fields.in(step).local(), fields.out(step).local());
            }
            if (settings.style() == Style.PACKED) {
                exchangePacked(fields.out(step).local(), step);
            } else {
                exchange(fields.out(step));
            }
        }
        stream.sync();
    }

    private void computeInStages(Buffer in, Buffer out) {
        launch(LAPLACIAN, inner.grown(1, 1), in, laplacian);
        launch(FLUXES, inner.grown(1, 0), in, laplacian, xFlux, yFlux);
        launch(STEP, inner, in, xFlux, yFlux, out);
    }

    /** A put for each level and neighbour. */
    private void exchange(SharedFloats array) {
        Buffer local = array.local();
        for (int level = 0; level < domain.levels(); level++) {
            if (below) {
                put(array, rank.rank() - 1, domain.jsize() + Domain.HALO, local, Domain.HALO, level);
            }
            if (above) {
                put(array, rank.rank() + 1, 0, local, domain.jsize(), level);
            }
        }
        stream.sync();
        rank.barrier();
    }

    private void put(SharedFloats array, int target, int targetRow, Buffer local, int row, int level) {
        stream.memput(array.pointer(target * domain.length() + domain.start(level, targetRow)),
                local.slice(domain.start(level, row), (long) Domain.HALO * domain.isize()));
    }

    /** A put for each neighbour, between kernels that gather and spread its rows. */
    private void exchangePacked(Buffer field, int step) {
        long turn = step % 2 * 2 * haloLength;   // the neighbour may still have to spread those of the step before
        if (below) {
            Buffer rows = toSend.slice(0, haloLength);
            launch(PACK, domain.border(Domain.HALO), field, rows);
            stream.memput(received.pointer((rank.rank() - 1) * 4 * haloLength + turn + haloLength), rows);
        }
        if (above) {
            Buffer rows = toSend.slice(haloLength, haloLength);
            launch(PACK, domain.border(domain.jsize()), field, rows);
            stream.memput(received.pointer((rank.rank() + 1) * 4 * haloLength + turn), rows);
        }
        stream.sync();
        rank.barrier();
        if (below) {
            launch(UNPACK, domain.border(0), field, received.local().slice(turn, haloLength));
        }
        if (above) {
            launch(UNPACK, domain.border(domain.jsize() + Domain.HALO), field,
                    received.local().slice(turn + haloLength, haloLength));
        }
    }

    private void launch(Kernel kernel, Box box, Object... arrays) {
        stream.launch(kernel, box.shape(settings.threads()), box.args(arrays));
    }

    @Override
    public void free() {
        if (settings.style() == Style.STAGED) {
            laplacian.close();
            xFlux.close();
            yFlux.close();
        }
        if (settings.style() == Style.PACKED) {
            toSend.close();
            rank.allFree(received);
        }
    }

    private static Kernel kernel(String name, int arrays, String parameters, String cuda, AtPlace java) {
        String source = Diffusion.CUDA + "\nextern \"C\" __global__ void " + name + "(" + parameters + ", " + BOX + cuda + "}\n";
        return new Kernel(name, source, (at, args) -> {
            Box box = Box.of(args, arrays);
            int point = Math.toIntExact(at.global());
            if (point < box.points()) {
                java.run(args, point, box.place(point), box.isize());
            }
        });
    }

    private static float flux(Kernel.Args args, int at, int next) {
        return Diffusion.limited(Diffusion.get(args.segment(1), next) - Diffusion.get(args.segment(1), at),
                Diffusion.get(args.segment(0), next) - Diffusion.get(args.segment(0), at));
    }
}
