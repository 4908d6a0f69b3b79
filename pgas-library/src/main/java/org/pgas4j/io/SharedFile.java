package org.pgas4j.io;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.ExceptionalExit;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Section;

/**
 * A file that all ranks read and write together ({@code upc_io}). A file holds elements in global order, little-endian, whatever
 * the layout of the array; offsets count bytes from its start. Every rank moves a part of the elements, its own where its blocks
 * are large, in positional transfers of up to 4 MiB through host memory of that size; device memory as well.
 *
 * <p>All methods but those of local buffers, {@link #pointer}, {@link #path()}, {@link #options()} and {@link #size()} are
 * collective, with the same arguments on all ranks, and barriers at their begin and end: a write sees what any rank has put
 * before it, and after a read all ranks see the elements. Bytes are in the file when a write returns, and on the storage device
 * after {@link #sync()}. All processes must see the same file.
 *
 * <p>A failure on one rank is a {@link SharedFileException} on all of them, with rank, path and offset; part of the bytes may
 * have been moved. Different arguments are a {@link org.pgas4j.CollectiveMismatchException}. Used by the rank's thread.
 */
public final class SharedFile implements AutoCloseable {

    private final Rank rank;
    private final PositionalFile file;
    private final Set<StandardOpenOption> options;
    private final long begin; // of file pointers
    private final Staging staging = new Staging();
    private final RankTransfers local;
    private TransferStatus status; // from the first transfer of all ranks that is started
    private SharedTransfer shared; // the last one
    private boolean closed;

    private SharedFile(Rank rank, OpenFile opened) {
        this.rank = rank;
        this.file = opened.file();
        this.options = opened.options();
        this.begin = opened.begin();
        this.local = new RankTransfers(rank, file, staging);
    }

    /**
     * Opens a file on all ranks ({@code upc_all_fopen}).
     *
     * @param options READ or WRITE or both, and of CREATE, CREATE_NEW, TRUNCATE_EXISTING, DELETE_ON_CLOSE, SYNC, DSYNC; APPEND
     *                has all file pointers begin at the end that the file has now, as {@code UPC_APPEND}; none is READ
     * @throws SharedFileException      on all ranks, if it cannot be opened on one
     */
    public static SharedFile open(Rank rank, Path path, StandardOpenOption... options) {
        return new SharedFile(rank, OpenFile.open(rank, path, options));
    }

    // ---- collective

    /** Writes all elements to the file from {@code offset} on ({@code upc_all_fwrite_shared}). */
    public void write(long offset, Elements elements) {
        requireOffset("write", offset, elements.bytes());
        Agreement.sameOnAllRanks(rank, "write", offset, elements.shape());
        Agreement.after(rank, () -> forEachRun(elements, local.writing(offset, elements)));
    }

    /** As {@link #write(long, Elements)}. */
    public void write(long offset, SharedArray array) {
        write(offset, Elements.of(array));
    }

    /** As {@link #write(long, Elements)}, without ghost cells. */
    public void write(long offset, GlobalArray array) {
        write(offset, Elements.of(array));
    }

    /** As {@link #write(long, Elements)}. */
    public void write(long offset, Section section) {
        write(offset, Elements.of(section));
    }

    /**
     * Reads all elements from the file at {@code offset} ({@code upc_all_fread_shared}).
     *
     * @throws SharedFileException on all ranks also if the file ends before the last one
     */
    public void read(long offset, Elements elements) {
        requireOffset("read", offset, elements.bytes());
        Agreement.sameOnAllRanks(rank, "read", offset, elements.shape());
        Agreement.after(rank, () -> forEachRun(elements, local.reading(offset, elements)));
    }

    /** As {@link #read(long, Elements)}. */
    public void read(long offset, SharedArray array) {
        read(offset, Elements.of(array));
    }

    /** As {@link #read(long, Elements)}; ghost cells keep their values. */
    public void read(long offset, GlobalArray array) {
        read(offset, Elements.of(array));
    }

    /** As {@link #read(long, Elements)}. */
    public void read(long offset, Section section) {
        read(offset, Elements.of(section));
    }

    /**
     * Reads the elements that are before the file's end, as {@link #read(long, Elements)}; the others keep their values. Whole
     * elements: bytes of a last one that the file's end cuts are left.
     *
     * @return number of bytes read, the same on all ranks, that of {@code elements} if the file is long enough
     */
    public long readUpTo(long offset, Elements elements) {
        requireOffset("readUpTo", offset, elements.bytes());
        Agreement.sameOnAllRanks(rank, "readUpTo", offset, elements.shape());
        long count = before(offset, elements);
        Elements.RunBody reading = local.reading(offset, elements);
        Agreement.after(rank, () -> forEachRun(elements, (from, run) -> reading.run(from, Math.clamp(count - from, 0, run))));
        return count * elements.elementBytes();
    }

    /** Number of elements before the file's end at this moment; collective. */
    private long before(long offset, Elements elements) {
        long[] end = new long[1];
        Agreement.after(rank, () -> end[0] = file.size());
        return RankTransfers.before(rank.collectives().broadcast(end[0], 0), offset, elements.elementBytes(), elements.count());
    }

    /** Writes several arrays, each to its place, with one meeting of the ranks ({@code upc_all_fwrite_list_shared}). */
    public void write(List<FileElements> list) {
        moveAll("write", list, (offset, elements) -> forEachRun(elements, local.writing(offset, elements)));
    }

    /** Reads several arrays, each from its place, with one meeting of the ranks ({@code upc_all_fread_list_shared}). */
    public void read(List<FileElements> list) {
        moveAll("read", list, (offset, elements) -> forEachRun(elements, local.reading(offset, elements)));
    }

    /**
     * Starts a write of all elements ({@code upc_all_fwrite_shared_async}), as {@link #write(long, Elements)}; collective, with a
     * barrier at its begin, but nobody waits for its end: a rank knows from its handle that the bytes of all ranks are in the
     * file ({@code upc_all_fwait_async}, {@code upc_all_ftest_async}). Neither {@code sync} nor {@code trySync} is collective.
     *
     * <p>Threads of their own write pieces of up to 4 MiB, four at once; the rank fetches the elements at the start and whenever
     * it looks, so it does so now and then while it computes. Each rank has to, for all are waited for. The elements stay
     * untouched until completion. One such transfer of a file at a time; {@link #close()} waits for it.
     *
     * @return throws the failure of the rank that failed first, on all ranks
     * @throws IllegalStateException if this rank does not know yet that the transfer before is complete
     */
    public FileHandle startWrite(long offset, Elements elements) {
        return startWrite(List.of(new FileElements(offset, elements)));
    }

    /**
     * Starts a read of all elements ({@code upc_all_fread_shared_async}), as {@link #read(long, Elements)}; otherwise as
     * {@link #startWrite(long, Elements)}. Nobody uses the elements until completion; then all ranks see them.
     */
    public FileHandle startRead(long offset, Elements elements) {
        return startRead(List.of(new FileElements(offset, elements)));
    }

    /**
     * Starts a read of the elements that are before the file's end at the start, as {@link #readUpTo(long, Elements)}; otherwise as
     * {@link #startRead(long, Elements)}. {@link FileHandle#bytes} says how many bytes these are, on all ranks.
     */
    public FileHandle startReadUpTo(long offset, Elements elements) {
        return startShared("startReadUpTo", false, true, List.of(new FileElements(offset, elements)));
    }

    /** Starts a write of several arrays, each to its place ({@code upc_all_fwrite_list_shared_async}). */
    public FileHandle startWrite(List<FileElements> list) {
        return startShared("startWrite", true, false, list);
    }

    /** Starts a read of several arrays, each from its place ({@code upc_all_fread_list_shared_async}). */
    public FileHandle startRead(List<FileElements> list) {
        return startShared("startRead", false, false, list);
    }

    /** @param upToEnd of a list of one: leaves the elements behind the file's end */
    private FileHandle startShared(String operation, boolean writes, boolean upToEnd, List<FileElements> list) {
        list.forEach(each -> requireOffset(operation, each.offset(), each.elements().bytes()));
        if (shared != null && !shared.isOver()) {
            throw new IllegalStateException(operation + " of file " + file.path() + " by rank " + rank.rank()
                    + ": the transfer that was started before is not known to be complete; sync its handle first");
        }
        Agreement.sameOnAllRanks(rank, operation, list.stream().map(FileElements::shape).toList());
        if (status == null) {
            status = TransferStatus.allocate(rank, file.path().toString());
        }
        long max = upToEnd ? before(list.getFirst().offset(), list.getFirst().elements()) : Long.MAX_VALUE;
        shared = SharedTransfer.start(rank, writes, List.copyOf(list), max, file, status);
        return shared;
    }

    /** Moves one array. */
    @FunctionalInterface
    private interface MoveElements {
        void move(long offset, Elements elements);
    }

    private void moveAll(String operation, List<FileElements> list, MoveElements move) {
        list.forEach(each -> requireOffset(operation, each.offset(), each.elements().bytes()));
        Agreement.sameOnAllRanks(rank, operation, list.stream().map(FileElements::shape).toList());
        Agreement.after(rank, () -> list.forEach(each -> move.move(each.offset(), each.elements())));
    }

    /** A file pointer of all ranks, at the file's start, or its end as APPEND says. Each has a place of its own. */
    public CommonFilePointer commonPointer() {
        return new CommonFilePointer(rank, this, begin);
    }

    /** Calls {@code body} with this rank's runs. */
    private void forEachRun(Elements elements, Elements.RunBody body) {
        elements.forEachRun(rank, Staging.elements(elements.elementBytes()), body);
    }

    private void requireOffset(String operation, long offset, long bytes) {
        if (closed) {
            throw new IllegalStateException(operation + " of file " + file.path() + " by rank " + rank.rank() + ": it is closed");
        }
        if (offset < 0 || offset > Long.MAX_VALUE - bytes) {
            throw new IndexOutOfBoundsException(operation + " of file " + file.path() + " by rank " + rank.rank() + ": offset="
                    + offset + " bytes=" + bytes + " (expected: offset 0.." + (Long.MAX_VALUE - bytes) + ")");
        }
    }

    /** Makes the file shorter, or longer with zero bytes ({@code upc_all_fset_size}). */
    public void setSize(long bytes) {
        requireOffset("setSize", bytes, 0);
        Agreement.sameOnAllRanks(rank, "setSize", bytes);
        Agreement.after(rank, () -> {
            if (rank.rank() == 0) {
                file.setSize(bytes);
            }
        });
    }

    /**
     * Makes the file {@code bytes} bytes long, if it is shorter, with room on the storage device for what is new ({@code
     * upc_all_fpreallocate}): the ranks write zero bytes behind the end, each a share of them.
     */
    public void preallocate(long bytes) {
        requireOffset("preallocate", bytes, 0);
        Agreement.sameOnAllRanks(rank, "preallocate", bytes);
        long[] end = new long[1];
        Agreement.after(rank, () -> end[0] = file.size()); // before any rank writes
        Agreement.after(rank, () -> {
            long step = Staging.PIECE_BYTES * rank.ranks();
            for (long at = end[0] + Staging.PIECE_BYTES * rank.rank(); at < bytes && at >= 0; at += step) {
                file.write(at, staging.of(Math.min(Staging.PIECE_BYTES, bytes - at)).fill((byte) 0));
            }
        });
    }

    /** Returns when all that any rank has written is on the storage device ({@code upc_all_fsync}). */
    public void sync() {
        requireOffset("sync", 0, 0);
        Agreement.after(rank, file::force);
    }

    /**
     * Closes the file on all ranks ({@code upc_all_fclose}); twice does nothing. The failure of a transfer that was started, if
     * its handle has not thrown it, is thrown when the file is closed. {@link ExceptionalExit On the way of an exception} it
     * completes and closes this rank's part alone, and deletes nothing.
     */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            staging.close();
            local.forgetWhatIsOver();
            if (ExceptionalExit.isTaken()) {
                closeAlone();
                return;
            }
            SharedFileException failure = step(null, local::close);
            if (shared != null) {
                failure = step(failure, this::awaitShared);
                status.close();
            }
            failure = step(failure, file::close);
            if (options.contains(StandardOpenOption.DELETE_ON_CLOSE)) {
                failure = step(failure, this::delete);
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** A step of all ranks; returns the failure of the first step that failed. */
    private SharedFileException step(SharedFileException before, Agreement.Step step) {
        try {
            Agreement.after(rank, step);
            return before;
        } catch (SharedFileException e) {
            if (before == null) {
                return e;
            }
            before.addSuppressed(e);
            return before;
        }
    }

    private void closeAlone() {
        try {
            local.close();
        } finally {
            file.close();
        }
    }

    private void awaitShared() {
        if (!shared.isOver()) {
            shared.sync();
        }
    }

    private void delete() {
        if (rank.rank() == 0) {
            file.delete();
        }
    }

    // ---- one rank alone

    /** Path of the file ({@code upc_all_fcntl} with {@code UPC_GET_FN}); not collective. */
    public Path path() {
        return file.path();
    }

    /** Options with which the file is open ({@code UPC_GET_FLAGS}); not collective. */
    public Set<StandardOpenOption> options() {
        return options;
    }

    /** Size of the file at this moment, bytes; not collective. */
    public long size() {
        requireOffset("size", 0, 0);
        return file.size();
    }

    /**
     * Writes a buffer of the host or of this rank's device to the file ({@code upc_all_fwrite_local}); not collective.
     *
     * @throws SharedFileException on this rank
     */
    public void writeLocal(long offset, Buffer src) {
        requireOffset("writeLocal", offset, src.bytes());
        local.write(offset, src);
    }

    /**
     * Reads a buffer of the host or of this rank's device from the file ({@code upc_all_fread_local}); not collective.
     *
     * @throws SharedFileException on this rank, also if the file ends before
     */
    public void readLocal(long offset, Buffer dst) {
        requireOffset("readLocal", offset, dst.bytes());
        local.read(offset, dst);
    }

    /**
     * Reads what is before the file's end, in whole elements of the buffer, whose others keep their values; not collective.
     *
     * @return number of bytes read
     * @throws SharedFileException on this rank
     */
    public long readLocalUpTo(long offset, Buffer dst) {
        requireOffset("readLocalUpTo", offset, dst.bytes());
        return local.readUpTo(offset, dst);
    }

    /** Transfers of shared memory by this rank alone: {@link FilePointer} has them. */
    RankTransfers alone(String operation, long offset, Elements elements) {
        requireOffset(operation, offset, elements.bytes());
        return local;
    }

    /** Writes several buffers, each to its place ({@code upc_all_fwrite_list_local}), as {@link #writeLocal(long, Buffer)}. */
    public void writeLocal(List<FilePart> parts) {
        parts.forEach(part -> writeLocal(part.offset(), part.buffer()));
    }

    /** Reads several buffers, each from its place ({@code upc_all_fread_list_local}), as {@link #readLocal(long, Buffer)}. */
    public void readLocal(List<FilePart> parts) {
        parts.forEach(part -> readLocal(part.offset(), part.buffer()));
    }

    /**
     * Starts a write of a buffer of the host or of this rank's device ({@code upc_all_fwrite_local_async}); not collective.
     * Complete when the bytes are in the file; the handle throws what has failed. {@link #close()} waits for it.
     *
     * <p>A thread of its own writes host memory. Device memory goes through page-locked host memory in pieces of 4 MiB, four at
     * once: a stream copies it there, after what {@link Rank#stream()} had to do at the start, and threads write it. The rank
     * starts that at the call and whenever it looks, so it does so now and then while it computes.
     *
     * @param src device memory; or host memory that is native, of a shared or automatic arena, or a {@code byte} array. Stays
     *            untouched until completion
     */
    public FileHandle startWriteLocal(long offset, Buffer src) {
        requireOffset("startWriteLocal", offset, src.bytes());
        return local.startWrite(offset, src);
    }

    /** As {@link #startWriteLocal(long, Buffer)}, of host memory. */
    public FileHandle startWriteLocal(long offset, MemorySegment src) {
        return startWriteLocal(offset, Buffer.ofHost(src, ElementType.BYTE));
    }

    /**
     * Starts a read into a buffer of the host or of this rank's device ({@code upc_all_fread_local_async}); not collective.
     * Complete when the bytes are there, of device memory for work that is queued from then on; the handle throws what has
     * failed, also if the file ends before. Otherwise as {@link #startWriteLocal(long, Buffer)}.
     */
    public FileHandle startReadLocal(long offset, Buffer dst) {
        requireOffset("startReadLocal", offset, dst.bytes());
        return local.startRead(offset, dst);
    }

    /** As {@link #startReadLocal(long, Buffer)}, into host memory. */
    public FileHandle startReadLocal(long offset, MemorySegment dst) {
        return startReadLocal(offset, Buffer.ofHost(dst, ElementType.BYTE));
    }

    /**
     * Starts a read of what is before the file's end at the start, as {@link #readLocalUpTo}; otherwise as {@link
     * #startReadLocal(long, Buffer)}. {@link FileHandle#bytes} says how many bytes these are.
     */
    public FileHandle startReadLocalUpTo(long offset, Buffer dst) {
        requireOffset("startReadLocalUpTo", offset, dst.bytes());
        return local.startReadUpTo(offset, dst);
    }

    /** A file pointer of this rank alone, at the file's start, or its end as APPEND says. */
    public FilePointer pointer() {
        return new FilePointer(this, begin);
    }

    @Override
    public String toString() {
        return "SharedFile" + List.of(file.path(), rank.rank());
    }
}
