package org.pgas4j.device.cuda;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.function.LongFunction;
import org.pgas4j.device.PinnedMemory;

/**
 * Words of page-locked memory, one for each stream of a device, which the stream writes behind its work: the host finds its end
 * half a microsecond earlier there than by asking the driver. A word on a cache line of its own. Any thread.
 */
final class EndWords {

    static final int SPACING = 128;

    private static final int WORDS_AT_ONCE = 256;

    private final LongFunction<PinnedMemory> allocator;
    private final ArrayDeque<MemorySegment> free = new ArrayDeque<>();

    /** @param allocator of page-locked memory that is freed with the device */
    EndWords(LongFunction<PinnedMemory> allocator) {
        this.allocator = allocator;
    }

    /** Takes a word. Allocates at times, which may wait for kernels of the device. */
    synchronized MemorySegment take() {
        if (free.isEmpty()) {
            MemorySegment words = allocator.apply((long) SPACING * WORDS_AT_ONCE).segment();
            for (long at = 0; at < words.byteSize(); at += SPACING) {
                free.add(words.asSlice(at, SPACING));
            }
        }
        return free.remove();
    }

    /** Takes back the word of a stream that will not write it any more. */
    synchronized void giveBack(MemorySegment word) {
        free.add(word);
    }
}
