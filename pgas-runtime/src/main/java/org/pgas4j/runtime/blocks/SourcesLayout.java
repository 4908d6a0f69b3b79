package org.pgas4j.runtime.blocks;

/**
 * Layout of the memory of a window that counts notifications by source, for a communicator of {@code all} blocks and {@code tags}
 * tags. Counts have 32 bits and wrap; of each kind there is one for each block and tag, those of a block in a row.
 *
 * <pre>
 *   0      header      of the device library alone
 *   64     arrived     from each source: written by the source alone
 *   ...    sent        to each target
 *   ...    taken       of those that arrived: consumed
 * </pre>
 */
final class SourcesLayout {

    static final int HEADER_BYTES = 64;
    static final int COUNT_BYTES = Integer.BYTES;
    static final int ARRIVED = 0;
    static final int SENT = 1;
    static final int TAKEN = 2;
    /** Kinds of counts. */
    static final int KINDS = 3;

    private SourcesLayout() {
    }

    static long bytes(long all, long tags) {
        return HEADER_BYTES + KINDS * all * tags * COUNT_BYTES;
    }

    /** Offset of a count of notifications that have arrived. */
    static long arrived(long tags, long source, long tag) {
        return HEADER_BYTES + (source * tags + tag) * COUNT_BYTES;
    }
}
