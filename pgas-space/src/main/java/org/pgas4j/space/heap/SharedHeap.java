package org.pgas4j.space.heap;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;
import org.pgas4j.HeapStats;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedPointer;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ServiceNumber;

/**
 * The shared heaps as one JVM sees them: its ranks' own allocations here, the global ones and the line between the two on
 * process 0, asked over the bootstrap. Thread-safe.
 *
 * <p>Every allocation has a generation and an owner: process 0, or the process of its rank. A JVM whose ranks have pointers to
 * it holds a lease, made with the allocation or asked of the owner, who remembers. A free ends all leases before the memory can
 * be given out again, so a look at the lease tells whether a pointer is good.
 */
public final class SharedHeap {

    /** Number of the bootstrap service that answers for heaps. */
    public static final int SERVICE = ServiceNumber.HEAP;

    /** Bytes before each allocation of a guarded heap; what follows is aligned as without. */
    public static final long GUARD_BEFORE = FreeList.GRANULE;

    private static final long MIN_AFTER = 64;
    private static final byte GLOBAL_ALLOCATE = 1;
    private static final byte END_ALLOCATION = 2;
    private static final byte RESERVE = 3;
    private static final byte GLOBAL_STATS = 4;
    private static final byte RELEASE = 5;
    private static final byte FIND = 6;
    private static final byte END_LEASE = 7;
    private static final byte RETIRE = 8;
    private static final byte FIND_AT = 9;
    private static final int REQUEST_BYTES = 2 + 2 * Integer.BYTES + 2 * Long.BYTES;

    private final Bootstrap bootstrap;
    private final long timeoutNs;
    private final int firstRank;
    private final Map<MemoryKind, LocalHeap[]> local = new EnumMap<>(MemoryKind.class);
    private final Map<MemoryKind, Long> capacity = new EnumMap<>(MemoryKind.class);
    private final GlobalHeap global;
    private final Allocations allocations;
    private final Leases leases;
    private final long before;
    private final long after;

    /**
     * An allocation that was freed and is not given out again yet.
     *
     * @param rank  or {@link Lease#EVERY_RANK}
     * @param owner the process that may give it out
     * @param start where the program's bytes began
     */
    public record Freed(MemoryKind kind, int rank, int owner, long start, long generation) {
    }

    /**
     * @param guarded leaves {@link #GUARD_BEFORE} bytes before each allocation and {@link #guardAfter} behind it
     * @param ended   is told of each lease of this JVM that has just ended, by whatever thread ends it
     */
    public SharedHeap(Bootstrap bootstrap, long hostBytes, long deviceBytes, long timeoutNs, boolean guarded,
                      Consumer<Lease> ended) {
        this.bootstrap = bootstrap;
        this.leases = new Leases(ended);
        this.before = guarded ? GUARD_BEFORE : 0;
        this.after = guarded ? MIN_AFTER : 0;
        this.timeoutNs = timeoutNs;
        this.firstRank = bootstrap.firstRank(bootstrap.process());
        this.global = bootstrap.process() == 0 ? new GlobalHeap(hostBytes, deviceBytes) : null;
        this.allocations = new Allocations(bootstrap.process(), bootstrap.processes());
        capacity.put(MemoryKind.HOST, hostBytes);
        capacity.put(MemoryKind.DEVICE, deviceBytes);
        int endRank = bootstrap.firstRank(bootstrap.process() + 1);
        for (MemoryKind kind : MemoryKind.values()) {
            LocalHeap[] heaps = new LocalHeap[endRank - firstRank];
            for (int i = 0; i < heaps.length; i++) {
                int rank = firstRank + i;
                heaps[i] = new LocalHeap(capacity.get(kind), bytes -> ask(0, RESERVE, kind, rank, bytes, 0)[0] != 0);
            }
            local.put(kind, heaps);
        }
    }

    /** Bytes behind an allocation of {@code bytes} bytes of a guarded heap: up to the next one. */
    public static long guardAfter(long bytes) {
        return FreeList.rounded(GUARD_BEFORE + bytes + MIN_AFTER) - GUARD_BEFORE - bytes;
    }

    /** {@code bytes} with their guards; more than any segment has if that does not fit a long. */
    private long guarded(long bytes) {
        return bytes > Long.MAX_VALUE - before - after ? Long.MAX_VALUE : before + bytes + after;
    }

    /**
     * Allocates the same offset on every rank.
     *
     * @param everywhere every process will {@link #learn} of it; asked by a rank of process 0
     * @return null if {@code bytes} do not fit on some rank
     */
    public Lease allocateGlobal(MemoryKind kind, long bytes, boolean everywhere) {
        long[] made = ask(0, GLOBAL_ALLOCATE, kind, 0, bytes, everywhere ? 1 : 0);
        return made.length == 1 ? null : learn(kind, Lease.EVERY_RANK, made[0], bytes, made[1]);
    }

    /**
     * Allocates in the segment of {@code rank}, a rank of this JVM.
     *
     * @param everywhere every process will {@link #learn} of it
     * @return null if {@code bytes} do not fit
     */
    public Lease allocateLocal(MemoryKind kind, int rank, long bytes, boolean everywhere) {
        long offset = local.get(kind)[rank - firstRank].allocate(guarded(bytes));
        return offset < 0 ? null : learn(kind, rank, offset + before, bytes,
                allocations.add(kind, rank, offset + before, bytes, bootstrap.process(), everywhere));
    }

    /** The lease of an allocation that all ranks have been told of. */
    public Lease learn(MemoryKind kind, int rank, long start, long bytes, long generation) {
        return leases.learn(kind, generation, rank, start, bytes);
    }

    /**
     * The lease of what lives with {@code generation}, perhaps on {@code rank}; null if nothing does.
     *
     * @param generation not 0
     */
    public Lease find(MemoryKind kind, int rank, long generation) {
        boolean everyRank = Allocations.isGlobal(generation);
        int where = everyRank ? Lease.EVERY_RANK : rank;
        return leases.find(kind, generation, where, () -> ask(everyRank ? 0 : bootstrap.processOf(rank), FIND, kind, where,
                bootstrap.process(), generation));
    }

    /**
     * The lease of what lives at an address of {@code rank}'s segment, or ends there: its own or part of what is allocated on every
     * rank. Null if nothing does whose generation has these low bits.
     *
     * @param generation low bits of one
     * @param bits       how many, 0..62
     */
    public Lease findAt(MemoryKind kind, int rank, long address, long generation, int bits) {
        long tag = Allocations.tag(generation, bits);
        return leases.at(kind, rank, address, tag, () -> {
            long[] own = ask(bootstrap.processOf(rank), FIND_AT, kind, rank, address, tag);
            return own.length > 1 ? own : ask(0, FIND_AT, kind, Lease.EVERY_RANK, address, tag);
        });
    }

    /** Size of each rank's segment of a kind, bytes. */
    public long capacityBytes(MemoryKind kind) {
        return capacity.get(kind);
    }

    /**
     * First half of a free, of what begins where the pointer points: nobody can use it from now on, and it is not given out
     * before {@link #release}.
     *
     * @param together all ranks free it, and each has ended or will end its JVM's lease by {@link #forget}
     * @return null if nothing is allocated there, or nothing with the pointer's generation
     */
    public Freed end(SharedPointer pointer, boolean together) {
        long generation = pointer.generation();
        if (generation != 0) {
            return end(Allocations.isGlobal(generation), pointer, together);
        }
        Freed own = end(false, pointer, together);
        return own == null && pointer.rank() == 0 ? end(true, pointer, together) : own;
    }

    private Freed end(boolean everyRank, SharedPointer pointer, boolean together) {
        MemoryKind kind = pointer.kind();
        int owner = everyRank ? 0 : bootstrap.processOf(pointer.rank());
        int rank = everyRank ? Lease.EVERY_RANK : pointer.rank();
        long[] ended = ask(owner, END_ALLOCATION, kind, rank, pointer.addrField(), pointer.generation());
        if (ended[0] == 0) {
            return null;
        }
        for (int i = 1; i < ended.length && !together; i++) {
            ask((int) ended[i], END_LEASE, kind, rank, 0, ended[0]);
        }
        leases.end(ended[0]);
        return new Freed(kind, rank, owner, pointer.addrField(), ended[0]);
    }

    /** Second half of a free: the memory may be given out again. */
    public void release(Freed freed) {
        ask(freed.owner, RELEASE, freed.kind, freed.rank, freed.start, 0);
    }

    /** Marks an allocation as freed: it counts as used no more, though it will be released later. */
    public void retire(Freed freed) {
        ask(freed.owner, RETIRE, freed.kind, freed.rank, freed.start, 0);
    }

    /** Ends this JVM's lease of what all ranks free together. */
    public void forget(long generation) {
        leases.end(generation);
    }

    /** Ends all leases of this JVM. */
    public void close() {
        leases.close();
    }

    /** Use of the heap of {@code rank}, a rank of this JVM. */
    public HeapStats stats(MemoryKind kind, int rank) {
        long[] globals = ask(0, GLOBAL_STATS, kind, 0, 0, 0);
        LocalHeap heap = local.get(kind)[rank - firstRank];
        return new HeapStats(kind, capacity.get(kind), globals[0] + heap.usedBytes(), globals[1] + heap.highWaterBytes(),
                Math.max(globals[2], heap.largestFree(globals[3])));
    }

    /** The exception for an allocation that did not fit. */
    public SegmentMemoryException outOfMemory(String call, MemoryKind kind, int rank, long bytes) {
        HeapStats stats = stats(kind, rank);
        PgasKey key = kind == MemoryKind.HOST ? PgasKey.HEAP_HOST : PgasKey.HEAP_DEVICE;
        return new SegmentMemoryException(call + " of rank " + rank + ": " + bytes + " bytes per rank do not fit the " + kind
                + " segment: free=" + (stats.capacityBytes() - stats.usedBytes()) + " largestFree="
                + stats.largestFreeBytes() + " segmentBytes=" + stats.capacityBytes() + "; raise " + key.property());
    }

    private long[] ask(int process, byte operation, MemoryKind kind, int rank, long value, long more) {
        if (process == bootstrap.process()) {
            return serve(operation, kind, rank, process, value, more);
        }
        byte[] request = ByteBuffer.allocate(REQUEST_BYTES).put(operation).put((byte) kind.code()).putInt(rank)
                .putInt(bootstrap.process()).putLong(value).putLong(more).array();
        byte[] answer = bootstrap.call(process, SERVICE, request, System.nanoTime() + timeoutNs);
        long[] values = new long[answer.length / Long.BYTES];
        ByteBuffer.wrap(answer).asLongBuffer().get(values);
        return values;
    }

    /** Answers other processes; what arrives is checked. */
    public byte[] answer(byte[] request) {
        ByteBuffer fields = ByteBuffer.wrap(request);
        if (request.length != REQUEST_BYTES) {
            throw new PgasException("heap request of " + request.length + " bytes is malformed");
        }
        byte operation = fields.get();
        byte kind = fields.get();
        int rank = fields.getInt();
        int from = fields.getInt();
        if (kind < 0 || kind >= MemoryKind.values().length || rank < Lease.EVERY_RANK || rank >= bootstrap.ranks() || from < 0
                || from >= bootstrap.processes()) {
            throw new PgasException("heap request refused: operation=" + operation + " kind=" + kind + " rank=" + rank
                    + " process=" + from);
        }
        long[] values = serve(operation, MemoryKind.ofCode(kind), rank, from, fields.getLong(), fields.getLong());
        ByteBuffer answer = ByteBuffer.allocate(values.length * Long.BYTES);
        answer.asLongBuffer().put(values);
        return answer.array();
    }

    private long[] serve(byte operation, MemoryKind kind, int rank, int from, long value, long more) {
        boolean mine = rank == Lease.EVERY_RANK ? global != null
                : rank >= firstRank && rank < firstRank + local.get(kind).length;
        switch (operation) {
            case END_LEASE -> {
                leases.end(more);
                return flag(true);
            }
            case FIND, FIND_AT, END_ALLOCATION, RELEASE, RETIRE -> {
                if (!mine) {
                    throw refused(operation, rank, value);
                }
            }
            default -> {
                if (global == null || value < 0) {
                    throw refused(operation, rank, value);
                }
            }
        }
        return switch (operation) {
            case FIND -> allocations.find(kind, rank, more, from);
            case FIND_AT -> allocations.at(kind, rank, value, more, from);
            case END_ALLOCATION -> allocations.end(kind, rank, value, more);
            case RELEASE -> flag(rank == Lease.EVERY_RANK ? global.free(kind, value - before)
                    : local.get(kind)[rank - firstRank].free(value - before));
            case RETIRE -> {
                if (rank == Lease.EVERY_RANK) {
                    global.retire(kind, value - before);
                } else {
                    local.get(kind)[rank - firstRank].retire(value - before);
                }
                yield flag(true);
            }
            case GLOBAL_ALLOCATE -> allocateHere(kind, value, from, more != 0);
            case RESERVE -> flag(global.reserve(kind, rank, value));
            case GLOBAL_STATS -> global.stats(kind);
            default -> throw refused(operation, rank, value);
        };
    }

    /** Offset and generation, or one word if there is no room. */
    private long[] allocateHere(MemoryKind kind, long bytes, int holder, boolean everywhere) {
        long offset = global.allocate(kind, guarded(bytes));
        return offset < 0 ? flag(false) : new long[] {offset + before,
            allocations.add(kind, Lease.EVERY_RANK, offset + before, bytes, holder, everywhere)};
    }

    private PgasException refused(byte operation, int rank, long value) {
        return new PgasException("heap request refused by process " + bootstrap.process() + ": operation=" + operation + " rank="
                + rank + " value=" + value);
    }

    private static long[] flag(boolean value) {
        return new long[] {value ? 1 : 0};
    }
}
