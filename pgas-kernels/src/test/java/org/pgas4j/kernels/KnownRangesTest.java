package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.pgas4j.Buffer;
import org.pgas4j.kernel.ThreadKernel;

/** Indices of a block's memory between two constants say the greater one, and no others do. */
class KnownRangesTest {

    private static final Pattern KNOWN = Pattern.compile("pgas_element\\(p_local_ints_\\d+, .*, (\\d+), cx, \\d+\\)");
    private static final int SIDE = 32;

    private final Buffer x = null; // a translation needs the types alone

    /** @param most the greatest index of each use that is known to be in a range, in their order */
    private static void assertKnown(String most, ThreadKernel kernel) {
        String cuda = KernelTranslator.translate(kernel, KernelForm.GRID).cuda();
        String body = cuda.substring(cuda.indexOf("// ---- KnownRangesTest"));
        assertEquals(most, String.join(" ", KNOWN.matcher(body).results().map(use -> use.group(1)).toList()), body);
    }

    @Test
    void shouldKnowTilesWithOneMoreElementInARow() {
        Buffer x = this.x;
        int n = 7;
        assertKnown("1054 1054", self -> {
            int[] tile = self.sharedInts(SIDE * (SIDE + 1));
            for (int k = self.thread(); k < SIDE * SIDE; k += self.threads()) {
                int column = k % SIDE;
                int row = k / SIDE;
                if (row < n && column < n) {
                    tile[row * (SIDE + 1) + column] = k;
                }
            }
            self.sync();
            for (int k = self.thread(); k < SIDE * SIDE; k += self.threads()) {
                x.putInt(k, tile[k % SIDE * (SIDE + 1) + k / SIDE]);
            }
        });
    }

    /** A variable that is set once keeps its range in and behind loops, in the form with all checks and in the other. */
    @Test
    void shouldKnowNumbersOfThreads() {
        Buffer x = this.x;
        int n = 7;
        assertKnown("31 1023 31 1023", self -> {
            int[] parts = self.sharedInts(1024);
            int lane = self.lane();
            int thread = self.thread();
            int sum = 0;
            for (int k = 0; k < n; k++) {
                sum += x.getInt(k);
                if (sum > n) {
                    parts[lane] = sum;
                }
            }
            parts[thread] = sum;
        });
    }

    @Test
    void shouldKnowWhatAConditionSays() {
        Buffer x = this.x;
        assertKnown("9 10 3", self -> {
            int[] parts = self.sharedInts(10);
            int i = x.getInt(0);
            if (i >= 0 && i < 10) {
                parts[i] = 1;
                i++;
                parts[i] = 1;
            }
            int j = x.getInt(1);
            if (j == 3) {
                parts[j] = 1;
            }
            if (j != 5) {
                parts[j] = 1;
            }
        });
    }

    @Test
    void shouldForgetWhatHeldOnOneWayAlone() {
        Buffer x = this.x;
        int n = 7;
        assertKnown("2 1", self -> {
            int[] parts = self.sharedInts(10);
            int i = 2;
            parts[i] = 1;
            if (n > 5) {
                i = 1;
                parts[i] = 1;
            }
            parts[i] = 2;
            for (int k = 5; k < n; k++) {
                parts[i] = k;
                i += x.getInt(k);
            }
        });
    }

    @Test
    void shouldNotKnowWhatMayWrap() {
        Buffer x = this.x;
        assertKnown("", self -> {
            int[] parts = self.sharedInts(10);
            int i = x.getInt(0);
            if (i > 0) {
                parts[i + 1] = 1;
                parts[i * 2] = 1;
            }
            if (i < 10) {
                parts[i] = 1;
            }
        });
    }
}
