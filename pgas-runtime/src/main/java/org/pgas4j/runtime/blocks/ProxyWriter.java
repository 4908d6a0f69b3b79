package org.pgas4j.runtime.blocks;

import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.StreamEvent;

/**
 * Writes into a rank's device memory on behalf of others: payloads, then counters, on one stream, so that they arrive in this
 * order. The only one that writes these counters, which is why it needs no atomic operation. Any thread; one at a time.
 */
final class ProxyWriter implements AutoCloseable {

    private final Accelerator accelerator;
    private final DeviceMemory memory;
    private final long segment;
    private final long area;
    private final BlockLayout layout;
    private final long[] counts;
    private AcceleratorStream stream;
    private boolean closed;

    /**
     * @param memory  allocation that holds the device segment
     * @param segment where the segment begins there
     * @param area    where the blocks' area begins in the segment
     */
    ProxyWriter(Accelerator accelerator, DeviceMemory memory, long segment, long area, BlockLayout layout) {
        this.accelerator = accelerator;
        this.memory = memory;
        this.segment = segment;
        this.area = area;
        this.layout = layout;
        this.counts = new long[layout.perRank() * BlockLayout.TAGS];
    }

    private AcceleratorStream stream() {
        if (closed) {
            throw new IllegalStateException("the blocks are closed");
        }
        if (stream == null) {
            stream = accelerator.newStream();
        }
        return stream;
    }

    /** Adds to a block's counter, after everything written here before. */
    synchronized void notify(int block, int tag, long count) {
        if (block < 0 || block >= layout.perRank() || tag < 0 || tag >= BlockLayout.TAGS) {
            throw new IllegalStateException("no block " + block + " or tag " + tag + " (" + layout.perRank() + " blocks)");
        }
        int index = block * BlockLayout.TAGS + tag;
        counts[index] += count;
        stream().writeValue(memory, segment + area + layout.proxy(block, tag), counts[index]);
    }

    /** Writes up to 8 bytes of the segment. */
    synchronized void put(long offset, long value, int bytes) {
        checkRange(offset, bytes);
        long at = segment + offset;
        if (bytes == Long.BYTES && at % Long.BYTES == 0) {
            stream().writeValue(memory, at, value);
        } else if (bytes == Integer.BYTES && at % Integer.BYTES == 0) {
            stream().writeValue32(memory, at, (int) value);
        } else {
            for (int i = 0; i < bytes; i++) {
                stream().fill(memory, at + i, 1, (byte) (value >>> Byte.SIZE * i));
            }
        }
    }

    /** Copies from another device's memory that this one reaches; the event passes when that is done. */
    synchronized StreamEvent copy(long offset, DeviceMemory from, long fromOffset, long bytes) {
        checkRange(offset, bytes);
        stream().copy(memory, segment + offset, from, fromOffset, bytes);
        return stream().record();
    }

    /** Writes a word of the area, at once: beside what a launch does. */
    synchronized void area(long offset, long value) {
        stream().writeValue(memory, segment + area + offset, value);
    }

    /** Writes a word of the area after an event of another device. */
    synchronized void areaAfter(StreamEvent event, long offset, long value) {
        stream().await(event);
        area(offset, value);
    }

    /** True if everything written here is there. */
    synchronized boolean isIdle() {
        return stream == null || stream.isIdle();
    }

    private void checkRange(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > memory.bytes() - segment - bytes) {
            throw new IndexOutOfBoundsException("put of a block out of its segment: offset=" + offset + " length=" + bytes
                    + " memoryBytes=" + (memory.bytes() - segment));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }
}
