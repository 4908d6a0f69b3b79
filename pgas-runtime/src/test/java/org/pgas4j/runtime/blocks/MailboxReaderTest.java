package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceGrid.Dims;

/** A block of the host device that takes messages from the mailbox for two blocks. */
class MailboxReaderTest {

    private final Arena arena = Arena.ofShared();
    private final BlockLayout layout = new BlockLayout(2, 2);
    private final MemorySegment own = arena.allocate(layout.bytes() + (1 << 16), 256);
    private final HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
    private final MailboxReader reader = new MailboxReader(new HostBlock.World(0, layout, 0,
            new MemorySegment[] {own, null}, own, page, true, true, 8192, 0, Dims.of(2), 1_000_000_000,
            false, new AtomicReference<>()), 0);

    @AfterEach
    void close() {
        arena.close();
    }

    private static MemorySegment bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return MemorySegment.ofArray(bytes);
    }

    private long count(int block, int tag) {
        return own.get(ValueLayout.JAVA_LONG, layout.record(block) + BlockLayout.DIRECT + tag * 8L);
    }

    private void writeStaged(long index, MemorySegment bytes, long offset, int tag, int count) {
        int length = (int) bytes.byteSize();
        long place = Command.payload(index) + offset % HostPage.VECTOR;
        MemorySegment.copy(bytes, 0, page.memory(), place, length);
        Command.writeStaged(page, index, length, offset, place, 1, tag, count);
    }

    @Test
    void shouldStoreBytesOfAllSizesInOrder() {
        int[] sizes = {4, 8, 9, 64, 256, 257, 8192, 1};
        long index = 0;
        long at = layout.bytes() + 3;
        for (int size : sizes) {
            MemorySegment bytes = bytes(size);
            if (size > 8) {
                writeStaged(index, bytes, at, 5, size % 3);
            } else {
                Command.writeMessage(page, index, size, at, Command.value(bytes, 0, size), 1, 5, size % 3);
            }
            index += size > 8 ? HostPage.payloadEntries(size) : 1;
            at += size;
        }
        Command.writeMessage(page, index, 0, 0, 0, 0, 6, 10);

        reader.look();

        at = layout.bytes() + 3;
        int notified = 0;
        for (int size : sizes) {
            assertArrayEquals(bytes(size).toArray(ValueLayout.JAVA_BYTE), own.asSlice(at, size).toArray(ValueLayout.JAVA_BYTE),
                    size + " bytes");
            at += size;
            notified += size % 3;
        }
        assertEquals(notified, count(1, 5));
        assertEquals(10, count(0, 6));
        assertEquals(index + 1, page.get(HostPage.MAILBOX_TAKEN));
        assertEquals(index + 1 << BlockLayout.READER_BITS, own.get(ValueLayout.JAVA_LONG, BlockLayout.MAILBOX));
    }

    /** A later put to the same bytes is stored later, whatever way each takes. */
    @Test
    void shouldLeaveTheLastOfOverlappingPuts() {
        long at = layout.bytes();
        MemorySegment first = bytes(256);
        MemorySegment last = bytes(64);
        writeStaged(0, first, at, 1, 1);
        writeStaged(HostPage.payloadEntries(256), last, at + 100, 1, 1);

        reader.look();

        assertArrayEquals(last.toArray(ValueLayout.JAVA_BYTE), own.asSlice(at + 100, 64).toArray(ValueLayout.JAVA_BYTE));
        assertEquals(first.get(ValueLayout.JAVA_BYTE, 99), own.get(ValueLayout.JAVA_BYTE, at + 99));
        assertEquals(first.get(ValueLayout.JAVA_BYTE, 164), own.get(ValueLayout.JAVA_BYTE, at + 164));
        assertEquals(2, count(1, 1));
    }
}
