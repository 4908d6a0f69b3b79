package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.SharedDoubles;
import org.pgas4j.Stream;
import org.pgas4j.StreamGraph;

/** Streams of ranks: their order with transfers, products, captures that fail. Ranks are threads of this JVM. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RankStreamTest {

    private static PgasConfig config(int ranks) {
        return new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
    }

    @Test
    void shouldComputeOnStreamsOrderedWithTransfers() {
        Kernel scale = new Kernel("scale", """
                extern "C" __global__ void scale(double *x, double factor, long long n) {
                    long long i = blockIdx.x * (long long) blockDim.x + threadIdx.x;
                    if (i < n) x[i] *= factor;
                }
                """, (at, args) -> {
            long i = at.global();
            if (i < args.longAt(2)) {
                MemorySegment x = args.segment(0);
                x.set(ElementType.LAYOUT_DOUBLE, i * 8, x.get(ElementType.LAYOUT_DOUBLE, i * 8) * args.doubleAt(1));
            }
        });
        Pgas.run(config(3), rank -> {
            SharedDoubles all;
            rank.onDevice();
            all = rank.allAllocDoubles(Layout.blocked(1000), 3000);
            rank.offDevice();
            Buffer mine = rank.device().allocDoubles(1000);
            try (Arena arena = Arena.ofConfined(); Event start = rank.stream().record()) {
                MemorySegment host = arena.allocate(8000, 8);
                for (int i = 0; i < 1000; i++) {
                    host.setAtIndex(ValueLayout.JAVA_DOUBLE, i, i + rank.rank());
                }
                rank.stream().copy(mine, Buffer.ofHost(host, ElementType.DOUBLE));
                rank.stream().launch(scale, Kernel.Shape.covering(1000, 128), mine, 2.0, 1000L);
                int next = (rank.rank() + 1) % 3;
                rank.stream().memput(all.pointer(next * 1000L), mine);
                rank.barrier();
                try (Event end = rank.stream().record()) {
                    end.sync();
                    assertTrue(end.isDone() && end.millisSince(start) >= 0);
                }
            }
            int previous = (rank.rank() + 2) % 3;
            for (long i = 0; i < 1000; i += 111) {
                assertEquals(2.0 * (i + previous), all.get(rank.rank() * 1000L + i));
            }
            rank.barrier();
        });
    }

    @Test
    void shouldMultiplyMatricesWithoutGaps() {
        Pgas.run(config(1), rank -> {
            Buffer a = rank.device().allocDoubles(6);
            Buffer b = rank.device().allocDoubles(12);
            Buffer c = rank.device().allocDoubles(8);
            put(rank, a, 1, 2, 3, 4, 5, 6);
            put(rank, b, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1);
            rank.stream().gemm(2, 4, 3, a, b, c);
            rank.stream().sync();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment host = arena.allocate(64, 8);
                rank.stream().copy(Buffer.ofHost(host, ElementType.DOUBLE), c);
                rank.stream().sync();
                assertArrayEquals(new double[] {1, 2, 3, 4, 5, 6, 9, 12},
                        host.toArray(ValueLayout.JAVA_DOUBLE));
            }
            assertThrows(IllegalArgumentException.class, () -> rank.stream().gemm(2, 4, 3, a, b, a));
            assertThrows(IllegalArgumentException.class, () -> rank.stream().gemm(2, 4, 3, 1, a, 1, b, 3, 0, c, 2));
        });
    }

    @Test
    void shouldCloseTheStreamOfACaptureThatFails() {
        Pgas.run(config(1), rank -> {
            Buffer block = rank.device().allocDoubles(4);
            Stream stream = rank.stream();
            Stream[] given = new Stream[1];

            assertEquals("given up", assertThrows(IllegalArgumentException.class, () -> stream.capture(on -> {
                given[0] = on;
                on.fill(block, 1);
                throw new IllegalArgumentException("given up");
            })).getMessage());

            String message = assertThrows(IllegalStateException.class, () -> given[0].fill(block, 1)).getMessage();
            assertTrue(message.contains("is closed"), message);
            try (StreamGraph graph = stream.capture(on -> on.fill(block, 2))) {
                stream.launch(graph);
                stream.sync();
            }
        });
    }

    private static void put(Rank rank, Buffer block, double... values) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(values.length * 8L, 8);
            MemorySegment.copy(values, 0, host, ValueLayout.JAVA_DOUBLE, 0, values.length);
            rank.stream().copy(block, Buffer.ofHost(host, ElementType.DOUBLE));
            rank.stream().sync();
        }
    }
}
