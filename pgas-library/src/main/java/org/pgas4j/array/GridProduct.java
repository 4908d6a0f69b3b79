package org.pgas4j.array;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.Event;
import org.pgas4j.Handle;

/**
 * A rank's part in a product of matrices by {@link MatrixAlgorithm#SUMMA}: all of its c at once, in panels of the inner
 * dimension. A panel arrives while the device multiplies the one before; memory is that of two panels, at most about four times
 * c's. Used by the rank's thread.
 */
final class GridProduct implements MatrixPlan {

    private static final int HALVES = 2;
    /** Elements of a panel, where the rank's part of c has fewer. */
    private static final long MIN_ROOM = 4L << 20;
    private static final long MIN_WIDTH = 256;

    private final MatrixProduct product;
    private final GlobalArray c;
    private final List<GridPanel> panels;
    private final ProductStreams streams;
    private final Buffer left;  // two panels of a; null if all of them are used in place
    private final Buffer right; // two panels of b, likewise
    private final ResultOnDevice result;
    private final MatrixBox.Elements[] leftElements = new MatrixBox.Elements[HALVES];
    private final MatrixBox.Elements[] rightElements = new MatrixBox.Elements[HALVES];
    private final Event[] done = new Event[HALVES];
    private final List<Handle> handles = new ArrayList<>();

    GridProduct(MatrixProduct product) {
        this.product = product;
        this.c = product.c();
        LocalPart local = c.local();
        boolean empty = local.count() == 0 || product.inner() == 0;
        this.panels = empty ? List.of() : GridPanel.of(product, width(local));
        Device device = c.owner().device();
        this.streams = new ProductStreams(device);
        this.left = alloc(device, panels.stream().mapToLong(panel -> panel.left().room()).max().orElse(0));
        this.right = alloc(device, panels.stream().mapToLong(panel -> panel.right().room()).max().orElse(0));
        this.result = new ResultOnDevice(c, !empty);
    }

    /** Widest panel: both operands' parts take at most twice the memory of the rank's part of c. */
    private static long width(LocalPart local) {
        long room = Math.max(MIN_ROOM, 2 * local.count());
        return Math.clamp(room / (local.length(0) + local.length(1)), MIN_WIDTH, GridPanel.MAX_WIDTH);
    }

    private Buffer alloc(Device device, long room) {
        return room == 0 ? null : device.alloc(product.a().type(), HALVES * room);
    }

    @Override
    public void run(double alpha, double beta) {
        if (panels.isEmpty()) {
            if (c.local().count() > 0) {
                PulledProduct.scale(c, beta);
            }
            return;
        }
        Arrays.fill(done, null);
        Buffer into = result.begin(streams.compute(), beta);
        load(0);
        for (int step = 0; step < panels.size(); step++) {
            arrive();
            multiply(step, into, alpha, panels.get(step).isFirst() ? beta : 1);
            if (step + 1 < panels.size()) {
                load(step + 1); // to the half of the panel before, while the device multiplies this one
            }
        }
        result.end(streams.compute());
        streams.finish();
    }

    private void load(int step) {
        GridPanel panel = panels.get(step);
        int half = step % HALVES;
        leftElements[half] = load(panel.left(), left, half);
        rightElements[half] = load(panel.right(), right, half);
    }

    /** In place, or to a half of a buffer, once what was multiplied there is done. */
    private MatrixBox.Elements load(PanelPart part, Buffer both, int half) {
        if (part.isInPlace()) {
            return part.inPlace();
        }
        Buffer into = both.slice(half * (both.length() / HALVES), both.length() / HALVES);
        if (done[half] != null) {
            done[half].sync();
        }
        return part.isOneRun() ? streams.copy(product.a().type().bytes(part.room()), stream -> part.copy(stream, into))
                : part.read(into, handles);
    }

    /** Waits for what the host has started to read. */
    private void arrive() {
        if (!handles.isEmpty()) {
            c.owner().rma().syncAll(handles.toArray(Handle[]::new));
            handles.clear();
        }
    }

    private void multiply(int step, Buffer into, double alpha, double beta) {
        int half = step % HALVES;
        GridPanel panel = panels.get(step);
        LocalPart local = c.local();
        long place = local.offset() + panel.rows().from() * local.stride(0);
        MatrixBox.multiply(streams.compute(), product.precision(), panel.rows().length(), local.length(1), panel.width(), alpha,
                leftElements[half], rightElements[half], beta,
                new MatrixBox.Elements(into.slice(place, into.length() - place), local.stride(0)));
        done[half] = streams.mark();
    }

    @Override
    public void close() {
        for (Buffer each : new Buffer[] {left, right}) {
            if (each != null) {
                each.close();
            }
        }
        result.close();
        streams.close();
    }
}
