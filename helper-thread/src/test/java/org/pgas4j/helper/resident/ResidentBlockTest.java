package org.pgas4j.helper.resident;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.AtomicOp;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostBackend;
import org.pgas4j.device.host.HostDeviceMemory;

/** The resident block on the host device, where a thread takes its place. */
@Timeout(60)
class ResidentBlockTest {

    private static final int MAX_BYTES = 1000;
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(100);
    private static final long SHORT_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final HostBackend backend = new HostBackend(1, 1);
    private final Accelerator accelerator = backend.open(0);
    private final AcceleratorStream spare = accelerator.newStream();
    private final DeviceMemory memory = accelerator.allocate(4096, false);
    private final MemorySegment there = HostDeviceMemory.segmentOf(memory);

    @AfterEach
    void close() {
        backend.close();
    }

    private ResidentBlock block(long idleNs) {
        return block(idleNs, 0);
    }

    private ResidentBlock block(long idleNs, long first) {
        return new ResidentBlock(accelerator, new ResidentOptions(true, MAX_BYTES, idleNs, LONG_NS, ""), kernel(), first);
    }

    Kernel kernel() {
        return ResidentKernel.KERNEL;
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000);
        }
    }

    /** Waits until the block runs; between two requests it may have to be launched again. */
    private static void awaitReady(ResidentBlock block) {
        await(block::isReady);
    }

    private void complete(ResidentBlock block) {
        await(() -> {
            block.poll(() -> spare);
            return block.outstanding() == 0;
        });
    }

    /** Makes the block end before it sees another request. */
    private static void end(ResidentBlock block) {
        block.suspend();
        await(block::isParked);
    }

    private static MemorySegment pattern(int bytes, int seed) {
        MemorySegment pattern = MemorySegment.ofArray(new byte[bytes]);
        for (int i = 0; i < bytes; i++) {
            pattern.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + seed));
        }
        return pattern;
    }

    private static byte[] bytes(MemorySegment segment, long offset, int bytes) {
        return segment.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Fills memory with what no pattern has at its place, so that a byte too many or too few is seen. */
    private void clear() {
        there.fill((byte) 0x5a);
    }

    private void checkPut(MemorySegment source, int bytes, int shift) {
        assertArrayEquals(bytes(source, 3, bytes), bytes(there, 512 + shift, bytes), bytes + " bytes at " + shift);
        assertEquals((byte) 0x5a, there.get(ValueLayout.JAVA_BYTE, 511 + shift), "before " + bytes + " bytes at " + shift);
        assertEquals((byte) 0x5a, there.get(ValueLayout.JAVA_BYTE, 512 + shift + bytes), "after " + bytes + " bytes at " + shift);
    }

    private static final int[] SIZES = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 63, 64, 100, 111, 112, 113,
        114, 128, 255, 999, 1000};

    @Test
    void shouldPutEverySizeAtEveryAlignment() {
        try (ResidentBlock block = block(LONG_NS)) {
            MemorySegment source = pattern(MAX_BYTES + 3, 1);
            for (int bytes : SIZES) {
                for (int shift = 0; shift < 8; shift++) {
                    clear();
                    awaitReady(block);
                    block.put(memory, 512 + shift, source, 3, bytes);
                    complete(block);
                    checkPut(source, bytes, shift);
                }
            }
        }
    }

    @Test
    void shouldGetEverySizeAtEveryAlignment() {
        try (ResidentBlock block = block(LONG_NS)) {
            there.copyFrom(pattern(4096, 2));
            for (int bytes : SIZES) {
                for (int shift = 0; shift < 8; shift++) {
                    MemorySegment target = MemorySegment.ofArray(new byte[bytes + 2]);
                    awaitReady(block);
                    block.get(target, 1, memory, 512 + shift, bytes);
                    complete(block);
                    assertArrayEquals(bytes(there, 512 + shift, bytes), bytes(target, 1, bytes), bytes + " bytes at " + shift);
                    assertEquals(0, target.get(ValueLayout.JAVA_BYTE, 0));
                    assertEquals(0, target.get(ValueLayout.JAVA_BYTE, bytes + 1));
                }
            }
        }
    }

    @Test
    void shouldPerformAtomicOperations() {
        try (ResidentBlock block = block(LONG_NS)) {
            there.set(ValueLayout.JAVA_LONG, 8, 40L << 32);
            there.set(ValueLayout.JAVA_INT, 20, -5);
            assertEquals(40L << 32, atomic(block, 8, ElementType.LONG, AtomicOp.ADD, 2L << 32 | 3, 0));
            assertEquals(42L << 32 | 3, atomic(block, 8, ElementType.LONG, AtomicOp.COMPARE_SWAP, 7, 42L << 32 | 3));
            assertEquals(7, atomic(block, 8, ElementType.LONG, AtomicOp.GET, 0, 0));
            assertEquals(-5, atomic(block, 20, ElementType.INT, AtomicOp.MAX, 9, 0));
            assertEquals(9, there.get(ValueLayout.JAVA_INT, 20));
            assertEquals(7, atomic(block, 8, ElementType.LONG, AtomicOp.UNSIGNED_MAX, -3, 0));
            assertEquals(-3, atomic(block, 8, ElementType.LONG, AtomicOp.UNSIGNED_MAX, 5, 0));
            assertEquals(-3, atomic(block, 8, ElementType.LONG, AtomicOp.UNSIGNED_MIN, -4, 0));
            assertEquals(-4, atomic(block, 8, ElementType.LONG, AtomicOp.UNSIGNED_MIN, 6, 0));
            assertEquals(6, there.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(9, atomic(block, 20, ElementType.INT, AtomicOp.UNSIGNED_MAX, -3, 0));
            assertEquals(-3, atomic(block, 20, ElementType.INT, AtomicOp.UNSIGNED_MIN, -4, 0));
            assertEquals(-4, atomic(block, 20, ElementType.INT, AtomicOp.UNSIGNED_MIN, 6, 0));
            assertEquals(6, there.get(ValueLayout.JAVA_INT, 20));
        }
    }

    private long atomic(ResidentBlock block, long offset, ElementType type, AtomicOp op, long operand, long comparand) {
        MemorySegment result = MemorySegment.ofArray(new long[1]);
        awaitReady(block);
        block.atomic(memory, offset, type, op, operand, comparand, result);
        complete(block);
        return result.get(ValueLayout.JAVA_LONG, 0);
    }

    @Test
    void shouldServeManyRequestsInOrder() {
        try (ResidentBlock block = block(LONG_NS)) {
            MemorySegment value = MemorySegment.ofArray(new long[1]);
            MemorySegment seen = MemorySegment.ofArray(new long[1000]);
            for (int i = 0; i < 1000; i++) {
                value.set(ValueLayout.JAVA_LONG, 0, i);
                post(block, () -> block.put(memory, 0, value, 0, 8));
                int at = i;
                post(block, () -> block.get(seen, at * 8L, memory, 0, 8));
            }
            complete(block);
            for (int i = 0; i < 1000; i++) {
                assertEquals(i, seen.getAtIndex(ValueLayout.JAVA_LONG, i));
            }
        }
    }

    /** Posts when there is room and the block runs; what it had not served before its end is complete first. */
    private void post(ResidentBlock block, Runnable request) {
        await(() -> {
            block.poll(() -> spare);
            return block.isReady();
        });
        request.run();
    }

    @Test
    void shouldBeginTagsAgain() {
        long first = ResidentLayout.SLOTS * (ResidentLayout.LAPS - 2);
        try (ResidentBlock block = block(LONG_NS, first)) {
            MemorySegment value = MemorySegment.ofArray(new long[1]);
            for (int i = 0; i < 5 * ResidentLayout.SLOTS; i++) {
                value.set(ValueLayout.JAVA_LONG, 0, i);
                int at = i;
                post(block, () -> block.put(memory, at * 8L, value, 0, 8));
            }
            complete(block);
            for (int i = 0; i < 5 * ResidentLayout.SLOTS; i++) {
                assertEquals(i, there.getAtIndex(ValueLayout.JAVA_LONG, i));
            }
        }
    }

    @Test
    void shouldWithdrawWhatTheBlockHasNotServed() {
        try (ResidentBlock block = block(LONG_NS)) {
            clear();
            there.set(ValueLayout.JAVA_LONG, 2048, 5);
            MemorySegment small = pattern(103, 3);
            MemorySegment large = pattern(803, 4);
            MemorySegment got = MemorySegment.ofArray(new byte[100]);
            MemorySegment gotLarge = MemorySegment.ofArray(new byte[800]);
            MemorySegment old = MemorySegment.ofArray(new long[1]);
            awaitReady(block);
            end(block);
            block.put(memory, 512, small, 3, 99);
            block.get(got, 0, memory, 512, 100);
            block.put(memory, 512, large, 3, 800);
            block.get(gotLarge, 0, memory, 512, 800);
            block.atomic(memory, 2048, ElementType.LONG, AtomicOp.ADD, 2, 0, old);
            assertFalse(block.isReady());
            complete(block);

            assertEquals(5, block.withdrawn());
            assertArrayEquals(bytes(small, 3, 99), bytes(got, 0, 99));
            assertEquals((byte) 0x5a, got.get(ValueLayout.JAVA_BYTE, 99));
            assertArrayEquals(bytes(large, 3, 800), bytes(gotLarge, 0, 800));
            checkPut(large, 800, 0);
            assertEquals(5, old.get(ValueLayout.JAVA_LONG, 0));
            assertEquals(7, there.get(ValueLayout.JAVA_LONG, 2048));

            block.resume();
            awaitReady(block);
            block.put(memory, 512, small, 3, 99);
            complete(block);
            assertEquals(5, block.withdrawn());
            assertArrayEquals(bytes(small, 3, 99), bytes(there, 512, 99));
        }
    }

    @Test
    void shouldNotBeLaunchedWhileItIsSuspended() {
        try (ResidentBlock block = block(LONG_NS)) {
            block.suspend();
            block.suspend();
            assertFalse(block.isReady());
            block.resume();
            assertFalse(block.isReady());
            assertEquals(0, block.launches());
            block.resume();
            awaitReady(block);
            assertEquals(1, block.launches());
        }
    }

    @Test
    void shouldEndWhereItsDeviceAllocates() {
        try (ResidentBlock block = block(LONG_NS)) {
            awaitReady(block);
            long launches = block.launches();
            accelerator.allocate(64, false).close();
            await(block::isParked);
            awaitReady(block);
            assertEquals(launches + 1, block.launches());
        }
    }

    @Test
    void shouldEndWithoutRequestsAndBeginAgain() {
        try (ResidentBlock block = block(SHORT_NS)) {
            MemorySegment value = MemorySegment.ofArray(new long[] {1});
            for (int i = 0; i < 3; i++) {
                long launches = block.launches();
                await(() -> {
                    block.isReady();
                    return block.launches() > launches;
                });
                await(block::isParked);
                value.set(ValueLayout.JAVA_LONG, 0, i);
                block.put(memory, 0, value, 0, 8); // nobody serves it
                complete(block);
                assertEquals(i, there.get(ValueLayout.JAVA_LONG, 0));
            }
            assertEquals(3, block.withdrawn());
        }
    }

    @Test
    void shouldKeepARequestOutThatHasNoMemory() {
        DeviceMemory closed = accelerator.allocate(64, false);
        closed.close();
        try (ResidentBlock block = block(LONG_NS)) {
            awaitReady(block);
            assertThrows(DeviceException.class, () -> block.put(closed, 0, MemorySegment.ofArray(new long[1]), 0, 8));
            assertEquals(0, block.outstanding());
        }
    }

    @Test
    void shouldGoOnAfterAResultWhoseMemoryIsClosed() {
        try (ResidentBlock block = block(LONG_NS)) {
            Arena arena = Arena.ofConfined();
            MemorySegment gone = arena.allocate(8, 8);
            MemorySegment kept = MemorySegment.ofArray(new long[1]);
            there.set(ValueLayout.JAVA_LONG, 0, 77);
            awaitReady(block);
            block.get(gone, 0, memory, 0, 8);
            block.get(kept, 0, memory, 0, 8);
            arena.close();

            assertThrows(IllegalStateException.class, () -> complete(block));
            complete(block);
            assertEquals(77, kept.get(ValueLayout.JAVA_LONG, 0));
        }
    }
}
