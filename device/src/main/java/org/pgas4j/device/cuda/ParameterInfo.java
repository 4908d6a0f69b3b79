package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import jcuda.driver.CUfunction;
import jcuda.driver.CUresult;

/**
 * Queries the parameters that a kernel declares, because a launch with too few crashes the JVM. The driver has the call
 * since CUDA 12.4, JCuda lacks it.
 */
final class ParameterInfo {

    private static final int MAX_PARAMETERS = 4096;
    private static final MethodHandle FUNC_GET_PARAM_INFO = find();

    private ParameterInfo() {
    }

    /** The size in bytes of each parameter; null if the driver is too old to report it. */
    static int[] of(CUfunction function) {
        if (FUNC_GET_PARAM_INFO == null) {
            return null;
        }
        int[] bytes = new int[MAX_PARAMETERS];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment offset = arena.allocate(ValueLayout.JAVA_LONG);
            MemorySegment size = arena.allocate(ValueLayout.JAVA_LONG);
            int count = 0;
            while (count < MAX_PARAMETERS) {
                int code = (int) FUNC_GET_PARAM_INFO.invokeExact(NativeAddress.get(function), (long) count, offset,
                        size);
                if (code == CUresult.CUDA_ERROR_INVALID_VALUE) { // past the last
                    break;
                }
                if (code != CUresult.CUDA_SUCCESS) {
                    throw CudaDriver.failure("cuFuncGetParamInfo", code, "parameter " + count);
                }
                bytes[count++] = Math.toIntExact(size.get(ValueLayout.JAVA_LONG, 0));
            }
            return Arrays.copyOf(bytes, count);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("cuFuncGetParamInfo", e);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle find() {
        return SymbolLookup.libraryLookup(CudaBackend.DRIVER_LIBRARY, Arena.global()).find("cuFuncGetParamInfo")
                .map(symbol -> Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS)))
                .orElse(null);
    }
}
