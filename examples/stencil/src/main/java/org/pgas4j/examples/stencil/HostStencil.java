package org.pgas4j.examples.stencil;

import org.pgas4j.Buffer;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.SharedFloats;
import org.pgas4j.Stream;
import org.pgas4j.examples.stencil.Stencil.StencilCase;
import org.pgas4j.examples.stencil.Stencil.StencilStyle;
import org.pgas4j.kernel.ThreadKernel;

/** The host does the steps: kernels on the rank's stream, puts of halos behind them, a barrier. */
final class HostStencil extends DiffusionField {

    private final Stream stream;
    private final PointBox inner;
    private final boolean below;
    private final boolean above;
    private final long haloLength;
    private Buffer laplacian;
    private Buffer xFlux;
    private Buffer yFlux;
    private Buffer toSend;
    /** Packed halos that have come: of two steps in turn, from below and from above. */
    private SharedFloats received;

    HostStencil(Rank rank, StencilCase of) {
        super(rank, of);
        this.stream = rank.stream();
        this.inner = domain.inner();
        this.below = rank.rank() > 0;
        this.above = rank.rank() < rank.ranks() - 1;
        this.haloLength = domain.border(0).points();
        if (of.style() == StencilStyle.STAGED) {
            laplacian = rank.device().allocFloats(domain.length());
            xFlux = rank.device().allocFloats(domain.length());
            yFlux = rank.device().allocFloats(domain.length());
        }
        if (of.style() == StencilStyle.PACKED) {
            toSend = rank.device().allocFloats(2 * haloLength);
            try (var _ = rank.onDevice()) {
                received = rank.allAllocFloats(Layout.blocked(4 * haloLength), 4 * haloLength * rank.ranks());
            }
        }
    }

    @Override
    void steps(int count) {
        for (int step = 0; step < count; step++) {
            if (of.style() == StencilStyle.STAGED) {
                computeInStages(in(step).local(), out(step).local());
            } else {
                launch(inner, StencilKernels.fused(inner, in(step).local(), out(step).local()));
            }
            if (of.style() == StencilStyle.PACKED) {
                exchangePacked(out(step).local(), step);
            } else {
                exchange(out(step));
            }
        }
        stream.sync();
    }

    private void computeInStages(Buffer in, Buffer out) {
        PointBox around = inner.grown(1, 1);
        PointBox before = inner.grown(1, 0);
        launch(around, StencilKernels.laplacian(around, in, laplacian));
        launch(before, StencilKernels.fluxes(before, in, laplacian, xFlux, yFlux));
        launch(inner, StencilKernels.step(inner, in, xFlux, yFlux, out));
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
            pack(domain.border(Domain.HALO), field, rows);
            stream.memput(received.pointer((rank.rank() - 1) * 4 * haloLength + turn + haloLength), rows);
        }
        if (above) {
            Buffer rows = toSend.slice(haloLength, haloLength);
            pack(domain.border(domain.jsize()), field, rows);
            stream.memput(received.pointer((rank.rank() + 1) * 4 * haloLength + turn), rows);
        }
        stream.sync();
        rank.barrier();
        if (below) {
            unpack(domain.border(0), field, received.local().slice(turn, haloLength));
        }
        if (above) {
            unpack(domain.border(domain.jsize() + Domain.HALO), field,
                    received.local().slice(turn + haloLength, haloLength));
        }
    }

    private void pack(PointBox box, Buffer field, Buffer packed) {
        launch(box, StencilKernels.pack(box, field, packed));
    }

    private void unpack(PointBox box, Buffer field, Buffer packed) {
        launch(box, StencilKernels.unpack(box, field, packed));
    }

    private void launch(PointBox box, ThreadKernel kernel) {
        stream.launch(box.shape(of.runs().threads()), kernel);
    }

    @Override
    public void close() {
        if (of.style() == StencilStyle.STAGED) {
            laplacian.close();
            xFlux.close();
            yFlux.close();
        }
        if (of.style() == StencilStyle.PACKED) {
            toSend.close();
            rank.allFree(received);
        }
        super.close();
    }
}
