package org.pgas4j.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.pgas4j.Rank;

/**
 * Memory shared by two ranks by hand, as a program without this system would do it: a file in memory that both map. It is
 * the floor that transfers and barriers are measured against. Removed from the file system as soon as both have it.
 */
final class RawHost implements AutoCloseable {

    private static final int NAME_WORDS = 16;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    /** Collective: rank 0 makes {@code bytes} bytes, all map them. */
    RawHost(Rank rank, long bytes) {
        try {
            Path path = rank.rank() == 0 ? Files.createTempFile(Path.of("/dev/shm"), "pgas4j-raw-", "") : null;
            byte[] name = new byte[NAME_WORDS * Long.BYTES];
            if (path != null) {
                byte[] text = path.toString().getBytes(StandardCharsets.UTF_8);
                System.arraycopy(text, 0, name, 0, text.length);
            }
            ByteBuffer words = ByteBuffer.wrap(name);
            for (int i = 0; i < NAME_WORDS; i++) {
                words.putLong(i * Long.BYTES, rank.broadcast(words.getLong(i * Long.BYTES), 0));
            }
            String text = new String(name, StandardCharsets.UTF_8);
            memory = map(Path.of(text.substring(0, text.indexOf(0))), bytes);
            rank.barrier();
            if (path != null) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("raw shared memory for the baseline", e);
        }
        memory.fill((byte) 0);
        rank.barrier();
    }

    private MemorySegment map(Path path, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        }
    }

    MemorySegment memory() {
        return memory;
    }

    @Override
    public void close() {
        arena.close();
    }
}
