package org.pgas4j.space.check;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The newest reads, or writes, of one rank in one part of an allocation: ranges that do not overlap. Neighbours of one line and
 * one time are one range. When there are too many, those at the lowest offsets are forgotten. Not thread-safe.
 */
final class AccessMap {

    private static final int MOST = 4096;

    /**
     * One range.
     *
     * @param end   behind it
     * @param epoch the rank's own time
     * @param words aligned words of 8 bytes of host memory
     * @param gives what the rank gives to those who read this word, if it is a flag; else null
     * @param what  the operation and its line
     */
    record Access(long from, long end, long epoch, boolean words, long[] gives, String what) {

        private Access cut(long newFrom, long newEnd) {
            return new Access(newFrom, newEnd, epoch, words, gives, what);
        }

        private boolean continuesAs(Access next) {
            return end == next.from && epoch == next.epoch && words == next.words && gives == null && next.gives == null
                    && what.equals(next.what);
        }
    }

    private final TreeMap<Long, Access> ranges = new TreeMap<>();

    /** Ranges that share bytes with {@code from..end}, in order. */
    Iterable<Access> overlapping(long from, long end) {
        Map.Entry<Long, Access> before = ranges.floorEntry(from);
        long first = before != null && before.getValue().end > from ? before.getKey() : from;
        return ranges.subMap(first, end).values();
    }

    /**
     * Takes the place of older ranges.
     *
     * @param known times up to which everybody knows what the rank did: such ranges are forgotten first when there are too many
     */
    void add(Access access, LongSupplier known) {
        cutAway(access.from, access.end);
        Map.Entry<Long, Access> before = ranges.lowerEntry(access.from);
        if (before != null && before.getValue().continuesAs(access)) {
            ranges.put(before.getKey(), before.getValue().cut(before.getKey(), access.end));
        } else {
            ranges.put(access.from, access);
        }
        if (ranges.size() > MOST) {
            long time = known.getAsLong();
            ranges.values().removeIf(range -> range.epoch <= time);
            while (ranges.size() > MOST / 4 * 3) {
                ranges.pollFirstEntry();
            }
        }
    }

    private void cutAway(long from, long end) {
        Map.Entry<Long, Access> before = ranges.lowerEntry(from);
        if (before != null && before.getValue().end > from) {
            Access old = before.getValue();
            ranges.put(old.from, old.cut(old.from, from));
            if (old.end > end) {
                ranges.put(end, old.cut(end, old.end));
                return;
            }
        }
        Map.Entry<Long, Access> last = ranges.lowerEntry(end);
        if (last != null && last.getKey() >= from && last.getValue().end > end) {
            ranges.put(end, last.getValue().cut(end, last.getValue().end));
        }
        ranges.subMap(from, end).clear();
    }

    int size() {
        return ranges.size();
    }
}
