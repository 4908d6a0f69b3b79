package org.pgas4j.fastpath.conduit;

import java.util.Objects;

/**
 * Map from ranks to values. It takes memory for the ranks that were put into it and not for all ranks of the job, of
 * which a rank may exchange messages with few. A hash table with open addressing, a quarter to half full. Not
 * thread-safe.
 *
 * @param <T> value of one rank
 */
public final class RankTable<T> {

    private static final int GOLDEN = 0x9E3779B9;
    private static final int FIRST_BITS = 3;

    private final int ranks;
    private int shift = Integer.SIZE - FIRST_BITS;
    private int[] keys = new int[1 << FIRST_BITS];
    private Object[] values = new Object[1 << FIRST_BITS];
    private int size;

    /** @param ranks number of ranks of the job: keys are 0..ranks-1 */
    public RankTable(int ranks) {
        this.ranks = ranks;
    }

    /** Number of ranks of the job. */
    public int ranks() {
        return ranks;
    }

    /** Number of ranks that have a value. */
    public int size() {
        return size;
    }

    /**
     * The value of a rank, or null.
     *
     * @throws IndexOutOfBoundsException if there is no such rank
     */
    public T get(int rank) {
        T value = find(rank);
        if (value == null && (rank < 0 || rank >= ranks)) {
            throw outOfRange(rank);
        }
        return value;
    }

    @SuppressWarnings("unchecked") // only put stores values
    private T find(int rank) {
        return (T) values[place(keys, values, shift, rank)];
    }

    /**
     * Index of a rank, or of the place for it. The multiplication spreads strides of powers of two, as trees have them.
     */
    private static int place(int[] keys, Object[] values, int shift, int rank) {
        int mask = keys.length - 1;
        int at = rank * GOLDEN >>> shift;
        while (values[at] != null && keys[at] != rank) {
            at = at + 1 & mask;
        }
        return at;
    }

    /**
     * Sets the value of a rank.
     *
     * @throws IndexOutOfBoundsException if there is no such rank
     */
    public void put(int rank, T value) {
        if (rank < 0 || rank >= ranks) {
            throw outOfRange(rank);
        }
        Objects.requireNonNull(value);
        int at = place(keys, values, shift, rank);
        if (values[at] == null) {
            if (2 * (size + 1) > keys.length) {
                grow();
                at = place(keys, values, shift, rank);
            }
            keys[at] = rank;
            size++;
        }
        values[at] = value;
    }

    /** Takes out the value of a rank, if it has one. */
    public void remove(int rank) {
        if (get(rank) == null) {
            return;
        }
        int[] oldKeys = keys;
        Object[] oldValues = values;
        keys = new int[oldKeys.length];
        values = new Object[oldKeys.length];
        for (int i = 0; i < oldKeys.length; i++) { // all others anew: a gap would hide those behind it
            if (oldValues[i] != null && oldKeys[i] != rank) {
                int at = place(keys, values, shift, oldKeys[i]);
                keys[at] = oldKeys[i];
                values[at] = oldValues[i];
            }
        }
        size--;
    }

    private void grow() {
        int[] moreKeys = new int[2 * keys.length];
        Object[] moreValues = new Object[2 * keys.length];
        for (int i = 0; i < keys.length; i++) {
            if (values[i] != null) {
                int at = place(moreKeys, moreValues, shift - 1, keys[i]);
                moreKeys[at] = keys[i];
                moreValues[at] = values[i];
            }
        }
        keys = moreKeys;
        values = moreValues;
        shift--;
    }

    private IndexOutOfBoundsException outOfRange(int rank) {
        return new IndexOutOfBoundsException("rank out of range: rank=" + rank + " ranks=" + ranks);
    }
}
