package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.pgas4j.PgasException;

/** Copies of {@link OwnThreadGets} by what a program without this system uses: CUDA's driver, or the processor. */
final class OwnThreadCopies {

    private OwnThreadCopies() {
    }

    /** Of memory of the host device, with the bytes of a seed. */
    static OwnThreadGets.Copy onHost(long bytes, long seed) {
        Arena arena = Arena.ofShared();
        MemorySegment source = arena.allocate(bytes, 128);
        PatternBytes.fill(source, bytes, seed);
        return new OwnThreadGets.Copy() {
            @Override
            public void run(MemorySegment into, long count) {
                MemorySegment.copy(source, 0, into, 0, count);
            }

            @Override
            public void close() {
                arena.close();
            }
        };
    }

    /** Of device memory of its own, with the bytes of a seed; called by the rank's thread, whose context it uses. */
    static OwnThreadGets.Copy onCuda(long bytes, long seed) {
        CUcontext context = new CUcontext();
        CUdeviceptr source = new CUdeviceptr();
        CUstream stream = new CUstream();
        check("cuCtxGetCurrent", JCudaDriver.cuCtxGetCurrent(context));
        check("cuMemAlloc", JCudaDriver.cuMemAlloc(source, bytes));
        check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pattern = arena.allocate(bytes, 128);
            PatternBytes.fill(pattern, bytes, seed);
            check("cuMemcpyHtoD", JCudaDriver.cuMemcpyHtoD(source, Pointer.to(pattern.asByteBuffer()), bytes));
        }
        return new OwnThreadGets.Copy() {
            private boolean current;

            @Override
            public void run(MemorySegment into, long count) {
                if (!current) { // for the thread that serves
                    check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
                    current = true;
                }
                check("cuMemcpyDtoHAsync", JCudaDriver.cuMemcpyDtoHAsync(Pointer.to(into.asSlice(0, count).asByteBuffer()), source,
                        count, stream));
                check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
            }

            @Override
            public void close() {
                JCudaDriver.cuStreamDestroy(stream);
                JCudaDriver.cuMemFree(source);
            }
        };
    }

    private static void check(String call, int status) {
        if (status != CUresult.CUDA_SUCCESS) {
            throw new PgasException(call + ": " + CUresult.stringFor(status) + " (" + status + ")");
        }
    }
}
