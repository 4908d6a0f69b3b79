package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.array.Range;
import org.pgas4j.array.Section;

/** Elements of a section, with the last dimension fastest. A run of them is a few boxes, at most two for each dimension. */
final class LinearSection extends Elements {

    private final Section section;
    private final List<Long> lengths = new ArrayList<>();

    LinearSection(Section section) {
        this.section = section;
        for (int dimension = 0; dimension < section.array().distribution().dimensions(); dimension++) {
            lengths.add(section.range(dimension).length());
        }
    }

    @Override
    public ElementType type() {
        return section.array().type();
    }

    @Override
    public long elementBytes() {
        return section.array().elementBytes();
    }

    @Override
    public List<Long> lengths() {
        return List.copyOf(lengths);
    }

    @Override
    void requireLive(Rank rank) {
        section.array().local();
    }

    @Override
    void get(Rank rank, long from, long count, MemorySegment into) {
        Buffer buffer = Buffer.ofHost(into, type());
        forEachBox(from, count, (box, at, length) -> section.section(box).get(part(buffer, at, length)));
    }

    @Override
    void put(Rank rank, long from, long count, MemorySegment values) {
        Buffer buffer = Buffer.ofHost(values, type());
        forEachBox(from, count, (box, at, length) -> section.section(box).put(part(buffer, at, length)));
    }

    /** Elements {@code at} to {@code at + length - 1} of a run; a buffer has records as bytes. */
    private Buffer part(Buffer run, long at, long length) {
        long each = elementBytes() / type().bytes();
        return run.slice(at * each, length * each);
    }

    /** Takes a box whose elements are elements {@code at} to {@code at + length - 1} of the run. */
    @FunctionalInterface
    interface BoxBody {
        void box(Range[] box, long at, long length);
    }

    /** Calls {@code body} with boxes that cover the run in order; each is as large as fits. */
    void forEachBox(long from, long count, BoxBody body) {
        long done = 0;
        while (done < count) {
            done += box(from + done, count - done, done, body);
        }
    }

    /** One box: the outermost dimension at which the run is at the start of an index and has a whole one left is cut. */
    private long box(long from, long count, long at, BoxBody body) {
        int dimensions = lengths.size();
        int cut = dimensions - 1;
        long unit = 1; // elements of an index of the cut dimension
        while (cut > 0 && from % (unit * lengths.get(cut)) == 0 && count >= unit * lengths.get(cut)) {
            unit *= lengths.get(cut--);
        }
        Range[] box = new Range[dimensions];
        for (int dimension = dimensions - 1; dimension > cut; dimension--) {
            box[dimension] = Range.of(0, lengths.get(dimension));
        }
        long number = from / unit;
        long first = number % lengths.get(cut);
        long indices = Math.min(count / unit, lengths.get(cut) - first);
        box[cut] = Range.of(first, first + indices);
        number /= lengths.get(cut);
        for (int dimension = cut - 1; dimension >= 0; dimension--) {
            box[dimension] = Range.at(number % lengths.get(dimension));
            number /= lengths.get(dimension);
        }
        body.box(box, at, indices * unit);
        return indices * unit;
    }
}
