package org.pgas4j.examples.matmul;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.array.Axis;
import org.pgas4j.array.Distribution;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.LocalPart;
import org.pgas4j.array.Range;
import org.pgas4j.examples.matmul.Matmul.Dtype;
import org.pgas4j.examples.matmul.io.MatrixSource;

/**
 * A matrix in square tiles, dealt out to the ranks in turn, in device memory: tile (I, J), number J * down + I, holds its columns
 * one after the other, without gaps, and zeros beyond the matrix.
 */
final class IrregularTiles implements AutoCloseable {

    private final Rank rank;
    private final GlobalArray array;
    private final int rows;
    private final int columns;
    private final int side;
    private final int down;
    private final int across;

    /** Collective: a matrix without values. */
    IrregularTiles(Rank rank, Dtype dtype, boolean result, int rows, int columns, int side) {
        this.rank = rank;
        this.rows = rows;
        this.columns = columns;
        this.side = side;
        this.down = Math.ceilDiv(rows, side);
        this.across = Math.ceilDiv(columns, side);
        this.array = GlobalArray.allocate(rank, result ? dtype.resultType() : dtype.type(), MemoryKind.DEVICE,
                Distribution.of(Axis.cyclic((long) down * across, rank.ranks()), Axis.whole(side), Axis.whole(side)));
    }

    int down() {
        return down;
    }

    int across() {
        return across;
    }

    /** Elements of a tile. */
    long count() {
        return (long) side * side;
    }

    GlobalArray array() {
        return array;
    }

    /** The first element of a tile, at its owner. */
    SharedPointer tile(int i, int j) {
        return array.locate((long) j * down + i, 0, 0);
    }

    /** Writes this rank's tiles. */
    void fill(MatrixSource source) {
        LocalPart local = array.local();
        int coordinate = array.distribution().coordinates(rank.rank())[0];
        try (Arena arena = Arena.ofShared()) {
            MemorySegment whole = arena.allocate(array.type().bytes((long) side * rows), Double.BYTES);
            MemorySegment tile = arena.allocate(array.type().bytes(count()), Double.BYTES);
            long filled = -1; // columns of tiles in the memory
            for (long at = 0; at < local.length(0); at++) {
                long number = array.distribution().axis(0).index(coordinate, at);
                long first = number / down * side;
                long width = Math.min(side, columns - first);
                if (filled != first) {
                    source.columns(first, width, array.type(), whole);
                    filled = first;
                }
                tile.fill((byte) 0);
                long top = number % down * side;
                for (long j = 0; j < width; j++) {
                    MemorySegment.copy(whole, array.type().bytes(j * rows + top), tile, array.type().bytes(j * side),
                            array.type().bytes(Math.min(side, rows - top)));
                }
                rank.stream().copy(local.buffer().slice(local.at(at, 0, 0), count()), Buffer.ofHost(tile, array.type()));
                rank.stream().sync(); // the memory is used again
            }
        }
    }

    /** Reads one column of the matrix. */
    void column(long column, MemorySegment into) {
        long j = column / side;
        for (int i = 0; i < down; i++) {
            long length = Math.min(side, rows - (long) i * side);
            Buffer part = Buffer.ofHost(into, array.type()).slice((long) i * side, length);
            array.section(Range.at(j * down + i), Range.at(column % side), Range.of(0, length)).get(part);
        }
    }

    /** Collective. */
    @Override
    public void close() {
        array.close();
    }
}
