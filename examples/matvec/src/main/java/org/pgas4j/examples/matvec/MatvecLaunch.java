package org.pgas4j.examples.matvec;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.examples.matvec.Matvec.MatvecCase;

/** A block program for all batches: the example's own, or another to compare it with. */
@FunctionalInterface
public interface MatvecLaunch {

    /**
     * Launches it on a rank's blocks; returns when queued. The client, rank 0, sends from {@code source} and receives in
     * {@code target}; servers receive in {@code target} and send from {@code source}.
     *
     * @param matrix by columns, {@link Products#SIDE} of as many floats
     * @param source shared memory
     * @param target shared memory
     */
    void launch(DeviceGrid grid, Buffer matrix, Buffer source, Buffer target, MatvecCase of);
}
