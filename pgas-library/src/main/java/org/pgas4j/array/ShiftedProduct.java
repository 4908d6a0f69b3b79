package org.pgas4j.array;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Handle;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.SourceWindow;
import org.pgas4j.Stream;
import org.pgas4j.Team;

/**
 * A rank's part in a product of matrices by {@link MatrixAlgorithm#CANNON} on a grid of p x p ranks. In step s rank (i, j)
 * multiplies the parts of a and b with the inner indices of column (row) i + j + s, and passes a's to rank (i, j - 1) and b's to
 * rank (i - 1, j) meanwhile. Each rank has two slots for each operand, which steps take in turn:
 *
 * <pre>
 *   | a, even steps | a, odd steps | b, even steps | b, odd steps |
 * </pre>
 *
 * A slot is filled again when its owner has reported that it has multiplied and passed on what was there. Used by the rank's
 * thread.
 */
final class ShiftedProduct implements MatrixPlan {

    private static final int SLOTS = 2;
    private static final int A_CAME = 0;
    private static final int B_CAME = 1;
    private static final int A_IS_FREE = 2;
    private static final int B_IS_FREE = 3;

    private final MatrixProduct product;
    private final GlobalArray c;
    private final ElementType type;
    private final Rank rank;
    private final Team team;
    private final int side;
    private final boolean takesPart;
    private final List<GridPanel> parts;
    private final int toLeft;
    private final int toRight;
    private final int above;
    private final int below;
    private final long slotOfA;
    private final long slotOfB;
    private final SharedPointer slots;
    private final Buffer ownSlots;
    private final SourceWindow window;
    private final Stream compute;
    private final ResultOnDevice result;
    private Event done;

    /** Collective over the matrices' team. */
    ShiftedProduct(MatrixProduct product) {
        this.product = product;
        this.c = product.c();
        this.type = product.a().type();
        this.rank = c.owner();
        this.team = c.team();
        MatrixView own = MatrixView.of(c);
        int member = team.rank();
        this.side = own.axis(0).ranks();
        this.takesPart = own.isInGrid(member);
        int row = takesPart ? own.coordinate(member, 0) : 0;
        int column = takesPart ? own.coordinate(member, 1) : 0;
        this.toLeft = own.member(row, (column + side - 1) % side);
        this.toRight = own.member(row, (column + 1) % side);
        this.above = own.member((row + side - 1) % side, column);
        this.below = own.member((row + 1) % side, column);
        this.parts = takesPart ? parts(row, column) : List.of();
        long width = product.a().axis(1).maxLength();
        this.slotOfA = product.a().axis(0).maxLength() * width;
        this.slotOfB = product.b().axis(1).maxLength() * width;
        long elements = Math.max(1, SLOTS * (slotOfA + slotOfB));
        try (Scope _ = rank.onDevice()) {
            this.slots = TeamMemory.allocate(rank, team, type.bytes(elements), type.code(), slotOfA, slotOfB);
        }
        this.ownSlots = rank.memory().local(slots.cast(0, type.bytes()).onRank(rank.rank()), type, elements);
        this.window = rank.createSourceWindow(team, slots.onRank(rank.rank()), type.bytes(elements));
        this.compute = rank.device().newStream();
        this.result = new ResultOnDevice(c, takesPart && c.local().count() > 0);
    }

    private List<GridPanel> parts(int row, int column) {
        MatrixView a = product.a();
        MatrixView b = product.b();
        List<GridPanel> all = new ArrayList<>();
        for (int step = 0; step < side; step++) {
            int at = (row + column + step) % side;
            List<Overlap> inner = product.inner() == 0 ? List.of() : MatrixProduct.inner(product, at, at);
            all.add(new GridPanel(PanelPart.left(a, a.member(row, at), Range.of(0, a.axis(0).lengthOn(row)), inner),
                    PanelPart.right(b, b.member(at, column), Range.of(0, b.axis(1).lengthOn(column)), inner), step == 0));
        }
        return all;
    }

    @Override
    public void run(double alpha, double beta) {
        if (!takesPart) {
            return;
        }
        if (product.inner() == 0) {
            PulledProduct.scale(c, beta);
            return;
        }
        List<Handle> handles = new ArrayList<>();
        parts.getFirst().left().read(a(0), handles);
        parts.getFirst().right().read(b(0), handles);
        rank.rma().syncAll(handles.toArray(Handle[]::new));
        Buffer into = result.begin(compute, beta);
        Event before = null;
        for (int step = 0; step < side; step++) {
            if (step > 0) {
                window.await(toRight, A_CAME, 1);
                window.await(below, B_CAME, 1);
            }
            multiply(step, into, alpha, parts.get(step).isFirst() ? beta : 1);
            if (step > 0) {
                finish(step, before);
            }
            before = done;
            if (step + 1 < side) {
                passOn(step);
            }
        }
        result.end(compute);
        compute.sync();
        before.close();
        window.flush();
    }

    private Buffer a(int step) {
        return ownSlots.slice(step % SLOTS * slotOfA, slotOfA);
    }

    private Buffer b(int step) {
        return ownSlots.slice(SLOTS * slotOfA + step % SLOTS * slotOfB, slotOfB);
    }

    private void multiply(int step, Buffer into, double alpha, double beta) {
        GridPanel part = parts.get(step);
        LocalPart local = c.local();
        if (local.count() > 0) {
            MatrixBox.multiply(compute, product.precision(), local.length(0), local.length(1), part.left().width(), alpha,
                    part.left().dense(a(step)), part.right().dense(b(step)), beta, new MatrixBox.Elements(
                            into.slice(local.offset(), into.length() - local.offset()), local.stride(0)));
        }
        done = compute.record();
    }

    /** The slots of the step before are free once its product is done and its parts are passed on. */
    private void finish(int step, Event before) {
        before.sync();
        before.close();
        window.flush(toLeft);
        window.flush(above);
        if (step + 1 < side) {
            window.signal(toRight, A_IS_FREE);
            window.signal(below, B_IS_FREE);
        }
    }

    private void passOn(int step) {
        if (step > 0) {
            window.await(toLeft, A_IS_FREE, 1);
            window.await(above, B_IS_FREE, 1);
        }
        int next = (step + 1) % SLOTS;
        pass(toLeft, next * slotOfA, a(step).slice(0, parts.get(step).left().count()), A_CAME);
        pass(above, SLOTS * slotOfA + next * slotOfB, b(step).slice(0, parts.get(step).right().count()), B_CAME);
    }

    private void pass(int to, long place, Buffer elements, int tag) {
        if (elements.length() == 0) {
            window.signal(to, tag);
        } else {
            window.putNotify(to, type.bytes(place), elements, tag);
        }
    }

    @Override
    public void close() {
        window.close();
        TeamMemory.free(rank, team, slots);
        result.close();
        compute.close();
    }
}
