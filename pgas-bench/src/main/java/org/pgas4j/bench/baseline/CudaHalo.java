package org.pgas4j.bench.baseline;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.Stream;
import org.pgas4j.examples.halo.FusedPeriod;
import org.pgas4j.examples.halo.HaloLaunch;

/** The block programs of the example {@code halo} in its styles {@code kernel} and {@code triggered}. */
public final class CudaHalo implements HaloLaunch {

    private final GridProgram fused;
    private final GridProgram triggered;

    /** @param threads of a block */
    public CudaHalo(int threads) {
        this.fused = HandWritten.program("halo.cu", "halo_fused", threads);
        this.triggered = HandWritten.program("halo.cu", "halo_triggered", threads);
    }

    @Override
    public void fused(DeviceGrid grid, Buffer u, Buffer next, Buffer send, Buffer receive, Buffer control, FusedPeriod of) {
        grid.launch(fused, u, next, send, receive, control, of.n(), of.period(), of.packers(), of.parts(), of.unpackers());
    }

    @Override
    public void triggered(Stream stream, DeviceGrid grid, Buffer u, Buffer next, Buffer send, Buffer packed, int n, int before,
                          int after) {
        grid.launch(stream, triggered, u, next, send, packed, n, before, after);
    }
}
