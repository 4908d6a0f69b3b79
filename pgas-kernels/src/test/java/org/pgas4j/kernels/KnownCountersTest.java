package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.pgas4j.Buffer;
import org.pgas4j.kernel.ThreadKernel;

/** The compiler learns of counters that are never negative, and of no others. */
class KnownCountersTest {

    private static final String ASSUMED = "PGAS_ASSUME(i";
    private static final int SIDE = 32;

    private final Buffer x = null; // a translation needs the types alone

    private static void assertAssumed(int expected, ThreadKernel kernel) {
        String cuda = KernelTranslator.translate(kernel, KernelForm.GRID).cuda();
        assertEquals(expected, cuda.split(java.util.regex.Pattern.quote(ASSUMED), -1).length - 1, cuda);
    }

    @Test
    void shouldKnowIndicesOfThreads() {
        Buffer x = this.x;
        assertAssumed(1, self -> {
            for (int k = self.thread(); k < 1024; k += self.threads()) {
                if (k % SIDE < k / SIDE) {
                    x.putInt(k, 1);
                }
            }
        });
        int n = 7;
        assertAssumed(1, self -> {
            for (int k = 1 + 2 * self.lane(); k < n; k++) {
                if (k % 3 < n) {
                    x.putInt(0, k);
                }
            }
        });
    }

    /** A barrier or other statements before the loop make no difference. */
    @Test
    void shouldLookAtTheStatementBeforeTheLoopAlone() {
        Buffer x = this.x;
        assertAssumed(1, self -> {
            self.sync();
            for (int k = self.warp(); k <= 100; k += 3) {
                if (k % SIDE > 3) {
                    x.putInt(k, 1);
                }
            }
        });
    }

    @Test
    void shouldNotKnowStartsThatMayBeNegative() {
        Buffer x = this.x;
        int from = 3;
        assertAssumed(0, self -> {
            for (int k = from; k < 1024; k += self.threads()) {
                if (k % SIDE > 3) {
                    x.putInt(k, 1);
                }
            }
        });
        assertAssumed(0, self -> {
            for (int k = self.thread() - 1; k < 1024; k++) {
                if (k % SIDE > 3) {
                    x.putInt(k, 1);
                }
            }
        });
    }

    @Test
    void shouldNotKnowCountersThatMayWrap() {
        Buffer x = this.x;
        int n = Integer.MAX_VALUE;
        assertAssumed(0, self -> {
            for (int k = self.thread(); k < n; k += self.threads()) {
                if (k % SIDE > 3) {
                    x.putInt(0, 1);
                }
            }
        });
        assertAssumed(0, self -> {
            for (int k = 0; k <= n; k++) {
                if (k % SIDE > 3) {
                    x.putInt(0, 1);
                }
            }
        });
        assertAssumed(0, self -> {
            for (int k = 0; k < Integer.MAX_VALUE - 1; k += 3) {
                if (k % SIDE > 3) {
                    x.putInt(0, 1);
                }
            }
        });
        assertAssumed(0, self -> {
            for (int k = self.thread(); k < 1024; k -= self.threads()) {
                if (k % SIDE > 3) {
                    x.putInt(0, 1);
                }
            }
        });
    }

    /** The statement before the loop is skipped, or comes from several places. */
    @Test
    void shouldNotKnowStartsThatJumpsPass() {
        Buffer x = this.x;
        assertAssumed(0, self -> {
            int k = -70;
            if (x.getInt(0) == 5) {
                k = 5;
            }
            for (; k < 100; k++) {
                x.putInt(1, k / SIDE);
            }
        });
        assertAssumed(0, self -> {
            int k = -70;
            switch (x.getInt(0)) {
                case 1 -> k = 1;
                case 2 -> k = 2;
                default -> {
                }
            }
            for (; k < 100; k++) {
                x.putInt(1, k / SIDE);
            }
        });
    }

    /** It passes the largest int and goes on at the smallest. */
    @Test
    void shouldNotKnowIntsBelowALong() {
        Buffer x = this.x;
        long n = (1L << 31) + 5;
        assertAssumed(0, self -> {
            for (int k = 0; k < n; k++) {
                x.putInt(0, k / SIDE);
            }
        });
    }

    /** Such a loop has no use for it. */
    @Test
    void shouldLookForDivisionsOnly() {
        Buffer x = this.x;
        assertAssumed(0, self -> {
            for (int k = self.thread(); k < 1024; k += self.threads()) {
                if (x.getInt(k) > 3) {
                    x.putInt(k, 1);
                }
            }
        });
    }
}
