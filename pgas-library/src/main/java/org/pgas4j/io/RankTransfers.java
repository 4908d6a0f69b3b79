package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;

/** A rank's transfers between a file and memory, its own or shared; of those of all ranks its part. Used by the rank's thread. */
final class RankTransfers {

    private static final Thread ANY_THREAD = Thread.ofVirtual().unstarted(() -> { });

    private final Rank rank;
    private final PositionalFile file;
    private final Staging staging;
    private final DeviceStaging deviceStaging;
    private final List<StartedTransfer> started = new ArrayList<>();

    RankTransfers(Rank rank, PositionalFile file, Staging staging) {
        this.rank = rank;
        this.file = file;
        this.staging = staging;
        this.deviceStaging = new DeviceStaging(rank);
    }

    /** Number of whole elements between {@code offset} and the file's end at this moment, at most {@code max}. */
    static long before(long end, long offset, long elementBytes, long max) {
        return Math.clamp((end - offset) / elementBytes, 0, max);
    }

    void write(long offset, Buffer src) {
        move(src, (at, part, memory) -> {
            copy(Buffer.ofHost(memory, part.type()), part);
            file.write(offset + at, memory);
        });
    }

    void read(long offset, Buffer dst) {
        move(dst, (at, part, memory) -> {
            file.read(offset + at, memory);
            copy(part, Buffer.ofHost(memory, part.type()));
        });
    }

    /** Reads what is before the file's end; returns the number of bytes. */
    long readUpTo(long offset, Buffer dst) {
        Buffer part = dst.slice(0, before(file.size(), offset, dst.type().bytes(), dst.length()));
        read(offset, part);
        return part.bytes();
    }

    /** Writes runs of elements, of up to a piece of staging memory, to a file in which the first is at {@code offset}. */
    Elements.RunBody writing(long offset, Elements elements) {
        long size = elements.elementBytes();
        return (from, count) -> {
            MemorySegment memory = staging.of(count * size);
            elements.get(rank, from, count, memory);
            file.write(offset + from * size, memory);
        };
    }

    /** Reads runs of elements, otherwise as {@link #writing}; complete locally. */
    Elements.RunBody reading(long offset, Elements elements) {
        long size = elements.elementBytes();
        return (from, count) -> {
            MemorySegment memory = staging.of(count * size);
            file.read(offset + from * size, memory);
            elements.put(rank, from, count, memory);
        };
    }

    void write(long offset, Elements elements) {
        Elements.cut(0, elements.count(), Staging.elements(elements.elementBytes()), writing(offset, elements));
    }

    /** Reads the first {@code count} elements; complete remotely. */
    void read(long offset, Elements elements, long count) {
        Elements.cut(0, count, Staging.elements(elements.elementBytes()), reading(offset, elements));
        rank.fence();
    }

    /** Reads what is before the file's end; complete remotely. Returns the number of bytes. */
    long readUpTo(long offset, Elements elements) {
        long count = before(file.size(), offset, elements.elementBytes(), elements.count());
        read(offset, elements, count);
        return count * elements.elementBytes();
    }

    FileHandle startWrite(long offset, Buffer src) {
        return start(true, offset, src);
    }

    FileHandle startRead(long offset, Buffer dst) {
        return start(false, offset, dst);
    }

    /** Reads what is before the file's end at this moment. */
    FileHandle startReadUpTo(long offset, Buffer dst) {
        return start(false, offset, dst.slice(0, before(file.size(), offset, dst.type().bytes(), dst.length())));
    }

    private FileHandle start(boolean writes, long offset, Buffer buffer) {
        forgetWhatIsOver();
        StartedTransfer transfer = buffer.kind() == MemoryKind.DEVICE
                ? DeviceTransfer.start(rank, writes, file, offset, buffer, deviceStaging)
                : ofHost(writes ? "write" : "read", offset, buffer.segment());
        started.add(transfer);
        return transfer;
    }

    private HostTransfer ofHost(String operation, long offset, MemorySegment memory) {
        boolean isReachable = memory.isNative() ? memory.isAccessibleBy(ANY_THREAD)
                : memory.heapBase().map(base -> base instanceof byte[]).orElse(false);
        if (!isReachable) {
            throw new IllegalArgumentException(operation + " of file " + file.path() + ", started by rank " + rank.rank() + ": "
                    + memory + " (expected: memory that other threads can read, native or of a byte array)");
        }
        return new HostTransfer(rank, operation + " of file " + file.path(), memory.byteSize(), operation.equals("write")
                ? () -> file.writeInAnyThread(offset, memory) : () -> file.readInAnyThread(offset, memory));
    }

    /** Drops handles whose owner knows how they ended, with their failures. */
    void forgetWhatIsOver() {
        started.removeIf(StartedTransfer::isOver);
    }

    /** Waits for all that were started; throws the failure of the first that failed. */
    void close() {
        SharedFileException failure = null;
        for (StartedTransfer handle : started) {
            try {
                handle.sync();
            } catch (SharedFileException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        deviceStaging.close();
        if (failure != null) {
            throw failure;
        }
    }

    /** Moves a part of a buffer through staging memory. */
    @FunctionalInterface
    private interface Move {
        void move(long at, Buffer part, MemorySegment memory);
    }

    private void move(Buffer buffer, Move move) {
        ElementType type = buffer.type();
        Elements.cut(0, buffer.length(), Staging.elements(type.bytes()), (from, count) ->
                move.move(type.bytes(from), buffer.slice(from, count), staging.of(type.bytes(count))));
    }

    private void copy(Buffer dst, Buffer src) {
        if (dst.kind() == MemoryKind.HOST && src.kind() == MemoryKind.HOST) {
            MemorySegment.copy(src.segment(), 0, dst.segment(), 0, src.bytes());
        } else {
            rank.stream().copy(dst, src);
            rank.stream().sync();
        }
    }
}
