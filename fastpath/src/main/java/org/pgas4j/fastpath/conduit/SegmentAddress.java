package org.pgas4j.fastpath.conduit;

/**
 * What a conduit needs to connect to a segment.
 *
 * @param path  where the memory is; empty where a conduit has no use for one
 * @param bytes size
 */
public record SegmentAddress(String path, long bytes) {
}
