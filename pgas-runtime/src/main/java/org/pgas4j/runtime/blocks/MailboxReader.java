package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Takes the letters that the host of this rank has for its blocks, whoever they are for, while its block waits: at most one block
 * does at a time. The device library does the same for a GPU, where it saves the driver calls and what the stream needs: a
 * thread that polls host memory does no harm there, many would. Used by the block's thread.
 */
final class MailboxReader {

    private static final VarHandle LONG = HostPage.LONG;
    private static final int MAX_AT_ONCE = 64;

    private final HostBlock.World world;
    private final int block;
    private final long post;
    private final Command letter = new Command();

    MailboxReader(HostBlock.World world, int block) {
        this.world = world;
        this.block = block;
        this.post = world.area() + BlockLayout.POST;
    }

    /** Delivers what is there unless another block does. */
    void look() {
        MemorySegment own = world.ownSegment();
        long free = (long) LONG.getAcquire(own, post);
        if ((free & (1L << BlockLayout.POSTMAN_BITS) - 1) != 0 || !letter.readLetter(world.page(), free >>> BlockLayout.POSTMAN_BITS)
                || !LONG.compareAndSet(own, post, free, free | block + 1)) {
            return;
        }
        long taken = free >>> BlockLayout.POSTMAN_BITS;
        for (int i = 0; i < MAX_AT_ONCE && letter.readLetter(world.page(), taken); i++) {
            deliver(own);
            taken++;
        }
        world.page().set(HostPage.POST_TAKEN, taken);
        LONG.setRelease(own, post, taken << BlockLayout.POSTMAN_BITS);
    }

    private void deliver(MemorySegment own) {
        int length = letter.length();
        if (length == Long.BYTES && letter.offset() % Long.BYTES == 0) {
            LONG.setRelease(own, letter.offset(), letter.value()); // blocks wait for some of these words
        } else {
            for (int i = 0; i < length; i++) {
                own.set(ValueLayout.JAVA_BYTE, letter.offset() + i, (byte) (letter.value() >>> Byte.SIZE * i));
            }
        }
        if (letter.notifies()) {
            BlockLayout layout = world.layout();
            LONG.getAndAdd(own, world.area() + layout.record(letter.letterBlock()) + BlockLayout.DIRECT
                    + (long) letter.tag() * Long.BYTES, (long) letter.letterCount());
        }
    }
}
