package org.pgas4j.array;

import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.SourceWindow;
import org.pgas4j.Stream;
import org.pgas4j.Team;

/**
 * A rank's part in a product of matrices by {@link MatrixAlgorithm#REDUCE} where c is in device memory, a block for each rank. The
 * sum for an owner begins at the rank after it and passes from rank to rank, some rows at a time; each adds the product of its
 * share of the inner dimension by the multiplication itself, the owner last: the reduce-scatter on a ring of P. Patarasuk and X.
 * Yuan (2009), with the product as its addition. Rows leave while the device multiplies the next ones. The order of additions
 * depends on the number of ranks alone.
 *
 * <p>In step s rank r has the block of rank r - 1 - s. Rows for a step arrive in one of two slots in turn, those of the last step in
 * c itself where the owner's rows follow each other without gaps.
 */
final class PassedProduct implements MatrixPlan {

    private static final int SLOTS = 2;
    private static final int ROWS_CAME = 0;
    private static final int SLOT_IS_FREE = 1;
    /** A block is passed on in about so many tiles of rows, unless they are smaller or larger than these numbers of elements. */
    private static final long TILES = 4;
    /** On the host device each call of the library packs all of an operand again: two tiles take 4 % more than one. */
    private static final long TILES_ON_HOST = 1;
    private static final long MIN_TILE = 64L << 10;
    private static final long MAX_TILE = 32L << 20;

    private final MatrixProduct product;
    private final MatrixView a;
    private final MatrixView b;
    private final GlobalArray c;
    private final ElementType type;
    private final Rank rank;
    private final Team team;
    private final int before;
    private final int after;
    private final int lastStep;
    private final Range share;
    private final boolean direct;
    private final boolean onHost;
    private final Stream[] streams; // of a GPU in turn: blocks of a tile fill it while the last ones of that before run
    private Stream stream;
    private final Buffer first;  // sums that begin here
    private final Buffer left;   // two tiles of a; one element if a is used in place
    private final Buffer right;  // the share of b; null if it is used in place
    private final SharedPointer slots;
    private final Buffer ownSlots;
    private final long slotElements;
    private final SourceWindow slotWindow;
    private final SourceWindow resultWindow;
    private int leftTiles;
    private int launched;

    /** Rows of an owner's block in a step. */
    private record Tile(int step, int owner, Range rows, Range columns, long row) {

        long count() {
            return rows.length() * columns.length();
        }
    }

    PassedProduct(MatrixProduct product) {
        this.product = product;
        this.a = product.a();
        this.b = product.b();
        this.c = product.c();
        this.type = c.type();
        this.rank = c.owner();
        this.team = c.team();
        int ranks = team.ranks();
        this.before = (team.rank() + ranks - 1) % ranks;
        this.after = (team.rank() + 1) % ranks;
        this.lastStep = ranks - 1;
        this.share = product.share(team.rank());
        this.direct = isWithoutGaps();
        this.slotElements = Math.max(1, c.distribution().lengthOn(0, 0) * c.distribution().lengthOn(0, 1));
        Device device = rank.device();
        this.onHost = device.backend() == Backend.HOST;
        this.streams = onHost ? new Stream[] {device.newStream()} : new Stream[] {device.newStream(), device.newStream()};
        this.first = device.alloc(type, slotElements);
        boolean inPlace = new MatrixBox(a, Range.of(0, a.rows()), share).isLocal();
        this.left = device.alloc(a.type(), inPlace ? 1 : Math.max(1, 2 * maxTileRows() * share.length()));
        this.right = bIsInPlace() ? null : device.alloc(b.type(), Math.max(1, share.length() * c.length(1)));
        int staged = Math.min(SLOTS, direct ? lastStep - 1 : lastStep);
        long bytes = type.bytes(Math.max(1, staged * slotElements));
        try (Scope _ = rank.onDevice()) {
            this.slots = TeamMemory.allocate(rank, team, bytes, type.code(), slotElements);
        }
        this.ownSlots = rank.memory().local(slots.cast(0, type.bytes()).onRank(rank.rank()), type, bytes / type.bytes());
        this.slotWindow = rank.createSourceWindow(team, slots.onRank(rank.rank()), bytes);
        this.resultWindow = rank.createSourceWindow(team, c.pointer(team.rank(), 0), type.bytes(c.localCount()));
    }

    private boolean isWithoutGaps() {
        boolean without = true;
        for (int member = 0; member < team.ranks(); member++) {
            long columns = c.distribution().lengthOn(member, 1);
            without &= columns == 0 || c.distribution().lengthOn(member, 0) == 0 || columns == c.stride(0);
        }
        return without;
    }

    private boolean bIsInPlace() {
        return new MatrixBox(b, share, Range.of(0, b.columns())).isLocal();
    }

    private long maxTileRows() {
        long most = 1;
        for (int owner = 0; owner < team.ranks(); owner++) {
            most = Math.max(most, tileRows(owner));
        }
        return most;
    }

    private long tileRows(int owner) {
        long rows = c.distribution().lengthOn(owner, 0);
        long columns = Math.max(1, c.distribution().lengthOn(owner, 1));
        long elements = Math.clamp(rows * columns / (onHost ? TILES_ON_HOST : TILES), MIN_TILE, MAX_TILE);
        return Math.clamp(Math.ceilDiv(elements, columns), 1, Math.max(1, rows));
    }

    @Override
    public void run(double alpha, double beta) {
        if (right != null && share.length() > 0) {
            b.section(share, Range.of(0, c.length(1))).get(right);
        }
        Tile open = null;
        Event done = null;
        for (int step = 0; step <= lastStep; step++) {
            int owner = Math.floorMod(team.rank() - 1 - step, team.ranks());
            Range rows = range(owner, 0);
            Range columns = range(owner, 1);
            long height = tileRows(owner);
            for (long row = 0; row < rows.length() && columns.length() > 0; row += height) {
                Tile tile = new Tile(step, owner, Range.of(rows.from() + row, Math.min(rows.to(), rows.from() + row + height)),
                        columns, row);
                if (step > 0 && !window(step).test(before, ROWS_CAME, 1)) {
                    finish(open, done); // others wait for it
                    open = null;
                    window(step).await(before, ROWS_CAME, 1);
                }
                stream = streams[launched++ % streams.length];
                multiply(tile, alpha, beta);
                Event next = stream.record();
                finish(open, done);
                open = tile;
                done = next;
            }
            if ((rows.length() == 0 || columns.length() == 0) && takesUsedSlot(step + 1)) {
                slotWindow.await(after, SLOT_IS_FREE, 1);
            }
            if (isStaged(step) && takesUsedSlot(step + SLOTS)) {
                finish(open, done);
                open = null;
                slotWindow.flush(after);
                slotWindow.signal(before, SLOT_IS_FREE);
            }
        }
        finish(open, done);
        slotWindow.flush();
        resultWindow.flush();
    }

    private Range range(int owner, int dimension) {
        Distribution distribution = c.distribution();
        long length = distribution.lengthOn(owner, dimension);
        if (length == 0) {
            return Range.of(0, 0);
        }
        long from = distribution.axis(dimension).index(distribution.coordinates(owner)[dimension], 0);
        return Range.of(from, from + length);
    }

    /** True if rows for a step come to a slot. */
    private boolean isStaged(int step) {
        return step > 0 && (direct ? step < lastStep : step <= lastStep);
    }

    /** True if rows for a step come to a slot in which others were. */
    private boolean takesUsedSlot(int step) {
        return isStaged(step) && step > SLOTS;
    }

    private SourceWindow window(int step) {
        return isStaged(step) ? slotWindow : resultWindow;
    }

    /** Place of a tile in the memory of the rank that has it in a step, in elements. */
    private long place(Tile tile, int step) {
        return isStaged(step) ? (step - 1) % SLOTS * slotElements + tile.row() * tile.columns().length()
                : c.origin() + tile.row() * c.stride(0);
    }

    /** The sums of a tile on this rank. */
    private MatrixBox.Elements sums(Tile tile) {
        Buffer memory = tile.step() == 0 ? first : isStaged(tile.step()) ? ownSlots : c.local().buffer();
        long place = tile.step() == 0 ? tile.row() * tile.columns().length() : place(tile, tile.step());
        return new MatrixBox.Elements(memory.slice(place, tile.count()), tile.columns().length());
    }

    private void multiply(Tile tile, double alpha, double beta) {
        MatrixBox.Elements sums = sums(tile);
        double factor = tile.step() == 0 ? beta : 1;
        if (tile.step() == 0 && beta != 0) {
            c.section(tile.rows(), tile.columns()).get(sums.buffer());
        }
        MatrixBox.multiply(stream, product.precision(), tile.rows().length(), tile.columns().length(), share.length(), alpha,
                rowsOfA(tile), columnsOfB(tile), factor, sums);
    }

    private MatrixBox.Elements rowsOfA(Tile tile) {
        MatrixBox box = new MatrixBox(a, tile.rows(), share);
        if (share.length() == 0) {
            return new MatrixBox.Elements(left, 1);
        }
        if (box.isLocal()) {
            return box.inPlace();
        }
        int half = leftTiles++ % 2; // that of the tile before the last one, which is computed
        return box.gather(left.slice(half * (left.length() / 2), left.length() / 2));
    }

    private MatrixBox.Elements columnsOfB(Tile tile) {
        if (share.length() == 0) {
            return new MatrixBox.Elements(left, tile.columns().length());
        }
        if (right == null) {
            return new MatrixBox(b, share, tile.columns()).inPlace();
        }
        long line = b.transposed() ? share.length() : c.length(1);
        long from = tile.columns().from() * (b.transposed() ? line : 1);
        return new MatrixBox.Elements(right.slice(from, right.length() - from), line, b.transposed());
    }

    /** Passes a tile on once it is computed, or writes it to c. */
    private void finish(Tile tile, Event done) {
        if (tile == null) {
            return;
        }
        done.sync();
        done.close();
        Buffer sums = sums(tile).buffer();
        if (tile.step() < lastStep) {
            if (tile.row() == 0 && takesUsedSlot(tile.step() + 1)) {
                slotWindow.await(after, SLOT_IS_FREE, 1);
            }
            window(tile.step() + 1).putNotify(after, type.bytes(place(tile, tile.step() + 1)), sums, ROWS_CAME);
        } else if (!direct) {
            c.section(tile.rows(), tile.columns()).put(sums);
        }
    }

    @Override
    public void close() {
        resultWindow.close();
        slotWindow.close();
        TeamMemory.free(rank, team, slots);
        first.close();
        left.close();
        if (right != null) {
            right.close();
        }
        for (Stream each : streams) {
            each.close();
        }
    }
}
