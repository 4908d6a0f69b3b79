package org.pgas4j;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One-sided transfers with a choice of completion. {@link Rank#memput}, {@link Rank#memget}, {@link Rank#memcpy} and
 * {@link Rank#memset} are the same with {@link Completion#LOCAL}. Nothing is allocated but by {@link Completion#HANDLE} and by
 * transfers of many pieces. Used by the rank's thread; ranges are checked as {@link Rank} says.
 */
public interface Rma {

    /**
     * Writes the first {@code bytes} bytes of {@code src} to {@code dst}.
     *
     * @param dst all bytes have affinity to {@code dst.rank()}
     * @return complete for {@link Completion#LOCAL} and {@link Completion#REMOTE}; for {@link Completion#IMPLICIT} a handle of all
     *         implicit operations
     */
    Handle put(SharedPointer dst, MemorySegment src, long bytes, Completion completion);

    /** Writes a buffer of the host or of this rank's device; as {@link #put(SharedPointer, MemorySegment, long, Completion)}. */
    Handle put(SharedPointer dst, Buffer src, Completion completion);

    /** Reads {@code bytes} bytes to the start of {@code dst}; as {@link #put(SharedPointer, MemorySegment, long, Completion)}. */
    Handle get(MemorySegment dst, SharedPointer src, long bytes, Completion completion);

    /** Reads {@code dst.bytes()} bytes; as {@link #put(SharedPointer, MemorySegment, long, Completion)}. */
    Handle get(Buffer dst, SharedPointer src, Completion completion);

    /** Copies between two shared places, either of which may be remote; the ranges must not overlap. */
    Handle copy(SharedPointer dst, SharedPointer src, long bytes, Completion completion);

    /** Sets {@code bytes} bytes to the low 8 bits of {@code value}. */
    Handle set(SharedPointer dst, int value, long bytes, Completion completion);

    // ---- many pieces in one operation

    /**
     * Writes pieces of a buffer of the host or of this rank's device to {@code dst}, all with affinity to {@code dst.rank()}.
     * Completes as {@link #put(SharedPointer, MemorySegment, long, Completion)}. Between host memories that are mapped it is one
     * loop of copies; between memories that this rank's device reaches it is one kernel; between a
     * host and a device the pieces are packed, moved and unpacked; so they are for messages between host memory here and pieces
     * that are contiguous there, which are complete at return; else each piece is a message.
     *
     * @throws IndexOutOfBoundsException if the extent of the pieces leaves the allocation or the buffer
     */
    Handle put(SharedPointer dst, Buffer src, Pieces pieces, Completion completion);

    /** Reads pieces; as {@link #put(SharedPointer, Buffer, Pieces, Completion)}. */
    Handle get(Buffer dst, SharedPointer src, Pieces pieces, Completion completion);

    /** Copies pieces between two shared places, either of which may be remote; the pieces' memory must not overlap. */
    Handle copy(SharedPointer dst, SharedPointer src, Pieces pieces, Completion completion);

    /**
     * Writes each buffer to the pointer of the same number, whatever the ranks and allocations ({@code upc_memput_vlist}).
     *
     * @throws IllegalArgumentException  if there are not as many of both
     * @throws IndexOutOfBoundsException if a range of any entry leaves its memory; no byte of any entry moves
     */
    Handle putList(List<SharedPointer> dst, List<Buffer> src, Completion completion);

    /** Reads each buffer from the pointer of the same number; as {@link #putList}. */
    Handle getList(List<Buffer> dst, List<SharedPointer> src, Completion completion);

    /**
     * Copies the pieces of each number between the pointers of that number, whatever the ranks and allocations; the memory of all
     * pieces must not overlap. Entries with equal {@link Strided} pieces between memories that this rank's device reaches are one
     * kernel, which reads a cache line that several of them need from memory once. Completes and fails as {@link #putList}.
     */
    Handle copyList(List<SharedPointer> dst, List<SharedPointer> src, List<? extends Pieces> pieces, Completion completion);

    /**
     * Adds {@code alpha * src[i]} to {@code dst[i]} for all elements of {@code src} (the {@code acc} of Global Arrays). Each element
     * is updated atomically among all that {@link Atomics} names, in the place that it names. INT and LONG wrap around; the order
     * of additions to one element is not defined. Completes as a put.
     *
     * @param dst   aligned to the element size, all elements with affinity to {@code dst.rank()}
     * @param src   INT, LONG, FLOAT or DOUBLE; of the host or of this rank's device
     * @param alpha integral where the elements are
     */
    Handle accumulate(SharedPointer dst, Buffer src, double alpha, Completion completion);

    /**
     * Accumulates pieces, of any shape or list; as {@link #accumulate(SharedPointer, Buffer, double, Completion)}. Pieces of the
     * destination may overlap: each of their elements is one addition. One loop, or one kernel where this rank's device reaches
     * the destination; of a list in device memory, pieces of 64 KiB and more have a kernel each.
     *
     * @param pieces of whole elements: sizes, offsets and strides are multiples of the element size
     * @throws IllegalArgumentException  if they are not, or the type or {@code alpha} is refused; nothing is added
     * @throws IndexOutOfBoundsException if the extent of the pieces leaves the allocation or the buffer; nothing is added
     */
    Handle accumulate(SharedPointer dst, Buffer src, Pieces pieces, double alpha, Completion completion);

    /**
     * Adds {@code alpha} times the elements of each buffer to those at the pointer of the same number, whatever the ranks and
     * allocations; as {@link #accumulate(SharedPointer, Buffer, double, Completion)}. Destinations may overlap, and buffers may be
     * of different types.
     *
     * @throws IllegalArgumentException  if there are not as many of both, or an entry is refused; nothing of any entry is added
     * @throws IndexOutOfBoundsException if a range of any entry leaves its memory; nothing of any entry is added
     */
    Handle accumulateList(List<SharedPointer> dst, List<Buffer> src, double alpha, Completion completion);

    // ---- single values

    /** Writes 4 bytes; complete locally at return. */
    void putInt(SharedPointer dst, int value);

    /** Writes 8 bytes; complete locally at return. */
    void putLong(SharedPointer dst, long value);

    /** Writes 4 bytes; complete locally at return. */
    void putFloat(SharedPointer dst, float value);

    /** Writes 8 bytes; complete locally at return. */
    void putDouble(SharedPointer dst, double value);

    /** Reads 4 bytes. */
    int getInt(SharedPointer src);

    /** Reads 8 bytes. */
    long getLong(SharedPointer src);

    /** Reads 4 bytes. */
    float getFloat(SharedPointer src);

    /** Reads 8 bytes. */
    double getDouble(SharedPointer src);

    // ---- completion

    /**
     * Completes at rank {@code target} what this rank has put there, and locally all that its device transfers. Waits for no
     * other rank's memory.
     */
    void flush(int target);

    /** Waits for all of these handles. */
    void syncAll(Handle... handles);

    /**
     * Waits until one of these handles is complete and returns its number in the list: of several the lowest.
     *
     * @throws IllegalArgumentException if there is none
     */
    int syncAny(Handle... handles);

    /**
     * Waits until at least one of these handles is complete and returns the numbers of all that are, ascending.
     *
     * @throws IllegalArgumentException if there is none
     */
    int[] syncSome(Handle... handles);

    /**
     * Runs {@code action} when {@code handle} is complete: in this rank's thread, at once if it is complete, else within a later
     * {@link Rank#progress()} or a call of the methods above that wait. It may start transfers and must not wait. An action that
     * throws ends the call that ran it; so does a handle that fails, and its action does not run. Those left when the rank ends
     * do not run.
     */
    void whenComplete(Handle handle, Runnable action);

    /**
     * A future that completes as {@link #whenComplete} says, exceptionally if the handle fails: waiting for it needs another
     * thread, or {@link Rank#progress()}.
     */
    CompletableFuture<Void> future(Handle handle);

    // ---- implicit operations

    /** Completes every implicit operation of this rank locally. */
    void syncAll();

    /** True if every implicit operation of this rank is complete; never blocks. */
    boolean trySyncAll();
}
