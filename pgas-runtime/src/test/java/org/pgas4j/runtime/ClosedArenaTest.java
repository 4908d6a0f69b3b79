package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Kernel;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.SharedPointer;
import org.pgas4j.Window;

/**
 * Programs that close an arena while something is to be copied from it or to it: an exception with its size, no crash of the JVM.
 */
@Timeout(value = 100, unit = TimeUnit.SECONDS)
class ClosedArenaTest {

    /** Freed memory of this size is given back to the system. */
    private static final long BYTES = 32 << 20;

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(40 << 20).deviceHeap(40 << 20)
                .set(PgasKey.HELPER, "off"); // whose failures come by way of the job
    }

    private static Kernel waitingFor(CountDownLatch gate) {
        return new Kernel("waiting", null, (_, _) -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private enum Use {
        COPY_IN, COPY_OUT, MEMPUT, WINDOW
    }

    private static IllegalStateException cause(Throwable failure) {
        for (Throwable e = failure; e != null; e = e.getCause()) {
            if (e instanceof IllegalStateException found && found.getMessage().contains("is closed")) {
                return found;
            }
        }
        throw new AssertionError("no IllegalStateException", failure);
    }

    @ParameterizedTest
    @EnumSource(Use.class)
    void shouldRefuseWhatIsClosedBeforeAStreamComesToIt(Use use) {
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(1), rank -> {
            CountDownLatch gate = new CountDownLatch(1);
            Buffer device = rank.device().alloc(ElementType.BYTE, BYTES);
            SharedPointer shared;
            try (var _ = use == Use.WINDOW ? rank.offDevice() : rank.onDevice()) {
                shared = rank.alloc(BYTES);
            }
            Window window = rank.createWindow(rank.world(), shared, BYTES);
            rank.stream().launch(waitingFor(gate), new Kernel.Shape(1, 1));
            try (Arena early = Arena.ofShared()) {
                Buffer host = Buffer.ofHost(early.allocate(BYTES, 8), ElementType.BYTE);
                switch (use) {
                    case COPY_IN -> rank.stream().copy(device, host);
                    case COPY_OUT -> rank.stream().copy(host, device);
                    case MEMPUT -> rank.stream().memput(shared, host);
                    case WINDOW -> rank.stream().put(window, 0, 0, host);
                }
            }
            gate.countDown();
            rank.stream().sync();
        }));

        IllegalStateException e = cause(failure);
        assertEquals(1, failure.exitCode());
        assertTrue(e.getMessage().contains(BYTES + " bytes"), e.getMessage());
    }

    @Test
    void shouldRefuseWhatIsClosedAlready() {
        Pgas.run(config(1), rank -> {
            Arena early = Arena.ofConfined();
            Buffer host = Buffer.ofHost(early.allocate(4096, 8), ElementType.BYTE);
            Buffer device = rank.device().alloc(ElementType.BYTE, 4096);
            early.close();
            for (Runnable use : new Runnable[] {() -> rank.stream().copy(device, host), () -> rank.stream().copy(host, device)}) {
                IllegalStateException e = assertThrows(IllegalStateException.class, use::run);
                assertTrue(e.getMessage().contains("4096 bytes, is closed"), e.getMessage());
            }
            rank.stream().copy(device, Buffer.ofHost(Arena.global().allocate(4096), ElementType.BYTE)); // the stream is well
            rank.stream().sync();
        });
    }

    /** Whatever a confined arena's memory is given to is done with it when the arena can be closed. */
    @Test
    void shouldBeDoneWithConfinedMemoryWhenItIsClosed() {
        Pgas.run(config(1), rank -> {
            Buffer device = rank.device().alloc(ElementType.BYTE, BYTES);
            for (byte value = 1; value <= 5; value++) {
                rank.stream().fill(device, 0);
                try (Arena early = Arena.ofConfined()) {
                    rank.stream().copy(device, Buffer.ofHost(early.allocate(BYTES, 8).fill(value), ElementType.BYTE));
                }
                try (Arena early = Arena.ofConfined()) {
                    MemorySegment host = early.allocate(BYTES, 8);
                    rank.stream().copy(Buffer.ofHost(host, ElementType.BYTE), device);
                    assertEquals(value, host.get(ValueLayout.JAVA_BYTE, BYTES - 1));
                }
            }
            rank.stream().sync();
        });
    }

    @ParameterizedTest(name = "get {0}")
    @ValueSource(booleans = {false, true})
    void shouldRefuseWhatIsClosedWhileItGoesByRendezvous(boolean get) {
        CountDownLatch closed = new CountDownLatch(1);
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(2).set(PgasKey.ROUTE, "rendezvous"),
                rank -> {
            SharedPointer shared = rank.allAlloc(2, BYTES);
            if (rank.rank() == 0) {
                Arena early = Arena.ofShared();
                MemorySegment host = early.allocate(BYTES, 8);
                Supplier<Handle> start = () -> get ? rank.rma().get(host, shared.cast(0, 1).onRank(1), BYTES, Completion.HANDLE)
                        : rank.rma().put(shared.cast(0, 1).onRank(1), host, BYTES, Completion.HANDLE);
                Handle handle = start.get();
                early.close();
                closed.countDown();
                handle.sync();
            } else {
                closed.await(); // serves nobody meanwhile
            }
            rank.barrier();
        }));

        assertTrue(cause(failure).getMessage().contains((get ? "memget of " : "memput of ") + BYTES + " bytes by rendezvous"),
                cause(failure).getMessage());
    }
}
