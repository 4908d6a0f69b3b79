package org.pgas4j.array;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.Event;

/**
 * A rank's part in a product of matrices by {@link MatrixAlgorithm#PULL}: its elements of c, computed by its device. What the rank
 * has on its device is multiplied where it lies; the rest is copied there while the device multiplies what came before, by a
 * stream of its own where it is one run of memory.
 */
final class PulledProduct implements MatrixPlan {

    private static final int HALVES = 2;
    /** Elements of boxes that are copied to the device at a time: twice the rank's part of c, or this. */
    private static final long MIN_ROOM = 4L << 20;
    private static final long MIN_WIDTH = 256;
    /** Each panel reads and writes c, and rounds it. */
    static final long MAX_WIDTH = 32_768;

    private final MatrixProduct product;
    private final GlobalArray c;
    private final List<PulledPanel> panels;
    private final ProductStreams streams;
    private final Buffer held;
    private final Buffer streamed;
    private final ResultOnDevice result;
    private final Event[] heldFree = new Event[HALVES];
    private final Event[] streamedFree;

    PulledProduct(MatrixProduct product) {
        this.product = product;
        this.c = product.c();
        boolean empty = c.local().count() == 0 || product.inner() == 0;
        this.panels = empty ? List.of() : panels(product, Math.max(MIN_ROOM, 2 * c.local().count()));
        Device device = c.owner().device();
        this.streams = new ProductStreams(device);
        long box = panels.stream().mapToLong(PulledPanel::roomForStreamed).max().orElse(0);
        long boxes = panels.stream().mapToLong(PulledPanel::moved).sum();
        long together = box == 0 ? 0 : Math.min(boxes, Math.max(HALVES, MIN_ROOM / box));
        this.held = alloc(device, HALVES * panels.stream().mapToLong(PulledPanel::roomForHeld).max().orElse(0));
        this.streamed = alloc(device, together * box);
        this.streamedFree = new Event[Math.toIntExact(together)];
        this.result = new ResultOnDevice(c, !empty);
    }

    private Buffer alloc(Device device, long room) {
        return room == 0 ? null : device.alloc(product.a().type(), room);
    }

    /** The widest panels of which the boxes that are on the device at a time, and must be copied there, fit a room of elements. */
    static List<PulledPanel> panels(MatrixProduct product, long room) {
        for (long width = MAX_WIDTH;; width /= 2) {
            List<PulledPanel> panels = PulledPanel.of(product, width);
            if (width <= MIN_WIDTH || panels.stream().allMatch(panel -> panel.roomForHeld() + panel.roomForStreamed() <= room)) {
                return panels;
            }
        }
    }

    @Override
    public void run(double alpha, double beta) {
        if (c.local().count() == 0) {
            return;
        }
        if (product.inner() == 0) {
            scale(c, beta);
            return;
        }
        multiply(result.begin(streams.compute(), beta), c.local(), alpha, beta);
        result.end(streams.compute());
        streams.finish();
    }

    /** Multiplies this rank's elements by {@code beta}; whatever they were, they are 0 after 0. */
    static void scale(GlobalArray c, double beta) {
        if (beta == 0) {
            Arithmetic.of(c).fill(0);
        } else if (beta != 1) {
            Arithmetic.of(c).scale(beta);
        }
    }

    private void multiply(Buffer into, LocalPart local, double alpha, double beta) {
        Arrays.fill(heldFree, null);
        Arrays.fill(streamedFree, null);
        int box = 0;
        for (int step = 0; step < panels.size(); step++) {
            PulledPanel panel = panels.get(step);
            int half = step % HALVES;
            List<MatrixBox.Elements> together = new ArrayList<>();
            long at = 0;
            for (PulledPanel.Part part : panel.held()) {
                together.add(load(part.box(), held, half, at, heldFree));
                at += part.box().room();
            }
            for (PulledPanel.Part part : panel.streamed()) {
                boolean moves = part.box().room() > 0;
                MatrixBox.Elements elements = load(part.box(), streamed, moves ? box % streamedFree.length : 0, 0, streamedFree);
                for (int i = 0; i < together.size(); i++) {
                    add(panel, panel.held().get(i), together.get(i), part, elements, into, local, alpha, step == 0 ? beta : 1);
                }
                if (moves) {
                    streamedFree[box++ % streamedFree.length] = streams.mark();
                }
            }
            heldFree[half] = streams.mark();
        }
    }

    /** A box on the device, at {@code at} of a part of a buffer once that is free, or in place; what is multiplied waits for it. */
    private MatrixBox.Elements load(MatrixBox box, Buffer all, int number, long at, Event[] free) {
        if (box.isLocal()) {
            return box.inPlace();
        }
        long size = all.length() / free.length;
        Buffer into = all.slice(number * size + at, size - at);
        if (free[number] != null) {
            free[number].sync();
        }
        return box.isOneRun() ? streams.copy(product.a().type().bytes(box.room()), stream -> box.copy(stream, into))
                : box.gather(into);
    }

    private void add(PulledPanel panel, PulledPanel.Part held, MatrixBox.Elements heldElements, PulledPanel.Part other,
                     MatrixBox.Elements elements, Buffer into, LocalPart local, double alpha, double beta) {
        PulledPanel.Part left = panel.holdsB() ? other : held;
        PulledPanel.Part right = panel.holdsB() ? held : other;
        long place = local.offset() + left.at() * local.stride(0) + right.at();
        MatrixBox.multiply(streams.compute(), product.precision(), left.box().rows().length(), right.box().columns().length(),
                panel.inner().length(), alpha, panel.holdsB() ? elements : heldElements,
                panel.holdsB() ? heldElements : elements, beta,
                new MatrixBox.Elements(into.slice(place, into.length() - place), local.stride(0)));
    }

    @Override
    public void close() {
        for (Buffer each : new Buffer[] {held, streamed}) {
            if (each != null) {
                each.close();
            }
        }
        result.close();
        streams.close();
    }
}
