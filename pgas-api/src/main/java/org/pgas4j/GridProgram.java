package org.pgas4j;

/**
 * A program whose ranks are the blocks of a grid (dCUDA's model), in two forms: CUDA C++ that includes {@code pgas_device.cuh},
 * and Java for the host device, where a block is a thread. Either may be missing; launching it where its form is missing is an
 * error. docs/device-api.md describes the functions of both.
 *
 * @param name of the {@code extern "C" __global__} function; its first parameter is {@code pgas_world world}, the launch's
 *             arguments follow
 * @param body Java form, or null
 * @param code form for GPUs, or null
 */
public record GridProgram(String name, Body body, CudaCode code) {

    public GridProgram {
        if (name == null || name.isBlank() || code == null && body == null) {
            throw new IllegalArgumentException("block program needs a name and at least one form: name=" + name);
        }
    }

    /**
     * A program of source without options.
     *
     * @param cuda CUDA C++ source, or null
     */
    public GridProgram(String name, String cuda, Body body) {
        this(name, body, cuda == null ? null : CudaCode.source(cuda));
    }

    /** The CUDA C++ source, or null if there is none. */
    public String cuda() {
        return code == null || code.form() != CudaCode.Form.SOURCE ? null : code.text();
    }

    /** The same program, compiled with further options: {@link CudaCode#withOptions(List)}. One without CUDA form is the same. */
    public GridProgram withOptions(String... options) {
        return code == null ? this : new GridProgram(name, body, code.withOptions(options));
    }

    /** Body of one block on the host device. */
    @FunctionalInterface
    public interface Body {

        /** Runs as one block, on a thread of its own; blocks may wait for each other through {@code self}. */
        void run(GridRank self, Kernel.Args args) throws Exception;
    }
}
