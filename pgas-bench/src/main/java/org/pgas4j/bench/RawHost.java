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
import org.pgas4j.ReduceOp;

/**
 * Memory shared by two ranks by hand, as a program without this system would do it: a file in memory that both map. It is
 * the floor that transfers and barriers are measured against. Removed from the file system as soon as both have it. Ranks on
 * hosts that share none have memory of their own instead: a copy inside a host is the floor there too.
 */
final class RawHost implements AutoCloseable {

    private static final int NAME_WORDS = 16;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final boolean shared;

    /** Collective: rank 0 makes {@code bytes} bytes, all map them if they can. */
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
                words.putLong(i * Long.BYTES, rank.collectives().broadcast(words.getLong(i * Long.BYTES), 0));
            }
            String text = new String(name, StandardCharsets.UTF_8);
            Path common = Path.of(text.substring(0, text.indexOf(0)));
            shared = rank.allReduce(Files.exists(common) ? 1L : 0L, ReduceOp.MIN) == 1;
            memory = shared ? map(common, bytes) : arena.allocate(bytes, Long.BYTES);
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

    /** True if all ranks have the same memory; the same on all of them. */
    boolean isShared() {
        return shared;
    }

    @Override
    public void close() {
        arena.close();
    }
}
