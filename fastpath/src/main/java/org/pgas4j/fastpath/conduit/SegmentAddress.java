package org.pgas4j.fastpath.conduit;

/**
 * What a conduit needs to connect to a segment.
 *
 * @param path  where the memory is; empty where a conduit has no use for one
 * @param bytes size
 * @param key   the conduit's own: worker address and remote key, say; empty where it needs none
 */
public record SegmentAddress(String path, long bytes, byte[] key) {

    /** Longest {@link #key}; what arrives longer is refused. */
    public static final int MAX_KEY_BYTES = 4096;
}
