package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.DeviceException;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.KernelException;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.RankProgram;
import org.pgas4j.Scope;
import org.pgas4j.SharedDoubles;
import org.pgas4j.Stream;

/** Launches of programs' kernels on the host device: shapes and arguments. */
@Timeout(60)
class KernelLaunchTest {

    private record Line(double slope, float start, int count) {
    }

    private static final Kernel FILL = new Kernel("fill_line", null, (at, args) -> {
        Line line = args.recordAt(1, Line.class);
        for (long i = at.global(); i < line.count(); i += at.shape().allThreads()) {
            args.segment(0).setAtIndex(ValueLayout.JAVA_DOUBLE, i, line.start() + line.slope() * i);
        }
    });

    private static PgasConfig config() {
        return new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
    }

    @Test
    void shouldGiveShapesThatDoAllElementsOnce() {
        Pgas.run(config(), rank -> {
            Device device = rank.device();
            int count = 10_000;
            AtomicLongArray seen = new AtomicLongArray(count);
            AtomicLong calls = new AtomicLong();
            Kernel each = new Kernel("each", null, (at, _) -> {
                if (at.global() < count) {
                    seen.incrementAndGet((int) at.global());
                }
            });
            Kernel strided = new Kernel("strided", null, (at, _) -> {
                calls.incrementAndGet();
                for (long i = at.global(); i < count; i += at.shape().allThreads()) {
                    seen.incrementAndGet((int) i);
                }
            });
            rank.stream().launch(each, device.shape(count));
            rank.stream().launch(strided, device.stridedShape(count));
            rank.stream().sync();

            for (int i = 0; i < count; i++) {
                assertEquals(2, seen.get(i), "element " + i);
            }
            assertEquals(device.stridedShape(count).allThreads(), calls.get());
            assertTrue(calls.get() <= device.multiprocessors(), calls + " calls");
            assertEquals(new Kernel.Shape(1, 1), device.stridedShape(1));
            assertEquals(new Kernel.Shape(7, 1), device.blockShape(7, 256));
        });
    }

    @Test
    void shouldNameKernelAndLineOfASyncThatAThreadSkips() {
        Pgas.run(config().ranks(1), rank -> {
            rank.stream().launch(new Kernel.Shape(2, 64), self -> {
                self.sync();
                if (self.global() != 64 + 7) {
                    self.sync();
                }
            });
            KernelException e = assertThrows(KernelException.class, () -> rank.stream().sync());

            assertTrue(e.getMessage().matches("kernel KernelLaunchTest\\.\\S+ of rank 0 failed in block 1 of host:0: .*thread \\d+ of"
                    + " block 1 waits at KernelLaunchTest.java:\\d+ for thread 7, which has ended and was in fewer waits; all threads"
                    + " of a block come to each sync .*"), e.getMessage());
        });
    }

    /** The launch fails, not the stream; the message has the line of the program. */
    @Test
    void shouldGoOnBehindAKernelThatThrows() {
        Pgas.run(config().ranks(1), rank -> {
            SharedDoubles x;
            try (Scope _ = rank.onDevice()) {
                x = rank.allAllocDoubles(Layout.even(), 10);
            }
            x.forAll(i -> {
                if (i == 5) {
                    throw new AssertionError("five");
                }
            });
            KernelException e = assertThrows(KernelException.class, () -> rank.stream().sync());
            assertTrue(e.getMessage().matches("kernel .* of rank 0 failed in block \\d+ of host:0: java.lang.AssertionError: five at "
                    + "\\S+\\(KernelLaunchTest.java:\\d+\\)"), e.getMessage());
            x.forAll(i -> x.put(i + 1, 0));
            e = assertThrows(KernelException.class, () -> rank.stream().sync());
            assertTrue(e.getMessage().matches(".*IndexOutOfBoundsException.*\\(KernelLaunchTest.java:\\d+\\)"), e.getMessage());
            rank.stream().launch(new Kernel.Shape(2, 4), self -> {
                if (self.global() == 6) {
                    throw new StackOverflowError("six");
                }
            });
            e = assertThrows(KernelException.class, () -> rank.stream().sync());
            assertTrue(e.getMessage().contains("failed in block 1 of host:0: java.lang.StackOverflowError: six at "), e.getMessage());

            x.forAll(i -> x.put(i, 7));
            rank.stream().sync();
            rank.stream().sync();
        });
    }

    /** Ends of programs that have not looked at their streams. */
    private enum Unseen {
        KERNEL(rank -> rank.stream().launch(new Kernel("failing", (String) null, (at, args) -> {
            throw new IllegalStateException("out of bounds");
        }), new Kernel.Shape(1, 1))),
        KERNEL_OF_CLOSED_STREAM(rank -> {
            try (Stream stream = rank.device().newStream()) {
                stream.launch(new Kernel("failing", (String) null, (at, args) -> {
                    throw new IllegalStateException("out of bounds");
                }), new Kernel.Shape(1, 1));
            }
        }),
        KERNEL_IN_JAVA(rank -> {
            SharedDoubles x;
            try (Scope _ = rank.onDevice()) {
                x = rank.allAllocDoubles(Layout.even(), 10);
            }
            x.forAll(i -> x.put(i + 1, 0));
        });

        private final RankProgram program;

        Unseen(RankProgram program) {
            this.program = program;
        }
    }

    @ParameterizedTest
    @EnumSource(Unseen.class)
    void shouldFailAJobOfWhichAKernelFails(Unseen unseen) {
        PgasException failure = assertThrows(PgasException.class, () -> Pgas.run(config(), unseen.program));

        assertTrue(failure.getMessage().contains("out of bounds"), failure::toString);
    }

    @Test
    void shouldTakePinnedMemoryAndRecordsAsArguments() {
        Pgas.run(config(), rank -> {
            Buffer pinned = rank.device().allocPinned(ElementType.DOUBLE, 1000);
            Buffer device = rank.device().allocDoubles(1000);
            rank.stream().launch(FILL, rank.device().stridedShape(1000), pinned, new Line(rank.rank() + 1, 0.5f, 1000));
            rank.stream().copy(device, pinned);
            rank.stream().fill(pinned.slice(10, 10), 0);
            rank.stream().copy(pinned.slice(0, 5), device.slice(500, 5));
            rank.stream().sync();

            MemorySegment words = pinned.segment();
            assertEquals(0.5 + (rank.rank() + 1) * 500, words.getAtIndex(ValueLayout.JAVA_DOUBLE, 0));
            assertEquals(0, words.getAtIndex(ValueLayout.JAVA_DOUBLE, 10));
            assertEquals(0.5 + (rank.rank() + 1) * 999, words.getAtIndex(ValueLayout.JAVA_DOUBLE, 999));
            assertTrue(pinned.slice(1, 2).isDeviceAccessible());
            pinned.close();
            assertThrows(IllegalStateException.class, () -> words.get(ValueLayout.JAVA_DOUBLE, 0));
            assertThrows(DeviceException.class,
                    () -> rank.stream().launch(FILL, new Kernel.Shape(1, 1), pinned, new Line(1, 1, 1)));
        });
    }

    @Test
    void shouldUseAddressesOfOtherLibraries() {
        Pgas.run(config(), rank -> {
            Buffer owner = rank.device().allocDoubles(100);
            Buffer foreign = PgasUnsafe.deviceBuffer(PgasUnsafe.address(owner.slice(50, 50)), ElementType.DOUBLE, 50);
            SharedDoubles shared;
            try (Scope _ = rank.onDevice()) {
                shared = rank.allAllocDoubles(Layout.blocked(50), 100);
            }
            rank.stream().launch(FILL, rank.device().stridedShape(50), foreign, new Line(1, rank.rank(), 50));
            rank.stream().memput(shared.pointer(50L * (1 - rank.rank())), foreign);
            rank.stream().sync();
            rank.barrier();
            rank.stream().gemm(1, 1, 50, foreign, shared.local(), owner.slice(0, 1));
            Buffer seen = rank.device().allocPinned(ElementType.DOUBLE, 1);
            rank.stream().copy(seen, owner.slice(0, 1));
            rank.stream().sync();

            double expected = 0;
            for (int i = 0; i < 50; i++) {
                expected += (i + rank.rank()) * (i + 1.0 - rank.rank());
            }
            assertEquals(expected, seen.segment().get(ValueLayout.JAVA_DOUBLE, 0));
            assertThrows(DeviceException.class, () -> rank.stream().nativeHandle());
            assertThrows(DeviceException.class, () -> rank.device().wrapStream(1));
        });
    }

    @Test
    void shouldRefuseWhatIsNoArgument() {
        Pgas.run(config(), rank -> {
            Buffer host = Buffer.ofHost(MemorySegment.ofArray(new double[4]), ElementType.DOUBLE);

            assertFalse(host.isDeviceAccessible());
            for (Object wrong : new Object[] {host, "text", new double[1], java.math.BigInteger.ONE, null}) {
                IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                        () -> rank.stream().launch(FILL, new Kernel.Shape(1, 1), wrong, new Line(1, 1, 1)));
                assertTrue(e.getMessage().contains("fill_line") && e.getMessage().contains("argument 0"), e.getMessage());
            }
        });
    }
}
