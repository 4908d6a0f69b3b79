package org.pgas4j.runtime.blocks;

import java.util.ArrayDeque;

/**
 * Places of payloads in a page's ring {@link HostPage#PAYLOADS}, in the order in which they are read: by a block with a
 * message of the mailbox, or by a copy of the writer's stream. Used under the writer's lock.
 */
final class PayloadRing {

    static final int ALIGNMENT = 64;

    /** A payload in use: until so many messages are taken, or until this copy is done. */
    private record Use(boolean byStream, long number, long size) {
    }

    private final ArrayDeque<Use> uses = new ArrayDeque<>();
    private long allocated;
    private long free = HostPage.PAYLOADS_BYTES;

    /** Place of so many bytes in the page, or -1 if there is no room. */
    long tryAllocate(int bytes, boolean byStream, long number) {
        long size = (long) Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        if (size > free) {
            return -1;
        }
        long at = HostPage.PAYLOADS + allocated % HostPage.PAYLOADS_BYTES;
        allocated += size;
        free -= size;
        uses.add(new Use(byStream, number, size));
        return at;
    }

    /** Frees what has been read: by the first {@code taken} messages, and by the copies up to number {@code copied}. */
    void release(long taken, long copied) {
        for (Use use = uses.peek(); use != null && (use.byStream ? copied : taken) - use.number >= 0; use = uses.peek()) {
            free += use.size;
            uses.remove();
        }
    }
}
