package org.pgas4j.helper.resident;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.device.AtomicWords;

/** The kernel of the resident block: CUDA C++ for a GPU, a loop of one thread for the host device. */
final class ResidentKernel {

    /**
     * The kernel. Arguments: the memory of {@link ResidentLayout} as a buffer; as long the number of the first request, the
     * number of this launch, nanoseconds without a request and in all after which it ends; as int the bytes of a slot's staging
     * memory.
     */
    static final Kernel KERNEL = new Kernel("pgas_resident_block", AtomicWords.CONSTANTS + AtomicWords.CUDA
            + ResidentLayout.CONSTANTS + read("pgas_resident.cu"), ResidentKernel::run);

    /** One block. */
    static final Kernel.Shape SHAPE = new Kernel.Shape(1, ResidentLayout.THREADS);

    private ResidentKernel() {
    }

    private static String read(String name) {
        try (InputStream in = ResidentKernel.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }

    /** Arguments of a launch. */
    static Object[] arguments(Buffer area, long first, long launch, long idleNs, long lifeNs, int stagingBytes) {
        return new Object[] {area, first, launch, idleNs, lifeNs, stagingBytes};
    }

    private static void run(Kernel.At at, Kernel.Args args) {
        if (at.thread() == 0) {
            new ResidentLoop(args.segment(0), args.longAt(1), args.longAt(2), args.longAt(3), args.longAt(4), args.intAt(5))
                    .run();
        }
    }
}
