package org.pgas4j.kernel.runtime;

import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.kernels.TranslatedKernel;

/**
 * Lines that threads of a rank's kernels have printed on a GPU: a ring in page-locked memory, as pgas_java.cuh writes it. A thread takes
 * a place by the tail and writes the number of its line last. Used by the rank's thread.
 *
 * <pre>
 *   0 head   8 tail   16 dropped   24 unused   32 lines, each
 *   0 number plus one   8 kernel   12 line of the kernel   16 block   24 thread   28 unused   32 values
 * </pre>
 */
final class KernelLines implements AutoCloseable {

    /** Lines that are kept until the host prints them. */
    static final int MAX_LINES = 1024;

    private static final long HEAD = 0;
    private static final long DROPPED = 16;
    private static final long LINES = 32;
    private static final long KERNEL = 8;
    private static final long LINE = 12;
    private static final long BLOCK = 16;
    private static final long THREAD = 24;
    private static final long VALUES = 32;
    private static final int MAX_VALUES = 8;
    private static final long LINE_BYTES = VALUES + MAX_VALUES * Long.BYTES;
    /** Size of the ring. */
    static final long BYTES = LINES + MAX_LINES * LINE_BYTES;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final int rank;
    private final PinnedMemory memory;
    private final List<TranslatedKernel> kernels;
    private long head;
    private long dropped;

    /**
     * Lines of the kernels of a rank.
     *
     * @param memory  of {@link #BYTES}, closed with this
     * @param kernels by their numbers
     */
    KernelLines(int rank, PinnedMemory memory, List<TranslatedKernel> kernels) {
        this.rank = rank;
        this.kernels = kernels;
        this.memory = memory;
        memory.segment().fill((byte) 0);
    }

    /** Address of the ring, for kernels. */
    long address() {
        return memory.segment().address();
    }

    /** A line behind the thread that printed it. */
    static String text(int rank, long block, int thread, String text) {
        return "[rank " + rank + " block " + block + " thread " + thread + "] " + text;
    }

    /** Prints what has been written, and how many lines found no place. */
    void print(PrintStream out) {
        MemorySegment ring = memory.segment();
        long at = place();
        while ((long) LONG.getAcquire(ring, at) == head + 1) { // acquire: pairs with the fence of pgas_write_line
            long[] bits = new long[MAX_VALUES];
            for (int i = 0; i < bits.length; i++) {
                bits[i] = ring.get(ValueLayout.JAVA_LONG, at + VALUES + (long) i * Long.BYTES);
            }
            String text = kernels.get(ring.get(ValueLayout.JAVA_INT, at + KERNEL)).line(ring.get(ValueLayout.JAVA_INT, at + LINE), bits);
            out.println(text(rank, ring.get(ValueLayout.JAVA_LONG, at + BLOCK), ring.get(ValueLayout.JAVA_INT, at + THREAD), text));
            head++;
            LONG.setRelease(ring, HEAD, head); // release: a thread that sees it may write over the line
            at = place();
        }
        long now = (long) LONG.getAcquire(ring, DROPPED);
        if (now != dropped) {
            out.println("[rank " + rank + "] " + (now - dropped) + " lines of kernels dropped: more than " + MAX_LINES + " before a sync");
            dropped = now;
        }
        out.flush();
    }

    private long place() {
        return LINES + head % MAX_LINES * LINE_BYTES;
    }

    @Override
    public void close() {
        memory.close();
    }
}
