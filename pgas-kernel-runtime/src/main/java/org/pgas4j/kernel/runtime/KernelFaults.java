package org.pgas4j.kernel.runtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.pgas4j.KernelException;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.kernels.TranslatedKernel;
import org.pgas4j.space.sync.CallSite;

/**
 * Faults that kernels of a rank have written down, a record in page-locked memory for each kernel. A kernel takes its record by its
 * first word, and sets that to {@value #WRITTEN} last. Used by the rank's thread, but for what kernels on the host device add.
 *
 * <pre>
 *   0 taken   4 kind   8 site   12 number of the kernel   16 first value   24 second value   32 thread   40 lines that it prints
 * </pre>
 */
final class KernelFaults implements AutoCloseable {

    private static final int WRITTEN = 2;
    private static final long KIND = 4;
    private static final long SITE = 8;
    private static final long KERNEL = 12;
    private static final long FIRST = 16;
    private static final long SECOND = 24;
    private static final long THREAD = 32;
    private static final long LINES = 40;
    private static final long RECORD_BYTES = 64;
    private static final long RECORDS = 64; // of a page
    private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

    private final int rank;
    private final Accelerator accelerator;
    private final List<PinnedMemory> pages = new ArrayList<>();
    private final List<TranslatedKernel> kernels = new ArrayList<>();
    private KernelLines lines; // null if no kernel prints
    private final AtomicReference<KernelException> onHost = new AtomicReference<>();

    KernelFaults(int rank, Accelerator accelerator) {
        this.rank = rank;
        this.accelerator = accelerator;
    }

    /** Number of a new record. */
    int add(TranslatedKernel kernel) {
        if (kernels.size() == pages.size() * RECORDS) {
            PinnedMemory page = accelerator.allocatePinned(RECORDS * RECORD_BYTES);
            page.segment().fill((byte) 0);
            pages.add(page);
        }
        kernels.add(kernel);
        int number = kernels.size() - 1;
        prepare(number);
        return number;
    }

    /** Fills the record of a kernel that prints. */
    private void prepare(int number) {
        if (kernels.get(number).printsLines()) {
            if (lines == null) {
                lines = new KernelLines(rank, accelerator.allocatePinned(KernelLines.BYTES), kernels);
            }
            record(number).set(ValueLayout.JAVA_INT, KERNEL, number);
            record(number).set(ValueLayout.JAVA_LONG, LINES, lines.address());
        }
    }

    private MemorySegment record(int number) {
        return pages.get((int) (number / RECORDS)).segment().asSlice(number % RECORDS * RECORD_BYTES, RECORD_BYTES);
    }

    /** Address of a record, for a kernel. */
    long address(int number) {
        return record(number).address();
    }

    /** Keeps an exception of a kernel on the host device, if it is the first; any thread. */
    void add(String kernel, int block, Throwable cause) {
        if (onHost.get() == null) {
            onHost.compareAndSet(null, new KernelException("kernel " + kernel + " of rank " + rank + " failed in block " + block + " of "
                    + accelerator.backend() + ":" + accelerator.ordinal() + ": " + cause + CallSite.of(cause).map(at -> " at " + at).orElse(""),
                    cause));
        }
    }

    /**
     * Prints the lines of kernels, reports the first fault and forgets all; what wrote them is complete.
     *
     * @throws KernelException if there was one
     */
    void check() {
        if (lines != null) {
            lines.print(System.out);
        }
        KernelException first = onHost.getAndSet(null);
        for (int i = 0; i < kernels.size(); i++) {
            MemorySegment record = record(i);
            if ((int) WORD.getAcquire(record, 0L) == WRITTEN) {
                KernelException fault = read(kernels.get(i), record);
                record.fill((byte) 0);
                prepare(i);
                if (first == null) {
                    first = fault;
                } else {
                    first.addSuppressed(fault);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private KernelException read(TranslatedKernel kernel, MemorySegment record) {
        RuntimeException cause = kernel.fault(record.get(ValueLayout.JAVA_INT, KIND), record.get(ValueLayout.JAVA_INT, SITE),
                record.get(ValueLayout.JAVA_LONG, FIRST), record.get(ValueLayout.JAVA_LONG, SECOND));
        return new KernelException("kernel " + kernel.origin() + " of rank " + rank + " failed in thread "
                + record.get(ValueLayout.JAVA_LONG, THREAD) + " of " + accelerator.backend() + ":" + accelerator.ordinal() + ": "
                + cause.getMessage(), cause);
    }

    @Override
    public void close() {
        if (lines != null) {
            lines.close();
        }
        pages.forEach(PinnedMemory::close);
        pages.clear();
        kernels.clear();
    }
}
