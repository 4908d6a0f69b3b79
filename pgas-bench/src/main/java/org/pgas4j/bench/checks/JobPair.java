package org.pgas4j.bench.checks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.pgas4j.Backend;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/** A job of two ranks of this JVM, whose first rank lends itself to the benchmark's thread and waits. */
@State(Scope.Thread)
public class JobPair {

    private static final long HEAP_BYTES = 1 << 20;
    private static final long TIMEOUT_S = 60;

    /** With {@code pgas.check=full}. */
    @State(Scope.Thread)
    public static class Full extends JobPair {

        /** Made by JMH. */
        public Full() {
            super("full");
        }
    }

    private final String check;
    private final Arena arena = Arena.ofShared();
    private final CountDownLatch over = new CountDownLatch(1);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    Rank rank;
    SharedPointer[] leased;
    SharedPointer[] plain;
    MemorySegment source;
    int next;

    /** Made by JMH. */
    public JobPair() {
        this("on");
    }

    JobPair(String check) {
        this.check = check;
    }

    private static PgasConfig config(String check) {
        return new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(HEAP_BYTES).deviceHeap(HEAP_BYTES).set(PgasKey.HELPER, "off")
                .set(PgasKey.CHECK, check);
    }

    /** Starts the job. */
    @Setup(Level.Trial)
    public void open() throws InterruptedException, ExecutionException, TimeoutException {
        source = arena.allocate(Long.BYTES, Long.BYTES);
        CompletableFuture<Rank> lent = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("job").start(() -> {
            try {
                Pgas.run(config(check), each -> {
                    SharedPointer shared = each.allAlloc(2, PutBenchmark.BYTES).cast(0, 1).onRank(1);
                    if (each.rank() == 0) {
                        leased = IntStream.range(0, PutBenchmark.PLACES).mapToObj(i -> shared.plus((long) i * Long.BYTES))
                                .toArray(SharedPointer[]::new);
                        plain = IntStream.range(0, PutBenchmark.PLACES).mapToObj(i -> PgasUnsafe.pointer(MemoryKind.HOST, 1, 2, 0,
                                leased[i].addrField(), 0, 1)).toArray(SharedPointer[]::new);
                        lent.complete(each);
                    }
                    over.await();
                });
                ended.complete(null);
            } catch (Throwable e) {
                lent.completeExceptionally(e);
                ended.completeExceptionally(e);
            }
        });
        rank = lent.get(TIMEOUT_S, TimeUnit.SECONDS);
        PgasUnsafe.borrow(rank);
    }

    /** Ends the job. */
    @TearDown(Level.Trial)
    public void close() throws InterruptedException, ExecutionException, TimeoutException {
        over.countDown();
        ended.get(TIMEOUT_S, TimeUnit.SECONDS);
        arena.close();
    }

    /** Pointers in turn. */
    SharedPointer of(SharedPointer[] pointers) {
        next = next + 1 & PutBenchmark.PLACES - 1;
        return pointers[next];
    }
}
