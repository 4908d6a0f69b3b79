package org.pgas4j.bootstrap.node;

import org.pgas4j.MemoryKind;

/**
 * Address of one segment of one rank.
 *
 * @param rank       owner
 * @param kind       HOST or DEVICE
 * @param backend    {@code shm} for host segments, else the device backend's name
 * @param ordinal    device it is on; 0 for host segments
 * @param path       of the memory file; empty if the memory has none
 * @param token      the device backend's handle; empty for host segments
 * @param mappedBytes size of the whole file or device allocation
 * @param offset     of the segment in it, bytes
 * @param bytes      size of the segment
 * @param generation of the entry, from 1; with the job's name, distinguishes entries of a dead job from live ones
 * @param pid        of the process that owns it
 */
public record SegmentEntry(int rank, MemoryKind kind, String backend, int ordinal, String path, byte[] token,
                           long mappedBytes, long offset, long bytes, long generation, long pid) {
}
