package org.pgas4j.runtime.heap;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;
import org.pgas4j.HeapStats;
import org.pgas4j.Kind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.runtime.bootstrap.Bootstrap;

/**
 * The shared heaps as one JVM sees them: its ranks' own allocations here, the global ones and the line between the two on
 * process 0, asked over the bootstrap. Thread-safe.
 */
public final class SharedHeap {

    /** Number of the bootstrap service that answers for heaps. */
    public static final int SERVICE = 1;

    private static final byte GLOBAL_ALLOCATE = 1;
    private static final byte GLOBAL_FREE = 2;
    private static final byte RESERVE = 3;
    private static final byte GLOBAL_STATS = 4;
    private static final byte LOCAL_FREE = 5;
    private static final int REQUEST_BYTES = 2 + Integer.BYTES + Long.BYTES;

    private final Bootstrap bootstrap;
    private final long timeoutNs;
    private final int firstRank;
    private final Map<Kind, LocalHeap[]> local = new EnumMap<>(Kind.class);
    private final Map<Kind, Long> capacity = new EnumMap<>(Kind.class);
    private final GlobalHeap global;

    public SharedHeap(Bootstrap bootstrap, long hostBytes, long deviceBytes, long timeoutNs) {
        this.bootstrap = bootstrap;
        this.timeoutNs = timeoutNs;
        this.firstRank = bootstrap.firstRank(bootstrap.process());
        this.global = bootstrap.process() == 0 ? new GlobalHeap(hostBytes, deviceBytes) : null;
        capacity.put(Kind.HOST, hostBytes);
        capacity.put(Kind.DEVICE, deviceBytes);
        int endRank = bootstrap.firstRank(bootstrap.process() + 1);
        for (Kind kind : Kind.values()) {
            LocalHeap[] heaps = new LocalHeap[endRank - firstRank];
            for (int i = 0; i < heaps.length; i++) {
                int rank = firstRank + i;
                heaps[i] = new LocalHeap(capacity.get(kind), bytes -> ask(0, RESERVE, kind, rank, bytes)[0] != 0);
            }
            local.put(kind, heaps);
        }
    }

    /**
     * Allocates the same offset on every rank.
     *
     * @return the offset, or -1 if {@code bytes} do not fit on some rank
     */
    public long allocateGlobal(Kind kind, long bytes) {
        return ask(0, GLOBAL_ALLOCATE, kind, 0, bytes)[0];
    }

    /** Allocates in the segment of {@code rank}, a rank of this JVM; -1 if it does not fit. */
    public long allocateLocal(Kind kind, int rank, long bytes) {
        return local.get(kind)[rank - firstRank].allocate(bytes);
    }

    /** Frees what any allocator gave at {@code offset} of {@code rank}'s segment; false if nothing is allocated there. */
    public boolean free(Kind kind, int rank, long offset) {
        return ask(bootstrap.processOf(rank), LOCAL_FREE, kind, rank, offset)[0] != 0
                || rank == 0 && freeGlobal(kind, offset);
    }

    /** Frees what {@link #allocateGlobal} gave; false if nothing is allocated there. */
    public boolean freeGlobal(Kind kind, long offset) {
        return ask(0, GLOBAL_FREE, kind, 0, offset)[0] != 0;
    }

    /** Use of the heap of {@code rank}, a rank of this JVM. */
    public HeapStats stats(Kind kind, int rank) {
        long[] globals = ask(0, GLOBAL_STATS, kind, 0, 0);
        LocalHeap heap = local.get(kind)[rank - firstRank];
        return new HeapStats(kind, capacity.get(kind), globals[0] + heap.usedBytes(), globals[1] + heap.highWaterBytes(),
                Math.max(globals[2], heap.largestFree(globals[3])));
    }

    /** The exception for an allocation that did not fit. */
    public SegmentMemoryException outOfMemory(String call, Kind kind, int rank, long bytes) {
        HeapStats stats = stats(kind, rank);
        PgasKey key = kind == Kind.HOST ? PgasKey.HEAP_HOST : PgasKey.HEAP_DEVICE;
        return new SegmentMemoryException(call + " of rank " + rank + ": " + bytes + " bytes per rank do not fit the " + kind
                + " segment: free=" + (stats.capacityBytes() - stats.usedBytes()) + " largestFree="
                + stats.largestFreeBytes() + " segmentBytes=" + stats.capacityBytes() + "; raise " + key.property());
    }

    private long[] ask(int process, byte operation, Kind kind, int rank, long value) {
        if (process == bootstrap.process()) {
            return serve(operation, kind, rank, value);
        }
        byte[] request = ByteBuffer.allocate(REQUEST_BYTES).put(operation).put((byte) kind.ordinal()).putInt(rank)
                .putLong(value).array();
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
        if (kind < 0 || kind >= Kind.values().length || rank < 0 || rank >= bootstrap.ranks()) {
            throw new PgasException("heap request refused: operation=" + operation + " kind=" + kind + " rank=" + rank);
        }
        long[] values = serve(operation, Kind.values()[kind], rank, fields.getLong());
        ByteBuffer answer = ByteBuffer.allocate(values.length * Long.BYTES);
        answer.asLongBuffer().put(values);
        return answer.array();
    }

    private long[] serve(byte operation, Kind kind, int rank, long value) {
        if (operation == LOCAL_FREE) {
            LocalHeap[] heaps = local.get(kind);
            if (rank < firstRank || rank >= firstRank + heaps.length) {
                throw new PgasException("rank " + rank + " is not in process " + bootstrap.process());
            }
            return flag(heaps[rank - firstRank].free(value));
        }
        if (global == null || value < 0) {
            throw new PgasException("heap request refused by process " + bootstrap.process() + ": operation=" + operation
                    + " value=" + value);
        }
        return switch (operation) {
            case GLOBAL_ALLOCATE -> new long[] {global.allocate(kind, value)};
            case GLOBAL_FREE -> flag(global.free(kind, value));
            case RESERVE -> flag(global.reserve(kind, rank, value));
            case GLOBAL_STATS -> global.stats(kind);
            default -> throw new PgasException("heap request refused: operation=" + operation);
        };
    }

    private static long[] flag(boolean value) {
        return new long[] {value ? 1 : 0};
    }
}
