package org.pgas4j.examples.halo;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.Stream;

/** The block programs of {@code kernel} and {@code triggered}: the example's own, or others to compare them with. */
public interface HaloLaunch {

    /** The example's own programs. */
    HaloLaunch JAVA = new HaloLaunch() {

        @Override
        public void fused(DeviceGrid grid, Buffer u, Buffer next, Buffer send, Buffer receive, Buffer control, FusedPeriod of) {
            grid.launch(FusedLoop.program(u, next, send, receive, control, of));
        }

        @Override
        public void triggered(Stream stream, DeviceGrid grid, Buffer u, Buffer next, Buffer send, Buffer packed, int n,
                              int before, int after) {
            grid.launch(stream, TriggeredLoop.program(u, next, send, packed, n, before, after));
        }
    };

    /**
     * One period of {@code kernel}; returns when queued.
     *
     * @param u       the box, {@code next} after the period
     * @param send    both faces
     * @param receive both faces of the neighbours
     * @param control ints in shared memory: tickets that were drawn; the last period whose faces have come, from 1; the window
     *                of all blocks over the faces that ranks receive; the window over this memory
     */
    void fused(DeviceGrid grid, Buffer u, Buffer next, Buffer send, Buffer receive, Buffer control, FusedPeriod of);

    /**
     * The kernel of one period of {@code triggered}, after the work queued on {@code stream}; returns when queued.
     *
     * @param packed int that counts the blocks that have packed, 0 before the first period
     * @param before prepared put of the face towards the rank before
     * @param after  the same towards the rank after
     */
    void triggered(Stream stream, DeviceGrid grid, Buffer u, Buffer next, Buffer send, Buffer packed, int n, int before,
                   int after);
}
