package org.pgas4j.bench.checks;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.pgas4j.Lease;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;
import org.pgas4j.fastpath.Conduits;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.Endpoint;

/** Segments of two ranks on the conduit that a job of one node has, without the runtime on top of it. */
@State(Scope.Thread)
public class ConduitPair {

    private static final long TIMEOUT_NS = 60_000_000_000L;

    private Conduit conduit;
    private Arena arena;
    Endpoint endpoint;
    MemorySegment mapped;
    MemorySegment source;
    SharedPointer[] pointers;
    int next;

    /** Connects rank 0 to rank 1. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        conduit = Conduits.open("shm", new ConduitOptions(1, 2, TIMEOUT_NS, () -> { }, "auto", "none"));
        conduit.create(0, "segment", PutBenchmark.BYTES);
        endpoint = conduit.connect(0, 1, conduit.create(1, "segment", PutBenchmark.BYTES).address());
        mapped = endpoint.mapped();
        arena = Arena.ofShared();
        source = arena.allocate(Long.BYTES, Long.BYTES);
        Lease lease = new Lease(MemoryKind.HOST, 1, 1, 0, PutBenchmark.BYTES);
        pointers = IntStream.range(0, PutBenchmark.PLACES).mapToObj(i -> PgasUnsafe.pointer(lease, MemoryKind.HOST, 1, 2, 0,
                (long) i * Long.BYTES, 0, 1)).toArray(SharedPointer[]::new);
    }

    /** Frees the segments. */
    @TearDown(Level.Trial)
    public void close() {
        arena.close();
        conduit.close();
    }

    /** The pointers in turn. */
    SharedPointer pointer() {
        next = next + 1 & PutBenchmark.PLACES - 1;
        return pointers[next];
    }
}
