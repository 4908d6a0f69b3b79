package org.pgas4j.array;

import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.Handle;
import org.pgas4j.MemoryKind;
import org.pgas4j.Stream;

/**
 * Part of an operand that one rank of the grid has: its rows (of a) or columns (of b), for some inner indices. It is used
 * in place, copied as one run of memory, or read piece by piece to memory without gaps, in which inner indices follow each other.
 *
 * @param matrix operand
 * @param owner  member of the team
 * @param across places of its rows of a, or columns of b
 * @param inner  places of inner indices: side a among the owner's, side b among those of this part
 * @param lines  whether inner indices are the array's first dimension, lines of memory, and not places in a line
 */
record PanelPart(MatrixView matrix, int owner, Range across, List<Overlap> inner, boolean lines) {

    /** A run may have one element in so many that nobody needs. */
    private static final long ELEMENTS_FOR_A_GAP = 8;

    /** Part of a; side a of the pieces is a's. */
    static PanelPart left(MatrixView a, int owner, Range rows, List<Overlap> pieces) {
        return new PanelPart(a, owner, rows, packed(pieces, true), a.transposed());
    }

    /** Part of b; side b of the pieces is b's. */
    static PanelPart right(MatrixView b, int owner, Range columns, List<Overlap> pieces) {
        return new PanelPart(b, owner, columns, packed(pieces, false), !b.transposed());
    }

    /** The places of one side, and those in memory without gaps, one piece behind the other. */
    private static List<Overlap> packed(List<Overlap> pieces, boolean ofA) {
        long[] at = new long[1];
        return pieces.stream().map(piece -> {
            long first = at[0];
            at[0] += piece.count();
            long[] dense = new long[piece.counts().length];
            long step = 1;
            for (int level = dense.length - 1; level >= 0; level--) {
                dense[level] = step;
                step *= piece.counts()[level];
            }
            return new Overlap(ofA ? piece.a() : piece.b(), first, piece.counts(), ofA ? piece.aSteps() : piece.bSteps(), dense);
        }).toList();
    }

    private GlobalArray array() {
        return matrix.array();
    }

    long width() {
        return inner.stream().mapToLong(Overlap::count).sum();
    }

    long count() {
        return across.length() * width();
    }

    /** True if the inner indices follow each other at their owner. */
    private boolean isContiguous() {
        if (inner.size() != 1) {
            return false;
        }
        Overlap piece = inner.getFirst();
        boolean follow = true;
        for (int level = 0; level < piece.counts().length; level++) {
            follow &= piece.counts()[level] == 1 || piece.aSteps()[level] == piece.bSteps()[level];
        }
        return follow;
    }

    /** True if this rank has it on its device and may use it there. */
    boolean isInPlace() {
        return matrix.kind() == MemoryKind.DEVICE && owner == array().team().rank() && isContiguous() && count() > 0;
    }

    /** Elements from the first to the last one in the owner's memory. */
    private long span() {
        return lines ? (width() - 1) * array().stride(0) + across.length()
                : (across.length() - 1) * array().stride(0) + width();
    }

    /** True if it is one run of memory, but for a few elements in between. */
    boolean isOneRun() {
        return isContiguous() && count() > 0 && span() - count() <= count() / ELEMENTS_FOR_A_GAP;
    }

    /** Elements that a buffer for it has; 0 where it is used in place. */
    long room() {
        return isInPlace() ? 0 : isOneRun() ? span() : count();
    }

    private long place() {
        long first = inner.getFirst().a();
        return array().origin() + (lines ? first : across.from()) * array().stride(0) + (lines ? across.from() : first);
    }

    /** The elements of a part that {@link #isInPlace()}. */
    MatrixBox.Elements inPlace() {
        Buffer local = array().local().buffer();
        return elements(local.slice(place(), local.length() - place()), array().stride(0));
    }

    /** Queues the copy of a part that {@link #isOneRun()}. */
    MatrixBox.Elements copy(Stream stream, Buffer into) {
        Buffer run = into.slice(0, span());
        stream.memget(run, array().pointer(owner, place()));
        return elements(run, array().stride(0));
    }

    /** Starts reading it, without gaps; the bytes are there when all of the handles that are added are complete. */
    MatrixBox.Elements read(Buffer into, List<Handle> handles) {
        long line = Math.max(1, lines ? across.length() : width());
        List<Overlap> whole = List.of(new Overlap(across.from(), 0, new long[] {across.length()}, new long[] {1},
                new long[] {1}));
        if (count() > 0) {
            new Moves(lines ? List.of(inner, whole) : List.of(whole, inner), new long[] {array().stride(0), 1},
                    new long[] {line, 1}, array().type().bytes()).forEach((place, at, shape) -> handles.add(
                            array().owner().rma().get(into.slice(at, into.length() - at),
                                    array().pointer(owner, array().origin() + place), shape.reversed(), Completion.HANDLE)));
        }
        return elements(into, line);
    }

    /** Elements of memory without gaps. */
    MatrixBox.Elements dense(Buffer buffer) {
        return elements(buffer, Math.max(1, lines ? across.length() : width()));
    }

    private MatrixBox.Elements elements(Buffer buffer, long leading) {
        return new MatrixBox.Elements(buffer, leading, matrix.transposed());
    }
}
