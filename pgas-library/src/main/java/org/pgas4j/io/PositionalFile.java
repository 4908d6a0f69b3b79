package org.pgas4j.io;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.pgas4j.Rank;
import org.pgas4j.Scope;

/**
 * One rank's channel to a file, read and written at positions; errors name rank, path and offset. The rank counts as busy while
 * it waits for the file, so that a helper may serve its memory.
 */
final class PositionalFile implements AutoCloseable {

    private static final int MAX_CALL_BYTES = 1 << 30;

    private final Rank rank;
    private final Path path;
    private final Set<? extends OpenOption> options;
    private final FileChannel channel;

    PositionalFile(Rank rank, Path path, Set<? extends OpenOption> options) {
        this.rank = rank;
        this.path = path;
        this.options = options;
        try (Scope _ = rank.busy()) {
            this.channel = FileChannel.open(path, options);
        } catch (IOException e) {
            throw failure("open " + options, 0, reason(e), e);
        }
    }

    /** Error text of an exception; those of the file system often hold the path only. */
    static String reason(IOException e) {
        return e.getClass().getSimpleName() + ": " + e.getMessage();
    }

    /** Error of a read or write that the file was not opened for. */
    private SharedFileException notOpenFor(StandardOpenOption needed, String operation, long offset, Throwable cause) {
        return failure(operation, offset, "the file is open for " + (options.contains(StandardOpenOption.WRITE) ? "WRITE" : "READ")
                + " alone; open it with " + needed, cause);
    }

    SharedFileException failure(String operation, long offset, String reason, Throwable cause) {
        return SharedFileException.of(rank.rank(), operation, path, offset, reason, cause);
    }

    Path path() {
        return path;
    }

    long size() {
        try {
            return channel.size();
        } catch (IOException e) {
            throw failure("size", 0, reason(e), e);
        }
    }

    /** Writes all of native memory. */
    void write(long offset, MemorySegment from) {
        try (Scope _ = rank.busy()) {
            writeInAnyThread(offset, from);
        }
    }

    void writeInAnyThread(long offset, MemorySegment from) {
        long done = 0;
        try {
            while (done < from.byteSize()) {
                done += channel.write(part(from, done), offset + done);
            }
        } catch (NonWritableChannelException e) {
            throw notOpenFor(StandardOpenOption.WRITE, "write of " + from.byteSize() + " bytes", offset, e);
        } catch (IOException e) {
            throw failure("write of " + from.byteSize() + " bytes", offset + done, reason(e), e);
        }
    }

    /** Reads until native memory is full. */
    void read(long offset, MemorySegment into) {
        try (Scope _ = rank.busy()) {
            readInAnyThread(offset, into);
        }
    }

    void readInAnyThread(long offset, MemorySegment into) {
        long done = 0;
        try {
            while (done < into.byteSize()) {
                int count = channel.read(part(into, done), offset + done);
                if (count < 0) {
                    throw failure("read of " + into.byteSize() + " bytes", offset, "the file ends at " + channel.size(), null);
                }
                done += count;
            }
        } catch (NonReadableChannelException e) {
            throw notOpenFor(StandardOpenOption.READ, "read of " + into.byteSize() + " bytes", offset, e);
        } catch (IOException e) {
            throw failure("read of " + into.byteSize() + " bytes", offset + done, reason(e), e);
        }
    }

    private static ByteBuffer part(MemorySegment memory, long from) {
        return memory.asSlice(from, Math.min(MAX_CALL_BYTES, memory.byteSize() - from)).asByteBuffer();
    }

    /** Makes the file shorter, or longer with zero bytes. */
    void setSize(long bytes) {
        try {
            if (bytes > channel.size()) {
                channel.write(ByteBuffer.allocate(1), bytes - 1);
            } else {
                channel.truncate(bytes);
            }
        } catch (NonWritableChannelException e) {
            throw notOpenFor(StandardOpenOption.WRITE, "change of size", bytes, e);
        } catch (IOException e) {
            throw failure("change of size", bytes, reason(e), e);
        }
    }

    /** Waits until what this rank has written is on the storage device. */
    void force() {
        try (Scope _ = rank.busy()) {
            channel.force(true);
        } catch (IOException e) {
            throw failure("sync", 0, reason(e), e);
        }
    }

    /** Deletes the file, if it is still there. */
    void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw failure("delete", 0, reason(e), e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw failure("close", 0, reason(e), e);
        }
    }
}
