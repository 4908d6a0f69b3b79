package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamWaitValue_flags;
import org.pgas4j.DeviceException;

/**
 * Consecutive writes of and waits for words, passed to the driver in one call: each call would be a node of a graph.
 * JCuda has no fields in the structure that the call takes, so the call is made here.
 */
final class WordBatch {

    private static final int MAX_OPERATIONS = 64;
    private static final long BYTES = 48;
    private static final long ADDRESS = 8;
    private static final long VALUE = 16;
    private static final long FLAGS = 24;
    private static final int WAIT_64 = 4;
    private static final int WRITE_64 = 5;
    private static final int WRITE_32 = 2;
    private static final MethodHandle BATCH = find();

    private final MemorySegment operations = Arena.ofAuto().allocate(MAX_OPERATIONS * BYTES, 8);
    private int count;

    /** @throws DeviceException if the driver lacks the call */
    WordBatch() {
        if (BATCH == null) {
            throw new DeviceException("the driver has no cuStreamBatchMemOp_v2, which captured work needs; install driver 580 or "
                    + "later");
        }
    }

    void waitValue(CUstream stream, long address, long value) {
        add(stream, WAIT_64, address, value, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ);
    }

    void waitNonZero(CUstream stream, long address) {
        add(stream, WAIT_64, address, -1, CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_AND);
    }

    /** A write of the low {@code bytes} bytes of {@code value}, 8 or 4. */
    void write(CUstream stream, long address, long value, int bytes) {
        if (bytes == Long.BYTES) {
            add(stream, WRITE_64, address, value, 0);
        } else {
            add(stream, WRITE_32, address, value & 0xffff_ffffL, 0);
        }
    }

    private void add(CUstream stream, int operation, long address, long value, int flags) {
        if (count == MAX_OPERATIONS) {
            flush(stream);
        }
        MemorySegment next = operations.asSlice(count++ * BYTES, BYTES).fill((byte) 0);
        next.set(ValueLayout.JAVA_INT, 0, operation);
        next.set(ValueLayout.JAVA_LONG, ADDRESS, address);
        next.set(ValueLayout.JAVA_LONG, VALUE, value);
        next.set(ValueLayout.JAVA_INT, FLAGS, flags);
    }

    /** Passes the batch to the driver, unless it is empty. */
    void flush(CUstream stream) {
        if (count == 0) {
            return;
        }
        int code;
        try {
            code = (int) BATCH.invokeExact(NativeAddress.get(stream), count, operations, 0);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("cuStreamBatchMemOp", e);
        }
        int given = count;
        count = 0;
        if (code != CUresult.CUDA_SUCCESS) {
            throw CudaDriver.failure("cuStreamBatchMemOp", code, given + " operations");
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle find() {
        return SymbolLookup.libraryLookup(CudaBackend.DRIVER_LIBRARY, Arena.global()).find("cuStreamBatchMemOp_v2")
                .map(symbol -> Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT)))
                .orElse(null);
    }
}
