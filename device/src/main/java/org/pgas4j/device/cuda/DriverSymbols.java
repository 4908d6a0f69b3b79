package org.pgas4j.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Optional;

/**
 * The functions that {@link CudaDriver} calls, by their names in the driver's library. JCuda binds each at its first
 * call, and the dynamic linker ends the process if it is missing, so they are looked up before.
 */
final class DriverSymbols {

    static final List<String> NEEDED = List.of("""
            cuCtxEnablePeerAccess cuCtxGetCurrent cuCtxGetDevice cuCtxGetStreamPriorityRange cuCtxSetCurrent
            cuDeviceCanAccessPeer cuDeviceGet cuDeviceGetAttribute cuFuncGetAttribute cuFuncSetAttribute cuLaunchKernelEx
            cuDeviceGetCount cuDeviceGetName cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRetain cuDeviceTotalMem_v2
            cuDriverGetVersion cuEventCreate cuEventDestroy_v2 cuEventElapsedTime cuEventQuery cuEventRecord cuGraphDestroy
            cuGraphExecDestroy cuGraphInstantiateWithFlags cuGraphLaunch cuGraphUpload cuInit
            cuIpcCloseMemHandle cuIpcGetMemHandle cuIpcOpenMemHandle_v2 cuLaunchCooperativeKernel cuLaunchKernel
            cuMemAlloc_v2 cuMemFree_v2 cuMemFreeHost cuMemGetAddressRange_v2 cuMemGetInfo_v2 cuMemHostAlloc
            cuMemHostRegister_v2 cuMemHostUnregister cuMemcpyDtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemcpyHtoDAsync_v2 cuMemsetD8Async
            cuModuleGetFunction cuModuleLoadDataEx cuModuleUnload cuOccupancyMaxActiveBlocksPerMultiprocessor
            cuStreamBeginCapture_v2 cuStreamCreate cuStreamCreateWithPriority cuStreamDestroy_v2
            cuStreamEndCapture cuStreamGetCtx cuStreamQuery cuStreamWaitEvent cuStreamWaitValue64_v2
            cuStreamWriteValue32_v2 cuStreamWriteValue64_v2
            """.strip().split("\\s+"));

    private DriverSymbols() {
    }

    /**
     * The first function that a library lacks, or empty if it has them all.
     *
     * @param library name of a library that can be loaded
     */
    @SuppressWarnings("restricted")
    static Optional<String> missing(String library) {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup symbols = SymbolLookup.libraryLookup(library, arena);
            return NEEDED.stream().filter(name -> symbols.find(name).isEmpty()).findFirst();
        }
    }
}
