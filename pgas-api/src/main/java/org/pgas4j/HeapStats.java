package org.pgas4j;

/**
 * Use of one rank's heap of one kind, in bytes.
 *
 * @param kind          which segment
 * @param capacityBytes size of the segment
 * @param usedBytes     allocated now, rounding to the allocator's granule included
 * @param highWaterBytes the most that was ever allocated at once
 * @param largestFreeBytes the largest single block that can be allocated now
 */
public record HeapStats(MemoryKind kind, long capacityBytes, long usedBytes, long highWaterBytes, long largestFreeBytes) {
}
