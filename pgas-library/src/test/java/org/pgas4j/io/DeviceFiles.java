package org.pgas4j.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;

/** Transfers between a file and device memory that each rank starts alone: a program of tests. */
public final class DeviceFiles {

    private static final long BYTES = (9 << 20) + 13; // three pieces

    private final Rank rank;
    private final MemorySegment expected = Arena.ofAuto().allocate(BYTES, 8);
    private final MemorySegment seen = Arena.ofAuto().allocate(BYTES, 8);
    private final long begin; // of this rank's part of the file

    private DeviceFiles(Rank rank) {
        this.rank = rank;
        this.begin = 5 + BYTES * rank.rank();
        for (long i = 0; i < BYTES; i++) {
            expected.set(ValueLayout.JAVA_BYTE, i, (byte) ((i + rank.rank() + 1) * 0x9e3779b97f4a7c15L >>> 56));
        }
    }

    /** Collective; makes the file. */
    public static void run(Rank rank, Path path) {
        try (SharedFile file = SharedFile.open(rank, path, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
                Buffer in = rank.device().alloc(ElementType.BYTE, BYTES);
                Buffer out = rank.device().alloc(ElementType.BYTE, BYTES)) {
            DeviceFiles program = new DeviceFiles(rank);
            program.write(file, in);
            program.read(file, out);
            program.sharedMemory(file);
        }
    }

    /** Earlier work of the rank's stream comes first, though nobody waits for it. */
    private void write(SharedFile file, Buffer in) {
        rank.stream().copy(in, Buffer.ofHost(expected, ElementType.BYTE));
        FileHandle write = file.startWriteLocal(begin, in);
        assertEquals(BYTES, write.bytes());
        while (!write.trySync()) {
            Thread.onSpinWait();
        }
        file.readLocal(begin, Buffer.ofHost(seen, ElementType.BYTE));
        assertEquals(-1, expected.mismatch(seen), "the file");
    }

    /** Two at once, whose handles are looked at in the other order; the stream uses the memory after them. */
    private void read(SharedFile file, Buffer out) {
        FilePointer pointer = file.pointer();
        pointer.seek(Origin.START, begin);
        long half = BYTES / 2;
        FileHandle one = pointer.startRead(out.slice(0, half));
        FileHandle two = pointer.startReadUpTo(out.slice(half, BYTES - half));
        assertEquals(begin + BYTES, pointer.position());
        two.sync();
        one.sync();
        seen.fill((byte) 0);
        rank.stream().copy(Buffer.ofHost(seen, ElementType.BYTE), out);
        rank.stream().sync();
        assertEquals(-1, expected.mismatch(seen), "device memory");
        rank.barrier();
    }

    /** The rank's own block of a shared array, written over the rank's part, and read by another one. */
    private void sharedMemory(SharedFile file) {
        SharedLongs array;
        try (Scope _ = rank.onDevice()) {
            array = rank.allAllocLongs(Layout.blocked(100), 100L * rank.ranks());
        }
        array.forAllLocal(i -> array.put(i, 7 * i));
        FileHandle write = file.startWriteLocal(800L * rank.rank(), array.local());
        assertEquals(800, write.bytes());
        write.sync();
        rank.barrier();
        int next = (rank.rank() + 1) % rank.ranks();
        file.startReadLocal(800L * next, array.local()).sync();
        array.forAllLocal(i -> assertEquals(7 * (i % 100 + 100L * next), array.get(i)));
        rank.allFree(array);
    }
}
