package org.pgas4j.bench.baseline;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;
import org.pgas4j.examples.matvec.MatvecLaunch;

/** The blocks of the example {@code matvec}, a row of the matrix in each lane's registers and the vectors passed by shuffles. */
public final class CudaMatvec implements MatvecLaunch {

    private final GridProgram program;

    /** @param threads of a block */
    public CudaMatvec(int threads) {
        this.program = HandWritten.program("matvec.cu", "matvec_blocks", threads);
    }

    @Override
    public void launch(DeviceGrid grid, Buffer matrix, Buffer source, Buffer target, MatvecCase of) {
        grid.launch(program, matrix, source, target, target.bytes(), of.vectors(), of.batches(), of.depth());
    }
}
