package org.pgas4j.bench.baseline;

import org.pgas4j.CudaCode;
import org.pgas4j.GridProgram;

/** Programs of a resource beside this class. */
final class HandWritten {

    private HandWritten() {
    }

    /**
     * A program without a form for the host device.
     *
     * @param threads of a block, for which it is compiled: as many registers as those leave
     */
    static GridProgram program(String resource, String name, int threads) {
        return new GridProgram(name, null, CudaCode.resource(HandWritten.class, resource).withOptions("-DTHREADS=" + threads));
    }
}
