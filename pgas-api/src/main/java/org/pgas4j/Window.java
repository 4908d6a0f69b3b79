package org.pgas4j;

import java.lang.foreign.MemorySegment;

/**
 * Memory that the members of a team show each other, each a range of its own shared segment: base, size and kind may differ
 * from rank to rank, and ranges of several windows may overlap. The model is that of dCUDA (windows, notified put) with the
 * names of GASPI where it has more.
 *
 * <p><b>Targets</b> are numbers in {@link #team()}, offsets are bytes from the target's base.
 *
 * <p><b>Completion.</b> Puts and gets, notified or not, return when they have been started, also while a device copies. A put's
 * source may be reused, and a get's bytes are there, after {@link #flush(int)}. The target of a notified put that has seen the
 * notification sees the bytes of that put and of every put and notification this rank started before to the same target: they
 * arrive in the order sent. A notified get tells the target that its memory has been read.
 *
 * <p><b>Errors.</b> A range that leaves the target's part throws {@link IndexOutOfBoundsException} with target, offset, length
 * and size; a tag outside 0..255 {@link IllegalArgumentException}; nothing is moved or notified. Used by the rank's thread.
 */
public interface Window extends AutoCloseable {

    /** The team that made it. */
    Team team();

    /** Size of a target's part, bytes. */
    long bytes(int target);

    /** Whether a target's part is host or device memory. */
    MemoryKind kind(int target);

    /** A place in a target's part as a shared pointer, for everything that takes one. */
    SharedPointer pointer(int target, long offset);

    /** Starts writing the first {@code bytes} bytes of {@code src}. */
    void put(int target, long offset, MemorySegment src, long bytes);

    /** Starts writing a block, of the host or of this rank's device. */
    void put(int target, long offset, Buffer src);

    /** As {@link #put(int, long, MemorySegment, long)}, then adds one to the target's notifications of {@code tag}. */
    void putNotify(int target, long offset, MemorySegment src, long bytes, int tag);

    /** As {@link #put(int, long, Buffer)}, then adds one to the target's notifications of {@code tag}. */
    void putNotify(int target, long offset, Buffer src, int tag);

    /**
     * As {@link #put(int, long, Buffer)}, then sets the target's value of {@code tag} (GASPI's {@code write_notify}).
     *
     * @param value not 0, which means that there is none
     */
    void putNotifySet(int target, long offset, Buffer src, int tag, long value);

    /**
     * Starts writing pieces of a block, whose offsets count from {@code offset} at the target and from the start of the block: one
     * operation where {@link Rma#put(SharedPointer, Buffer, Pieces, Completion)} is one.
     *
     * @throws IndexOutOfBoundsException if the extent of the pieces leaves the target's part or the block
     */
    void put(int target, long offset, Buffer src, Pieces pieces);

    /**
     * As {@link #put(int, long, Buffer, Pieces)}, then adds one to the target's notifications of {@code tag}, which the target sees
     * when it sees all pieces (GASPI's {@code write_list_notify}).
     */
    void putNotify(int target, long offset, Buffer src, Pieces pieces, int tag);

    /** Starts reading to the start of {@code dst}. */
    void get(MemorySegment dst, int target, long offset, long bytes);

    /** Starts reading a block's worth of bytes. */
    void get(Buffer dst, int target, long offset);

    /** Starts reading pieces, whose destinations count from the start of the block and whose sources from {@code offset}. */
    void get(Buffer dst, int target, long offset, Pieces pieces);

    /** As {@link #get(Buffer, int, long)}; when the bytes have been read, adds one to the target's notifications of {@code tag}. */
    void getNotify(Buffer dst, int target, long offset, int tag);

    /** Notifies without bytes, after everything started here before to the same target. */
    void signal(int target, int tag);

    /** Completes this rank's puts and gets to one target: sources may be reused, bytes got are there. */
    void flush(int target);

    /** As {@link #flush(int)}, for all targets. */
    void flush();

    /**
     * Describes a notified put that a stream ({@link Stream#trigger}) or a kernel ({@code pgas_trigger}) starts later, as often
     * as it likes. What it moves is what {@code src} holds then.
     */
    Prepared preparePutNotify(int target, long offset, Buffer src, int tag);

    /** As {@link #preparePutNotify}, without bytes. */
    Prepared prepareSignal(int target, int tag);

    /**
     * Collective over the team, and a barrier of its members as well: frees the window, not the memory. {@link ExceptionalExit
     * On the way of an exception} it waits for no other member and completes nothing.
     */
    @Override
    void close();
}
