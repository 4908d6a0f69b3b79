package org.pgas4j.bench.checks;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.pgas4j.Lease;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.SharedPointer;

/**
 * Puts of 8 bytes to another rank of the JVM. All go through one table of pointers; they differ in what lies between pointer
 * and store.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PutBenchmark {

    /** Bytes that the puts go round in. */
    static final long BYTES = 4096;
    /** A power of two. */
    static final int PLACES = (int) BYTES / Long.BYTES;

    /** A store to the other rank's mapped segment: what a put comes down to. Java checks the segment's bounds. */
    @Benchmark
    public void store(ConduitPair pair) {
        pair.mapped.set(ValueLayout.JAVA_LONG_UNALIGNED, pair.pointer().addrField(),
                pair.source.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
    }

    /** The conduit's put, which memput ends in: no bounds of allocations, no generation. */
    @Benchmark
    public void unchecked(ConduitPair pair) {
        pair.endpoint.put(pair.pointer().addrField(), pair.source, 0, Long.BYTES);
    }

    /** The same behind the checks of memput: bounds and generation of the allocation, size of the source. */
    @Benchmark
    public void checked(ConduitPair pair) {
        SharedPointer pointer = pair.pointer();
        Lease lease = PgasUnsafe.lease(pointer);
        if (lease == null || lease.refuses(pointer.rank(), pointer.addrField(), Long.BYTES)
                || Long.BYTES > pair.source.byteSize()) {
            throw new IllegalStateException("refused: " + pointer);
        }
        pair.endpoint.put(pointer.addrField(), pair.source, 0, Long.BYTES);
    }

    /** As programs call it, with a pointer that has no generation: bounds of the segment alone. */
    @Benchmark
    public void memputSegmentBounds(JobPair job) {
        job.rank.memput(job.of(job.plain), job.source, Long.BYTES);
    }

    /** As programs call it. */
    @Benchmark
    public void memput(JobPair job) {
        job.rank.memput(job.of(job.leased), job.source, Long.BYTES);
    }

    /** The same with {@code pgas.check=full}. */
    @Benchmark
    public void memputFull(JobPair.Full job) {
        job.rank.memput(job.of(job.leased), job.source, Long.BYTES);
    }
}
