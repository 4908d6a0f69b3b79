package org.pgas4j.kernel.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelTranslator;
import org.pgas4j.kernels.TranslatedKernel;

/** The ring of lines that kernels print on a GPU, written here as their threads do. */
class KernelLinesTest {

    private static final long LINES = 32;
    private static final long LINE_BYTES = 96;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment ring = arena.allocate(KernelLines.BYTES, Long.BYTES);
    private final KernelLines lines = new KernelLines(2, new PinnedMemory() {
        @Override
        public MemorySegment segment() {
            return ring;
        }

        @Override
        public void close() {
        }
    }, List.of(translated(self -> self.printf("never %d", 1)), translated(self -> {
        self.printf("none");
        self.printf("at %d: %.1f", 1L, 2f);
    })));

    private static TranslatedKernel translated(ThreadKernel kernel) {
        return KernelTranslator.translate(kernel, KernelForm.GRID);
    }

    @AfterEach
    void close() {
        lines.close();
        arena.close();
    }

    /** The second line of the second kernel. */
    private void write(long number) {
        MemorySegment line = ring.asSlice(LINES + number % KernelLines.MAX_LINES * LINE_BYTES, LINE_BYTES);
        line.set(ValueLayout.JAVA_INT, 8, 1);
        line.set(ValueLayout.JAVA_INT, 12, 1);
        line.set(ValueLayout.JAVA_LONG, 16, 7);
        line.set(ValueLayout.JAVA_INT, 24, 31);
        line.set(ValueLayout.JAVA_LONG, 32, number);
        line.set(ValueLayout.JAVA_LONG, 40, Double.doubleToRawLongBits(0.25));
        line.set(ValueLayout.JAVA_LONG, 0, number + 1);
    }

    private List<String> printed() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        lines.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void shouldPrintWhatIsWholeInItsOrder() {
        write(0);
        write(2); // the thread before it has taken its place and not written yet
        assertEquals(List.of("[rank 2 block 7 thread 31] at 0: 0.2"), printed());
        assertEquals(1, ring.get(ValueLayout.JAVA_LONG, 0));
        write(1);
        assertEquals(List.of("[rank 2 block 7 thread 31] at 1: 0.2", "[rank 2 block 7 thread 31] at 2: 0.2"), printed());
        assertEquals(List.of(), printed());
    }

    @Test
    void shouldGoRoundAndTellWhatWasDropped() {
        for (int i = 0; i < KernelLines.MAX_LINES; i++) {
            write(i);
        }
        ring.set(ValueLayout.JAVA_LONG, 16, 5);
        List<String> all = printed();
        assertEquals(KernelLines.MAX_LINES + 1, all.size());
        assertEquals("[rank 2] 5 lines of kernels dropped: more than 1024 before a sync", all.getLast());
        write(KernelLines.MAX_LINES);
        assertEquals(List.of("[rank 2 block 7 thread 31] at 1024: 0.2"), printed());
    }
}
