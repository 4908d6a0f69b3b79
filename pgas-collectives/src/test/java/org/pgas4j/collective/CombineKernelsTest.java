package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostBackend;

@Timeout(30)
class CombineKernelsTest {

    private static final int COUNT = 5001;

    private final HostBackend backend = new HostBackend(1, 3);

    @AfterEach
    void close() {
        backend.close();
    }

    /** {@code ((0 1) (2 3)) ((4 5) 6)}: members as they are combined by exchanges of words. */
    private static double expected(int first, int count, long i) {
        if (count == 1) {
            return value(first, i);
        }
        int half = Integer.highestOneBit(count - 1);
        return expected(first, half, i) + expected(first + half, count - half, i);
    }

    private static double value(int source, long i) {
        return (i % 101 + source) / 3.0;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 7, 8})
    void shouldCombineInTheOrderOfTheTree(int sources) {
        Accelerator device = backend.open(0);
        try (Arena arena = Arena.ofConfined(); AcceleratorStream stream = device.newStream()) {
            MemorySegment host = arena.allocate(COUNT * 8L, 8);
            List<DeviceMemory> memories = new ArrayList<>();
            Object[] args = new Object[sources + 2];
            for (int s = 0; s <= sources; s++) {
                DeviceMemory memory = device.allocate(COUNT * 8L, false);
                memories.add(memory);
                args[s] = Buffer.ofDevice(memory, 0, ElementType.DOUBLE, COUNT);
                for (int i = 0; s > 0 && i < COUNT; i++) {
                    host.set(ElementType.LAYOUT_DOUBLE, i * 8L, value(s - 1, i));
                }
                stream.copyIn(memory, 0, host, 0, COUNT * 8L);
                assertTrue(stream.sync(System.nanoTime() + 10_000_000_000L));
            }
            args[sources + 1] = (long) COUNT;
            stream.launch(CombineKernels.of(ElementType.DOUBLE, ReduceOp.SUM, sources), new Kernel.Shape(3, 1), args);
            stream.copyOut(host, 0, memories.getFirst(), 0, COUNT * 8L);
            assertTrue(stream.sync(System.nanoTime() + 10_000_000_000L));

            for (int i = 0; i < COUNT; i++) {
                assertEquals(expected(0, sources, i), host.get(ElementType.LAYOUT_DOUBLE, i * 8L), "element " + i);
            }
            memories.forEach(DeviceMemory::close);
        }
    }

    @Test
    void shouldHaveASourceOfItsOwnForEachTypeAndOperation() {
        Set<String> sources = new HashSet<>();
        int count = 0;
        for (ElementType type : ElementType.values()) {
            for (ReduceOp op : ReduceOp.values()) {
                if (op.isDefinedFor(type)) {
                    Kernel kernel = CombineKernels.of(type, op, 4);
                    assertTrue(kernel.cuda().contains(" " + kernel.name() + "("), kernel.cuda());
                    assertTrue(kernel.cuda().contains("x[0] = pgas_apply(x[0], x[2]);"), kernel.cuda());
                    sources.add(kernel.cuda());
                    count++;
                }
            }
        }
        assertEquals(5 * 11 + 4 * 6, count);
        assertEquals(count, sources.size());
    }
}
