package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Takes the messages of this rank's host for its blocks, for all of them, while its own block waits; at most one block
 * does at a time. The device library does the same on a GPU, where it saves the driver's calls and the stream's time:
 * one thread that polls host memory does no harm there, many would. Used by the block's thread.
 */
final class MailboxReader {

    private static final VarHandle LONG = HostPage.LONG;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final int MAX_AT_ONCE = 64;

    private final HostBlock.World world;
    private final int block;
    private final long mailbox;
    private final Command message = new Command();

    MailboxReader(HostBlock.World world, int block) {
        this.world = world;
        this.block = block;
        this.mailbox = world.area() + BlockLayout.MAILBOX;
    }

    /** Delivers the messages that are there unless another block does. */
    void look() {
        MemorySegment own = world.ownSegment();
        long free = (long) LONG.getAcquire(own, mailbox);
        if ((free & (1L << BlockLayout.READER_BITS) - 1) != 0
                || !message.readMessage(world.page(), free >>> BlockLayout.READER_BITS)
                || !LONG.compareAndSet(own, mailbox, free, free | block + 1)) {
            return;
        }
        long taken = free >>> BlockLayout.READER_BITS;
        for (int i = 0; i < MAX_AT_ONCE && message.readMessage(world.page(), taken); i++) {
            deliver(own);
            taken++;
        }
        world.page().set(HostPage.MAILBOX_TAKEN, taken);
        LONG.setRelease(own, mailbox, taken << BlockLayout.READER_BITS);
    }

    private void deliver(MemorySegment own) {
        int length = message.length();
        if (message.isStaged()) {
            MemorySegment.copy(world.page().memory(), HostPage.stagedForMailbox(message.value(), message.offset()), own,
                    message.offset(), length);
        } else if (length == Long.BYTES && message.offset() % Long.BYTES == 0) {
            LONG.setRelease(own, message.offset(), message.value()); // blocks wait for some of these words
        } else if (length == Integer.BYTES && message.offset() % Integer.BYTES == 0) {
            INT.setRelease(own, message.offset(), (int) message.value());
        } else {
            for (int i = 0; i < length; i++) {
                own.set(ValueLayout.JAVA_BYTE, message.offset() + i, (byte) (message.value() >>> Byte.SIZE * i));
            }
        }
        if (message.notifies()) {
            BlockLayout layout = world.layout();
            LONG.getAndAdd(own, world.area() + layout.record(message.messageBlock()) + BlockLayout.DIRECT
                    + (long) message.tag() * Long.BYTES, (long) message.messageCount());
        }
    }
}
