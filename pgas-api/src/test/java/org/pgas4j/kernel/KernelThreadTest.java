package org.pgas4j.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Operations of warps and blocks in Java, whose threads are real ones here. */
class KernelThreadTest {

    private static final int THREADS = 40; // a whole warp and a part of one

    /** A thread of the only block, with shared memory of its own. */
    private abstract static class OwnMemoryThread implements KernelThread {

        @Override
        public long block() {
            return 0;
        }

        @Override
        public long blocks() {
            return 1;
        }

        @Override
        public void printf(String format, Object... values) {
            throw new UnsupportedOperationException(format);
        }

        @Override
        public float[] sharedFloats(int length) {
            return new float[length];
        }

        @Override
        public double[] sharedDoubles(int length) {
            return new double[length];
        }

        @Override
        public int[] sharedInts(int length) {
            return new int[length];
        }

        @Override
        public long[] sharedLongs(int length) {
            return new long[length];
        }
    }

    /** Passes values by an array that all threads of the block write and read between two barriers. */
    private static final class MeetingThread extends OwnMemoryThread {
        private final int thread;
        private final long[] values;
        private final CyclicBarrier barrier;

        MeetingThread(int thread, long[] values, CyclicBarrier barrier) {
            this.thread = thread;
            this.values = values;
            this.barrier = barrier;
        }

        @Override
        public int thread() {
            return thread;
        }

        @Override
        public int threads() {
            return values.length;
        }

        @Override
        public void sync() {
            try {
                barrier.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long fromLane(long value, int lane) {
            return fromThread(value, warp() * 32 + lane);
        }

        @Override
        public long fromThread(long value, int from) {
            values[thread] = value;
            sync();
            long given = values[from];
            sync();
            return given;
        }
    }

    private static KernelThread alone(int threads) {
        return new OwnMemoryThread() {
            @Override
            public int thread() {
                return 0;
            }

            @Override
            public int threads() {
                return threads;
            }

            @Override
            public void sync() {
            }
        };
    }

    private static <T> List<T> ofAll(int threads, Function<KernelThread, T> body) throws Exception {
        long[] values = new long[threads];
        CyclicBarrier barrier = new CyclicBarrier(threads);
        List<T> results = new ArrayList<>();
        try (ExecutorService executor = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
            List<Future<T>> runs = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                KernelThread thread = new MeetingThread(i, values, barrier);
                runs.add(executor.submit(() -> body.apply(thread)));
            }
            for (Future<T> run : runs) {
                results.add(run.get());
            }
        }
        return results;
    }

    @Test
    void shouldNumberLanesAndWarps() throws Exception {
        assertEquals(List.of("0 0 32", "31 0 32", "0 1 8"), ofAll(THREADS, self -> self.lane() + " " + self.warp() + " "
                + self.lanes()).stream().distinct().filter(text -> text.matches("0 0 .*|31 0 .*|0 1 .*")).toList());
    }

    @Test
    void shouldShuffle() throws Exception {
        // the partial warp takes part in as many barriers as the whole one: each shuffle is one exchange
        assertEquals(35, ofAll(THREADS, self -> self.shuffle(self.thread(), 3)).get(36));
        assertEquals(List.of(0, 0, 1), ofAll(THREADS, self -> self.shuffleUp(self.thread(), 1)).subList(0, 3));
        assertEquals(List.of(31.0, 31.0, 33.0), ofAll(THREADS, self -> self.shuffleDown((double) self.thread(), 1)).subList(30, 33));
        assertEquals(List.of(38f, 39f, 36f), ofAll(THREADS, self -> self.shuffleXor((float) self.thread(), 2)).subList(36, 39));
        assertEquals(-5L, ofAll(THREADS, self -> self.shuffle(-5L - self.lane(), 0)).get(39));
    }

    @Test
    void shouldVote() throws Exception {
        assertEquals(0x88888888, ofAll(32, self -> self.ballot(self.thread() % 4 == 3)).get(7));
        assertEquals(List.of(true), ofAll(8, self -> self.any(self.thread() == 5)).stream().distinct().toList());
        assertEquals(List.of(false), ofAll(8, self -> self.all(self.thread() != 5)).stream().distinct().toList());
        assertEquals(List.of(true), ofAll(8, self -> self.all(self.thread() < 8)).stream().distinct().toList());
    }

    @Test
    void shouldReduceOverTheWarpAndTheBlock() throws Exception {
        assertEquals(List.of(496, 284), ofAll(THREADS, self -> self.warpSum(self.thread())).stream().distinct().toList());
        assertEquals(List.of(780L), ofAll(THREADS, self -> self.blockSum((long) self.thread())).stream().distinct().toList());
        assertEquals(List.of(-39.0), ofAll(THREADS, self -> self.blockMin(-(double) self.thread())).stream().distinct().toList());
        assertEquals(List.of(39f), ofAll(THREADS, self -> self.blockMax((float) self.thread())).stream().distinct().toList());
        assertEquals(List.of(7), ofAll(3, self -> self.warpMax(5 + self.thread())).stream().distinct().toList());
    }

    @Test
    void shouldReduceInTheSameOrderForAllThreads() throws Exception {
        assertEquals(1, ofAll(THREADS, self -> self.blockSum(0.1f * self.thread())).stream().distinct().count());
    }

    @Test
    void shouldUpdateMemoryOfTheBlockAtomically() throws Exception {
        int[] ints = new int[4];
        double[] doubles = new double[1];
        long[] longs = {Long.MAX_VALUE, 0};
        ofAll(THREADS, self -> {
            for (int i = 0; i < 100; i++) {
                self.getAndAdd(ints, 1, 1);
                self.getAndAdd(doubles, 0, 0.5);
                self.getAndMin(longs, 0, self.thread() + i);
                self.getAndMax(longs, 1, self.thread() + i);
            }
            self.compareAndExchange(ints, 2, 0, self.thread() + 1);
            return self.getAndSet(ints, 3, self.thread());
        });
        assertEquals(4000, ints[1]);
        assertEquals(2000, doubles[0]);
        assertEquals(List.of(0L, 138L), List.of(longs[0], longs[1]));
        assertTrue(ints[2] > 0);
    }

    @Test
    void shouldStandAloneInABlockOfOneThread() {
        assertEquals(7, alone(1).warpSum(7));
        assertEquals(7.5, alone(1).blockMax(7.5));
        assertEquals(1, alone(1).ballot(true));
        UnsupportedOperationException e = assertThrows(UnsupportedOperationException.class, () -> alone(4).warpSum(7));
        assertEquals("this thread cannot reach the other 3 of its block", e.getMessage());
    }
}
