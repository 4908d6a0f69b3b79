package org.pgas4j.fastpath.conduit;

/**
 * Address of a segment, to which a conduit connects.
 *
 * @param path  path of the memory; empty if the conduit uses none
 * @param bytes size of the segment
 * @param key   data of the conduit, such as worker address and remote key; empty if it uses none
 */
public record SegmentAddress(String path, long bytes, byte[] key) {

    /** Length of the longest {@link #key}; a longer one is refused. */
    public static final int MAX_KEY_BYTES = 4096;
}
