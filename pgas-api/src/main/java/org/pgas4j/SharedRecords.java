package org.pgas4j;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;

/**
 * A shared array of records, structs of a fixed size as a {@link MemoryLayout} describes them. Records are moved as a whole, as
 * they are in memory; their fields are read and written with the layout's {@code varHandle}, or singly by {@link #field} and
 * {@link Rma}.
 */
public final class SharedRecords extends SharedArray {

    private final MemoryLayout record;

    /**
     * Made by the runtime.
     *
     * @param base pointer to element 0, with the record's size
     */
    public SharedRecords(Rank owner, MemoryLayout record, Layout layout, long length, SharedPointer base) {
        super(owner, ElementType.BYTE, layout, length, base);
        this.record = record;
    }

    private SharedRecords(SharedRecords of, long from, long count) {
        super(of, from, count);
        this.record = of.record;
    }

    /** Layout of an element. */
    public MemoryLayout record() {
        return record;
    }

    /** Pointer to a field of element {@code index}, with the field's size as element size; indefinite block size. */
    public SharedPointer field(long index, MemoryLayout.PathElement... path) {
        return element(index).cast(0, 1).plus(record.byteOffset(path)).cast(0, record.select(path).byteSize());
    }

    /** As {@link SharedLongs#slice}. */
    public SharedRecords slice(long from, long count) {
        return new SharedRecords(this, from, count);
    }
}
