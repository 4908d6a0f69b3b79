package org.pgas4j.bench.baseline;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.examples.himeno.HimenoLaunch;
import org.pgas4j.examples.himeno.HimenoPart;

/** The blocks of the example {@code himeno}. */
public final class CudaHimeno implements HimenoLaunch {

    private final GridProgram program;

    /** @param threads of a block */
    public CudaHimeno(int threads) {
        this.program = HandWritten.program("himeno.cu", "himeno_blocks", threads);
    }

    @Override
    public void launch(DeviceGrid grid, Buffer pressure, Buffer coefficients, Buffer sums, HimenoPart part, int iterations) {
        grid.launch(program, pressure, coefficients, sums, part.field(), part.planes(), part.planesBelow(), part.rows(),
                part.columns(), part.tiles().zTiles(), part.tiles().yTiles(), iterations);
    }
}
