package org.pgas4j.fastpath.conduit.ucx;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.pgas4j.PgasException;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.UsageException;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.os.SystemMemory;

/**
 * Conduit whose segments are registered with UCX, which reaches them over the transports that it finds between two
 * processes. Each rank of this JVM has a worker, and a connection to each rank it has an endpoint to.
 */
public final class UcxConduit implements Conduit {

    private static final System.Logger LOG = System.getLogger("pgas.ucx");
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(5);

    private final ConduitOptions options;
    private final UcxTransports transports;
    private final boolean peerErrors;
    private final int version;
    private final long id = new SecureRandom().nextLong();
    private final String memory;
    private final long context;
    private final boolean fences;
    private final AtomicReferenceArray<UcxWorker> workers;
    private final Map<Long, Owned> own = new HashMap<>();
    private final Set<Endpoint> endpoints = new HashSet<>();
    private boolean closed;

    /** @param arena that of memory made by UCX, else null */
    private record Owned(long handle, Arena arena, MemorySegment memory) {
    }

    /**
     * Loads UCX and opens a context.
     *
     * @throws UsageException if UCX or the binding is missing, or has none of the requested transports
     */
    public UcxConduit(ConduitOptions options) {
        this(options, "pgas.conduit=ucx", UcxTransports.of(options.ucxTls()), false);
    }

    /**
     * Opens a context for transfers between nodes: memory is made by another conduit and registered here, and only
     * processors change its words, since ranks of the owner's node do so too. A network card's atomics are not atomic
     * to those of processors.
     *
     * @throws UsageException if UCX or the binding is missing, or has none of the requested transports
     */
    public static UcxConduit betweenNodes(ConduitOptions options) {
        return new UcxConduit(options, "a job on " + options.nodes() + " nodes",
                UcxTransports.betweenNodes(options.ucxTls(), System.getenv("UCX_TLS")), true);
    }

    private UcxConduit(ConduitOptions options, String who, UcxTransports transports, boolean cpuAtomics) {
        Ucp.require(who);
        this.options = options;
        this.transports = transports;
        peerErrors = options.ucxErrors().equals("peer");
        version = Ucp.version();
        String found = null;
        Ucp.Context opened = null;
        for (String candidate : transports.memory()) {
            found = candidate;
            opened = Ucp.open(transports, found, peerErrors, cpuAtomics, options.ranks());
            if (found.equals(UcxTransports.PRIVATE) || hasMemory(opened.handle())) {
                break;
            }
            Ucp.close(opened.handle());
            opened = null;
        }
        if (opened == null) {
            throw new SegmentMemoryException("UCX has no memory of " + found + " with transports " + transports.text()
                    + "; enlarge /dev/shm or change pgas.ucx.tls");
        }
        memory = found;
        context = opened.handle();
        fences = opened.fences();
        workers = new AtomicReferenceArray<>(options.ranks());
    }

    private static boolean hasMemory(long context) {
        long handle = Ucp.map(context, 1);
        if (handle != 0) {
            Ucp.unmap(context, handle);
        }
        return handle != 0;
    }

    @Override
    public String name() {
        return "ucx";
    }

    private UcxWorker worker(int rank) {
        if (closed) {
            throw new IllegalStateException("the ucx conduit is closed");
        }
        UcxWorker worker = workers.get(rank);
        if (worker == null) {
            worker = new UcxWorker(context, rank, SegmentAddress.MAX_KEY_BYTES, peerErrors, fences, options);
            workers.set(rank, worker);
        }
        return worker;
    }

    @Override
    public synchronized HostSegment create(int rank, String purpose, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: > 0)");
        }
        UcxWorker worker = worker(rank);
        long free = SystemMemory.freeBytes();
        long handle = bytes > free ? 0 : Ucp.map(context, bytes);
        if (handle == 0) {
            throw new SegmentMemoryException(purpose + " of rank " + rank + " needs " + bytes + " bytes, " + free
                    + " are free, and UCX cannot allocate them"
                    + (memory.equals(UcxTransports.SHARED) ? " in /dev/shm; enlarge it or" : ";")
                    + " lower pgas.heap.host");
        }
        boolean success = false;
        Arena arena = Arena.ofShared();
        try {
            long base = Ucp.address(handle);
            byte[] key = key(worker, handle, base, bytes);
            MemorySegment segment = wrap(base, bytes, arena);
            if (memory.equals(UcxTransports.PRIVATE)) {
                segment.fill((byte) 0); // allocates its pages; those of shared memory were written by UCX
            }
            own.put(base, new Owned(handle, arena, segment));
            success = true;
            return new HostSegment(rank, segment, new SegmentAddress("", bytes, key));
        } finally {
            if (!success) {
                arena.close();
                Ucp.unmap(context, handle);
            }
        }
    }

    private byte[] key(UcxWorker worker, long handle, long base, long bytes) {
        byte[] key = new UcxKey(version, id, worker.rank(), base, bytes, Ucp.orderedPutBytes(),
                worker.address(), Ucp.packKey(context, handle, SegmentAddress.MAX_KEY_BYTES)).encode();
        if (key == null) {
            throw new PgasException("UCX's address of rank " + worker.rank() + " has " + worker.address().length
                    + " bytes, too many for a key of " + SegmentAddress.MAX_KEY_BYTES
                    + "; set UCX_NET_DEVICES to the network devices to use");
        }
        return key;
    }

    /**
     * Registers a rank's memory, which begins at a page, and stays there until {@link #release} or {@link #close}.
     *
     * @return the key of its address
     */
    public synchronized byte[] register(int rank, MemorySegment memory) {
        UcxWorker worker = worker(rank);
        long handle = Ucp.register(context, memory.address(), memory.byteSize());
        boolean success = false;
        try {
            byte[] key = key(worker, handle, memory.address(), memory.byteSize());
            own.put(memory.address(), new Owned(handle, null, memory));
            success = true;
            return key;
        } finally {
            if (!success) {
                Ucp.unmap(context, handle);
            }
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment wrap(long base, long bytes, Arena arena) {
        return MemorySegment.ofAddress(base).reinterpret(bytes, arena, null);
    }

    @Override
    public synchronized void release(HostSegment segment) {
        Owned owned = own.get(segment.memory().address());
        if (owned != null && owned.memory == segment.memory()) {
            own.remove(segment.memory().address());
            free(owned);
        }
    }

    private void free(Owned owned) {
        if (owned.arena != null) {
            owned.arena.close();
        }
        Ucp.unmap(context, owned.handle);
    }

    @Override
    public synchronized Endpoint connect(int from, int to, SegmentAddress address) throws IOException {
        UcxKey key = UcxKey.decode(address, to, version);
        Owned owned = key.conduit() == id ? own.get(key.base()) : null;
        if (key.conduit() == id && owned == null) {
            throw new IOException("segment of rank " + to + " at 0x" + Long.toHexString(key.base())
                    + " has been released");
        }
        UcxEndpoint remote;
        try {
            remote = new UcxEndpoint(worker(from).peer(to, key.worker()), key);
        } catch (PgasException e) {
            throw new IOException("rank " + from + " cannot reach a segment of rank " + to + " over UCX, transports: "
                    + transports.text() + ": " + e.getMessage(), e);
        }
        Endpoint endpoint = owned != null && from == to ? new UcxOwnEndpoint(owned.memory, remote) : remote;
        endpoints.add(endpoint);
        return endpoint;
    }

    @Override
    public synchronized void disconnect(Endpoint endpoint) {
        if (endpoints.remove(endpoint)) {
            destroy(endpoint);
        }
    }

    private static void destroy(Endpoint endpoint) {
        switch (endpoint) {
            case UcxEndpoint remote -> remote.close();
            case UcxOwnEndpoint own -> own.close();
            default -> throw new IllegalArgumentException("not an endpoint of the ucx conduit: " + endpoint);
        }
    }

    @Override
    public boolean progress(int rank) {
        UcxWorker worker = workers.get(rank);
        return worker != null && worker.progress();
    }

    @Override
    public boolean needsProgress() {
        return true;
    }

    @Override
    public synchronized String describe() {
        StringBuilder out = new StringBuilder("ucx: UCX " + Ucp.versionText(version) + ", transports: "
                + transports.text() + ", memory: " + memory + ", errors: " + options.ucxErrors()
                + (fences ? "" : ", a flush for each fence"));
        for (int rank = 0; rank < workers.length(); rank++) {
            UcxWorker worker = workers.get(rank);
            if (worker != null) {
                worker.describe(out);
            }
        }
        return out.toString();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        endpoints.forEach(UcxConduit::destroy);
        endpoints.clear();
        List<UcxWorker> open = IntStream.range(0, workers.length()).mapToObj(rank -> workers.getAndSet(rank, null))
                .filter(Objects::nonNull).toList();
        boolean flushed = settle(open, UcxWorker::startFlush);
        boolean disconnected = settle(open, UcxWorker::startDisconnect);
        own.values().forEach(this::free);
        own.clear();
        if (!flushed || !disconnected) {
            // UCX 1.13 with its newer protocols crashes in ucp_worker_destroy, where it reports requests that were never
            // completed.
            LOG.log(Level.DEBUG,
                    "peers did not answer until {0} ms after the end; UCX''s workers are left to the end of the process",
                    TimeUnit.NANOSECONDS.toMillis(CLOSE_NS));
            return;
        }
        open.forEach(UcxWorker::close);
        Ucp.close(context);
    }

    /**
     * Starts requests of all workers and progresses all of them, since they may wait for each other; false if some are
     * not done in time.
     */
    private boolean settle(List<UcxWorker> open, Function<UcxWorker, List<UcxWorker.Last>> start) {
        long deadline = System.nanoTime() + Math.min(CLOSE_NS, options.timeoutNs());
        List<UcxWorker.Last> requests = new ArrayList<>();
        open.forEach(worker -> requests.addAll(start.apply(worker)));
        requests.removeIf(UcxWorker.Last::isDone);
        while (!requests.isEmpty() && System.nanoTime() - deadline < 0) {
            Thread.yield();
            open.forEach(UcxWorker::progress);
            requests.removeIf(UcxWorker.Last::isDone);
        }
        requests.forEach(last -> Ucp.forget(last.request()));
        return requests.isEmpty();
    }
}
