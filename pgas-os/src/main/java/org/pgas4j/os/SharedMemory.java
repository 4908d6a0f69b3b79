package org.pgas4j.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Memory that the processes of one user on one node can share: an anonymous memory file (memfd), reserved in full and
 * sealed against resizing, that other processes open through {@code /proc/<pid>/fd/<n>}. It has no name in any file
 * system, so nothing is left behind however its processes end. Zero-filled at first. Thread-safe.
 */
public final class SharedMemory implements AutoCloseable {

    private final Arena arena;
    private final MemorySegment segment;
    private final String path;
    private final int fd;
    private boolean closed;

    private SharedMemory(Arena arena, MemorySegment segment, String path, int fd) {
        this.arena = arena;
        this.segment = segment;
        this.path = path;
        this.fd = fd;
    }

    /**
     * Makes and maps shared memory.
     *
     * @param name  name in {@code /proc/<pid>/maps}
     * @param bytes size, 1 or more
     * @throws Libc.LibcException if the machine does not have that much memory ({@link Libc#ENOSPC}) or no memfd
     */
    public static SharedMemory create(String name, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
        }
        long free = SystemMemory.freeBytes();
        if (bytes > free) {
            // Reserving it would not fail: the system would kill processes, perhaps this one, until it has the memory.
            throw new Libc.LibcException("shared memory " + name + " of " + bytes + " bytes, " + free + " are free",
                    Libc.ENOSPC);
        }
        int fd = Libc.memfd(name, bytes);
        String path = "/proc/" + ProcessHandle.current().pid() + "/fd/" + fd;
        boolean success = false;
        Arena arena = Arena.ofShared();
        try {
            SharedMemory memory = new SharedMemory(arena, map(arena, path, bytes), path, fd);
            success = true;
            return memory;
        } catch (IOException e) {
            throw new IllegalStateException("cannot map shared memory " + path + " of " + bytes + " bytes", e);
        } finally {
            if (!success) {
                arena.close();
                Libc.close(fd);
            }
        }
    }

    /**
     * Maps memory that another process made, given its {@link #path()} and size. Stays usable if that process ends.
     *
     * @throws IOException if the process has ended, belongs to another user or PID namespace, or the size differs
     */
    public static SharedMemory open(String path, long bytes) throws IOException {
        Arena arena = Arena.ofShared();
        boolean success = false;
        try {
            SharedMemory memory = new SharedMemory(arena, map(arena, path, bytes), path, -1);
            success = true;
            return memory;
        } finally {
            if (!success) {
                arena.close();
            }
        }
    }

    /**
     * Makes private memory shared, at the same addresses and with what is in it. Nothing may use it during the call; what unmaps it
     * stays as it was, and the shared memory is closed behind that.
     *
     * @param memory mapped page by page, as {@link Libc#mapPrivate} does
     * @throws Libc.LibcException as {@link #create}
     */
    public static SharedMemory inPlaceOf(MemorySegment memory, String name) {
        SharedMemory made = create(name, Math.max(1, memory.byteSize()));
        boolean success = false;
        try {
            MemorySegment.copy(memory, 0, made.segment, 0, memory.byteSize());
            Libc.mapSharedAt(memory.address(), made.segment.byteSize(), made.fd);
            success = true;
            return made;
        } finally {
            if (!success) {
                made.close();
            }
        }
    }

    private static MemorySegment map(Arena arena, String path, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() != bytes) {
                // Mapping more than there is would extend the file or fault at the first touch.
                throw new IOException("shared memory " + path + " has " + channel.size() + " bytes, expected " + bytes);
            }
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
        }
    }

    /** The memory; usable until closed. */
    public MemorySegment segment() {
        return segment;
    }

    /** Path at which other processes of this node open it, valid while the process that made it lives. */
    public String path() {
        return path;
    }

    /** Unmaps it; the system frees the memory when the last process has unmapped it. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        arena.close();
        if (fd >= 0) {
            Libc.close(fd);
        }
    }
}
