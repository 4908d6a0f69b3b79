package org.pgas4j.bench.kernel;

import java.util.List;
import java.util.function.Function;

/** All cases, in a size for GPUs, which memory and arithmetic keep busy for 0.1 ms and more, or in one for the host device. */
public final class KernelCases {

    private static final int SMALLEST = 32;

    private KernelCases() {
    }

    /** Each makes its case in memory that the caller frees. */
    public static List<Function<KernelMemories, KernelCase>> all(boolean large) {
        return List.of(
                memory -> StreamingCases.saxpy(memory, large ? 1 << 26 : 1 << 14),
                memory -> GridCases.stencil(memory, large ? 384 : 20),
                memory -> ScalarCases.sparse(memory, large ? 1 << 21 : 1000),
                memory -> BlockCases.product(memory, large ? 2048 : 2 * BlockCases.TILE),
                memory -> BlockCases.bodies(memory, large ? 1 << 15 : BlockCases.BODIES),
                memory -> ScalarCases.mandelbrot(memory, large ? 4096 : 48, large ? 512 : 100),
                memory -> ScalarCases.random(memory, large ? 1 << 22 : 1 << 8, large ? 256 : 32),
                memory -> StreamingCases.histogram(memory, large ? 1 << 26 : 1 << 13, large ? 1 << 16 : 1 << 8),
                memory -> GridCases.himeno(memory, large ? 128 : 8, large ? 256 : 8, large ? 256 : 16),
                memory -> ExampleCases.dot(memory, large ? 1 << 26 : 1 << 12, large ? 1024 : 8),
                memory -> ExampleCases.transpose(memory, large ? 8192 : 40),
                memory -> ExampleCases.diffusion(memory, large ? 8192 : 32),
                memory -> ExampleCases.products(memory, large ? 1 << 21 : 300));
    }

    /** A case that takes a device less time than the host takes to launch it. */
    public static KernelCase smallest(KernelMemories memory) {
        return StreamingCases.saxpy(memory, SMALLEST);
    }
}
