package org.pgas4j.os;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SharedMemoryTest {

    private static final long BYTES = 1 << 20;

    /** The other process: adds one to the first long, and fails if it is not what the test wrote. */
    public static final class Peer {

        private Peer() {
        }

        public static void main(String[] args) throws IOException {
            try (SharedMemory memory = SharedMemory.open(args[0], BYTES)) {
                long value = memory.segment().get(ValueLayout.JAVA_LONG, 0);
                memory.segment().set(ValueLayout.JAVA_LONG, 0, value + 1);
            }
        }
    }

    @Test
    void shouldShareZeroedMemoryByPath() throws IOException {
        try (SharedMemory made = SharedMemory.create("test", BYTES);
                SharedMemory opened = SharedMemory.open(made.path(), BYTES)) {
            assertEquals(0, made.segment().get(ValueLayout.JAVA_LONG, BYTES - 8));
            made.segment().set(ValueLayout.JAVA_LONG, BYTES - 8, 42);

            assertEquals(BYTES, opened.segment().byteSize());
            assertEquals(42, opened.segment().get(ValueLayout.JAVA_LONG, BYTES - 8));
        }
    }

    @Test
    void shouldStayUsableWhereItIsOpenAfterItsMakerHasClosedIt() throws IOException {
        SharedMemory made = SharedMemory.create("test", 4096);
        try (SharedMemory opened = SharedMemory.open(made.path(), 4096)) {
            made.segment().set(ValueLayout.JAVA_LONG, 0, 7);
            made.close();
            made.close();

            assertEquals(7, opened.segment().get(ValueLayout.JAVA_LONG, 0));
            assertThrows(IllegalStateException.class, () -> made.segment().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    void shouldShareWithAnotherProcess() throws Exception {
        try (SharedMemory made = SharedMemory.create("test", BYTES)) {
            made.segment().set(ValueLayout.JAVA_LONG, 0, 41);
            Process peer = new ProcessBuilder(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                    Peer.class.getName(), made.path())).inheritIO().start();

            assertTrue(peer.waitFor(30, TimeUnit.SECONDS), "the other process did not end");
            assertEquals(0, peer.exitValue());
            assertEquals(42, made.segment().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    void shouldTakeThePlaceOfPrivateMemory() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = Libc.mapPrivate(BYTES + 5, arena);
            memory.set(ValueLayout.JAVA_LONG, 8, 42);
            memory.set(ValueLayout.JAVA_BYTE, BYTES + 4, (byte) 9);
            try (SharedMemory made = SharedMemory.inPlaceOf(memory, "test");
                    SharedMemory opened = SharedMemory.open(made.path(), BYTES + 5)) {
                assertEquals(42, opened.segment().get(ValueLayout.JAVA_LONG, 8));
                assertEquals(9, opened.segment().get(ValueLayout.JAVA_BYTE, BYTES + 4));
                opened.segment().set(ValueLayout.JAVA_LONG, 8, 43);
                assertEquals(43, memory.get(ValueLayout.JAVA_LONG, 8));
                memory.set(ValueLayout.JAVA_LONG, 16, 44);
                assertEquals(44, opened.segment().get(ValueLayout.JAVA_LONG, 16));
            }
            assertEquals(43, memory.get(ValueLayout.JAVA_LONG, 8));
        }
    }

    @Test
    void shouldRefuseADifferentSize() {
        try (SharedMemory made = SharedMemory.create("test", BYTES)) {
            IOException e = assertThrows(IOException.class, () -> SharedMemory.open(made.path(), BYTES + 1));

            assertTrue(e.getMessage().contains(String.valueOf(BYTES)), e.getMessage());
            assertTrue(e.getMessage().contains(String.valueOf(BYTES + 1)), e.getMessage());
        }
    }

    @Test
    void shouldBeSealedAgainstResizing() throws IOException {
        try (SharedMemory made = SharedMemory.create("test", BYTES);
                RandomAccessFile file = new RandomAccessFile(made.path(), "rw")) {
            assertThrows(IOException.class, () -> file.setLength(BYTES - 1));
            assertThrows(IOException.class, () -> file.setLength(BYTES + 1));
            assertEquals(BYTES, file.length());
        }
    }

    @Test
    void shouldSayThatThereIsNotEnoughMemory() {
        Libc.LibcException e = assertThrows(Libc.LibcException.class, () -> SharedMemory.create("huge", 1L << 60));

        assertEquals(Libc.ENOSPC, e.errno());
        assertTrue(e.getMessage().contains(String.valueOf(1L << 60)), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> SharedMemory.create("none", 0));
    }

    @Test
    void shouldKnowHowMuchMemoryThereIs() {
        long free = SystemMemory.freeBytes();

        assertTrue(free > 0 && free <= SystemMemory.totalBytes(), "free=" + free);
    }

    @Test
    void shouldCloseItsFile() {
        SharedMemory made = SharedMemory.create("test", 4096);
        assertTrue(Files.exists(Path.of(made.path())));

        made.close();

        assertFalse(Files.exists(Path.of(made.path())));
        assertThrows(IOException.class, () -> SharedMemory.open(made.path(), 4096));
    }

    @Test
    void shouldMapPrivateMemoryUntilItsArenaCloses() {
        MemorySegment memory;
        try (Arena arena = Arena.ofShared()) {
            memory = Libc.mapPrivate(5000, arena);
            memory.set(ValueLayout.JAVA_LONG, 4992, 1);

            assertEquals(5000, memory.byteSize());
            assertEquals(0, memory.get(ValueLayout.JAVA_LONG, 0));
        }
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_LONG, 0));
        try (Arena arena = Arena.ofConfined()) {
            Libc.LibcException e = assertThrows(Libc.LibcException.class, () -> Libc.mapPrivate(1L << 60, arena));
            assertEquals(Libc.ENOMEM, e.errno());
        }
    }

    @Test
    void shouldBindTheThreadToOneOfItsProcessors() throws InterruptedException {
        int[] allowed = Libc.allowedCpus();
        assertTrue(allowed.length > 0);
        int last = allowed[allowed.length - 1];
        int[][] bound = new int[1][];
        Thread thread = Thread.ofPlatform().start(() -> {
            Libc.bindThread(last);
            bound[0] = Libc.allowedCpus();
        });
        thread.join();

        assertEquals(1, bound[0].length);
        assertEquals(last, bound[0][0]);
        assertThrows(IllegalArgumentException.class, () -> Libc.bindThread(1024));
    }

    @Test
    void shouldTellWhyALibraryCannotBeLoaded() {
        String reason = Libc.loadLibrary("libnosuchthing.so.1").orElseThrow();

        assertEquals("libnosuchthing.so.1: cannot open shared object file: No such file or directory", reason);
        assertTrue(Libc.loadLibrary("libc.so.6").isEmpty());
    }
}
