package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.pgas4j.AtomicOp;
import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.ThreadKernel;

/** Threads of a block on the host device that pass values to each other. */
@Timeout(60)
class HostThreadTest {

    private static final int THREADS = 72; // two whole warps and a part of one

    private static void run(ThreadKernel body) {
        HostGrid.runBlock(() -> body, 3, 0, 1, THREADS);
    }

    @Test
    void shouldShuffleWithinItsWarp() {
        long[] found = new long[THREADS];
        run(self -> found[self.thread()] = self.shuffleXor((long) self.thread(), 1));
        assertArrayEquals(LongStream.range(0, THREADS).map(i -> i ^ 1).toArray(), found);
    }

    @Test
    void shouldLetWarpsVoteApart() {
        int[] found = new int[THREADS];
        run(self -> {
            for (int i = 0; i < (self.warp() == 1 ? 3 : 1); i++) {
                found[self.thread()] = self.ballot(self.lane() == self.warp());
            }
        });
        assertEquals(List.of(1, 2, 4), Arrays.stream(found).distinct().boxed().toList());
    }

    @Test
    void shouldReduceOverTheBlock() {
        double[] found = new double[THREADS];
        run(self -> found[self.thread()] = self.blockSum((double) self.thread()));
        assertArrayEquals(new double[] {THREADS * (THREADS - 1) / 2}, Arrays.stream(found).distinct().toArray());
    }

    @Test
    void shouldReduceByEachOperation() {
        for (ReduceOp op : ReduceOp.values()) {
            long[] found = new long[THREADS];
            run(self -> found[self.thread()] = self.blockReduce(op, self.thread() - 50L));
            long all = LongStream.range(0, THREADS).map(i -> i - 50).reduce(op::apply).orElseThrow();
            assertArrayEquals(new long[] {all}, Arrays.stream(found).distinct().toArray(), op.name());
        }
    }

    @Test
    void shouldOperateOnMemoryOfTheBlockInOneStep() {
        int[] left = new int[3];
        run(self -> {
            int[] memory = self.sharedInts(3);
            for (int i = 0; i < 100; i++) {
                self.atomic(memory, 0, AtomicOp.XOR, 1 << self.thread() % 31);
                self.atomic(memory, 1, AtomicOp.UNSIGNED_MAX, -i - self.thread());
                self.atomic(memory, 2, AtomicOp.OR, 1 << self.thread() % 31);
            }
            self.sync();
            if (self.thread() == 0) {
                System.arraycopy(memory, 0, left, 0, left.length);
            }
        });
        assertArrayEquals(new int[] {0, -1, Integer.MAX_VALUE}, left);
        assertThrows(IllegalArgumentException.class, () -> new HostThread.Lone(3, 1).atomic(new float[1], 0, AtomicOp.AND, 1f));
        assertThrows(IllegalArgumentException.class, () -> new HostThread.Lone(3, 1).atomic(new int[1], 0, AtomicOp.COMPARE_SWAP, 1));
    }

    @Test
    @ResourceLock(Resources.SYSTEM_OUT)
    void shouldPrintBehindRankBlockAndThread() {
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            run(self -> {
                if (self.thread() > 69) {
                    self.printf("%d of %lld is %.1f%%", self.thread(), 1L << 40, 0.25f);
                }
                self.sync();
            });
        } finally {
            System.setOut(before);
        }
        assertEquals(List.of("[rank 3 block 0 thread 70] 70 of 1099511627776 is 0.2%", "[rank 3 block 0 thread 71] 71 of 1099511627776 is 0.2%"),
                out.toString(StandardCharsets.UTF_8).lines().sorted().toList());
    }

    private static void assertFails(String text, ThreadKernel body) {
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> run(body));
        assertTrue(e.getMessage().matches("thread \\d+ of block 0 waits at HostThreadTest.java:\\d+" + text
                + "; all threads of a block come to each sync and .*"), e.getMessage());
    }

    @Test
    void shouldNameTheLineWhereAThreadIsMissing() {
        assertFails(" for thread 5, which has ended and was in fewer waits", self -> {
            if (self.thread() != 5) {
                self.sync();
            }
        });
        assertFails(" for thread 71, which has ended and was in fewer waits", self -> {
            if (self.thread() != 71) {
                self.warpSum(1);
            }
        });
    }

    @Test
    void shouldNameTheLinesOfThreadsThatWaitForEachOther() {
        assertFails(", and thread \\d+ waits at HostThreadTest.java:\\d+", self -> {
            self.sync();
            if (self.thread() != 40) {
                self.blockSum(1); // first within the warp
            }
            self.sync();
        });
    }

    @Test
    void shouldEndTheWaitsOfAWarpWhenAThreadFails() {
        assertEquals("seven", assertThrows(IllegalArgumentException.class, () -> run(self -> {
            if (self.thread() == 7) {
                throw new IllegalArgumentException("seven");
            }
            self.warpSum(1);
        })).getMessage());
    }
}
