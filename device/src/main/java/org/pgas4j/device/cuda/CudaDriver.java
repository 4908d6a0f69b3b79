package org.pgas4j.device.cuda;

import static jcuda.driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
import static jcuda.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
import static jcuda.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
import static jcuda.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
import static jcuda.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
import static jcuda.driver.CUmemorytype.CU_MEMORYTYPE_DEVICE;
import static jcuda.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
import static jcuda.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
import static jcuda.driver.CUresult.CUDA_ERROR_INVALID_VALUE;
import static jcuda.driver.CUresult.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
import static jcuda.driver.CUresult.CUDA_ERROR_NOT_READY;
import static jcuda.driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY;
import static jcuda.driver.CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
import static jcuda.driver.CUresult.CUDA_SUCCESS;

import java.nio.charset.StandardCharsets;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdevice_P2PAttribute;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.CUfunction;
import jcuda.driver.CUgraph;
import jcuda.driver.CUgraphExec;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.CUipcMem_flags;
import jcuda.driver.CUmodule;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstreamCaptureMode;
import jcuda.driver.CUstreamWaitValue_flags;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceGrid.Dims;
import org.pgas4j.Kernel;

/**
 * Calls the CUDA driver, as the only class. Each method is one driver call; a code that is neither success nor part of
 * the method's result is thrown as {@link DeviceException} with the call, the code's name and number and the arguments
 * that matter. Acts on the calling thread's current context. Thread-safe. {@link JCudaLibrary} must be loaded.
 */
final class CudaDriver {

    private static final int NAME_BYTES = 256;
    private static final long USE_NODE_PRIORITY = 8; // of CUgraphInstantiate_flags, which JCuda lacks

    private CudaDriver() {
    }

    /** The failure of {@code call} with {@code code}. */
    static DeviceException failure(String call, int code, String context) {
        return new DeviceException(call + ": " + CUresult.stringFor(code) + " (" + code + ")"
                + (context.isEmpty() ? "" : ", " + context));
    }

    private static void check(String call, int code) {
        if (code != CUDA_SUCCESS) {
            throw failure(call, code, "");
        }
    }

    private static void check(String call, int code, String name, long value) {
        if (code != CUDA_SUCCESS) {
            throw failure(call, code, name + "=" + value);
        }
    }

    // Driver and devices

    /** Returns the code itself: the caller decides what a missing device means. */
    static int init() {
        return JCudaDriver.cuInit(0);
    }

    /** Version of the driver, such as 13000. */
    static int version() {
        int[] version = new int[1];
        check("cuDriverGetVersion", JCudaDriver.cuDriverGetVersion(version));
        return version[0];
    }

    static int deviceCount() {
        int[] count = new int[1];
        check("cuDeviceGetCount", JCudaDriver.cuDeviceGetCount(count));
        return count[0];
    }

    static CUdevice device(int ordinal) {
        CUdevice device = new CUdevice();
        check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, ordinal), "device", ordinal);
        return device;
    }

    static String name(CUdevice device) {
        byte[] name = new byte[NAME_BYTES];
        check("cuDeviceGetName", JCudaDriver.cuDeviceGetName(name, name.length, device));
        int length = 0;
        while (length < name.length && name[length] != 0) {
            length++;
        }
        return new String(name, 0, length, StandardCharsets.UTF_8);
    }

    static long totalBytes(CUdevice device) {
        long[] bytes = new long[1];
        check("cuDeviceTotalMem", JCudaDriver.cuDeviceTotalMem(bytes, device));
        return bytes[0];
    }

    static int attribute(int attribute, CUdevice device) {
        int[] value = new int[1];
        check("cuDeviceGetAttribute", JCudaDriver.cuDeviceGetAttribute(value, attribute, device), "attribute",
                attribute);
        return value[0];
    }

    static boolean canAccessPeer(CUdevice device, CUdevice peer) {
        int[] can = new int[1];
        check("cuDeviceCanAccessPeer", JCudaDriver.cuDeviceCanAccessPeer(can, device, peer));
        return can[0] != 0;
    }

    static boolean hasPeerAtomics(CUdevice device, CUdevice peer) {
        int[] has = new int[1];
        check("cuDeviceGetP2PAttribute", JCudaDriver.cuDeviceGetP2PAttribute(has,
                CUdevice_P2PAttribute.CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, device, peer));
        return has[0] != 0;
    }

    // Contexts

    static CUcontext retainPrimaryContext(CUdevice device, int ordinal) {
        CUcontext context = new CUcontext();
        check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device), "device", ordinal);
        return context;
    }

    static void releasePrimaryContext(CUdevice device, int ordinal) {
        check("cuDevicePrimaryCtxRelease", JCudaDriver.cuDevicePrimaryCtxRelease(device), "device", ordinal);
    }

    static CUcontext currentContext() {
        CUcontext context = new CUcontext();
        check("cuCtxGetCurrent", JCudaDriver.cuCtxGetCurrent(context));
        return context;
    }

    /** Makes a context current; address 0 leaves the thread without one. */
    static void setCurrentContext(CUcontext context) {
        check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
    }

    /** Gives the current context access to memory of {@code peer}; twice does nothing. */
    static void enablePeerAccess(CUcontext peer, int peerOrdinal) {
        int code = JCudaDriver.cuCtxEnablePeerAccess(peer, 0);
        if (code != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
            check("cuCtxEnablePeerAccess", code, "peer", peerOrdinal);
        }
    }

    // Memory

    /** Free bytes of the current context's device. */
    static long freeBytes() {
        long[] free = new long[1];
        check("cuMemGetInfo", JCudaDriver.cuMemGetInfo(free, new long[1]));
        return free[0];
    }

    /** Allocates memory; its address, or 0 if there is not enough. */
    static long allocate(long bytes) {
        CUdeviceptr pointer = new CUdeviceptr();
        int code = JCudaDriver.cuMemAlloc(pointer, bytes);
        if (code == CUDA_ERROR_OUT_OF_MEMORY) {
            return 0;
        }
        check("cuMemAlloc", code, "bytes", bytes);
        return NativeAddress.get(pointer);
    }

    static void free(long address) {
        check("cuMemFree", JCudaDriver.cuMemFree(NativeAddress.set(new CUdeviceptr(), address)));
    }

    /** Ordinal of the device in whose memory an address is; -1 if it is in none. */
    static int deviceOf(long address) {
        CUdeviceptr pointer = NativeAddress.set(new CUdeviceptr(), address);
        int[] value = new int[1];
        int code = JCudaDriver.cuPointerGetAttribute(Pointer.to(value), CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
        if (code == CUDA_ERROR_INVALID_VALUE || code == CUDA_SUCCESS && value[0] != CU_MEMORYTYPE_DEVICE) {
            return -1;
        }
        check("cuPointerGetAttribute", code);
        check("cuPointerGetAttribute",
                JCudaDriver.cuPointerGetAttribute(Pointer.to(value), CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer));
        return value[0];
    }

    /** The allocation that an address of device memory is in. */
    static AddressRange allocationOf(long address) {
        CUdeviceptr start = new CUdeviceptr();
        long[] bytes = new long[1];
        check("cuMemGetAddressRange",
                JCudaDriver.cuMemGetAddressRange(start, bytes, NativeAddress.set(new CUdeviceptr(), address)));
        return new AddressRange(NativeAddress.get(start), bytes[0]);
    }

    static byte[] ipcHandle(long address) {
        CUipcMemHandle handle = new CUipcMemHandle();
        check("cuIpcGetMemHandle",
                JCudaDriver.cuIpcGetMemHandle(handle, NativeAddress.set(new CUdeviceptr(), address)));
        return NativeAddress.bytes(handle).clone();
    }

    /** Maps another process's memory; enables peer access to its device if that is needed. */
    static long openIpcHandle(byte[] bytes, String context) {
        CUipcMemHandle handle = new CUipcMemHandle();
        byte[] own = NativeAddress.bytes(handle);
        if (bytes.length != own.length) {
            throw new DeviceException("IPC handle has " + bytes.length + " bytes, expected " + own.length + ", "
                    + context);
        }
        System.arraycopy(bytes, 0, own, 0, own.length);
        CUdeviceptr pointer = new CUdeviceptr();
        int code = JCudaDriver.cuIpcOpenMemHandle(pointer, handle, CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        if (code != CUDA_SUCCESS) {
            throw failure("cuIpcOpenMemHandle", code, context);
        }
        return NativeAddress.get(pointer);
    }

    static void closeIpcHandle(long address) {
        check("cuIpcCloseMemHandle",
                JCudaDriver.cuIpcCloseMemHandle(NativeAddress.set(new CUdeviceptr(), address)));
    }

    /** Returns the code itself: memory that cannot be registered is no failure. */
    static int registerHost(long address, long bytes) {
        return JCudaDriver.cuMemHostRegister(NativeAddress.set(new Pointer(), address), bytes,
                JCudaDriver.CU_MEMHOSTREGISTER_PORTABLE);
    }

    static void unregisterHost(long address) {
        check("cuMemHostUnregister", JCudaDriver.cuMemHostUnregister(NativeAddress.set(new Pointer(), address)));
    }

    /**
     * Allocates page-locked memory that all contexts may use. At most 2 GiB, because JCuda makes a direct buffer of it.
     */
    static long allocateHost(long bytes) {
        Pointer pointer = new Pointer();
        check("cuMemHostAlloc", JCudaDriver.cuMemHostAlloc(pointer, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE),
                "bytes", bytes);
        return NativeAddress.get(pointer);
    }

    static void freeHost(long address) {
        check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(NativeAddress.set(new Pointer(), address)));
    }

    // Streams and events: hot, nothing here allocates unless it fails

    static CUstream createStream() {
        CUstream stream = new CUstream();
        check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        return stream;
    }

    /** Creates a stream of the highest priority: blocks of its kernels are placed before waiting ones of other streams. */
    static CUstream createUrgentStream() {
        int[] highest = new int[1];
        check("cuCtxGetStreamPriorityRange", JCudaDriver.cuCtxGetStreamPriorityRange(new int[1], highest));
        CUstream stream = new CUstream();
        check("cuStreamCreateWithPriority", JCudaDriver.cuStreamCreateWithPriority(stream, CUstream_flags.CU_STREAM_NON_BLOCKING,
                highest[0]), "priority", highest[0]);
        return stream;
    }

    /** Context that a stream belongs to; of a default stream the current one. */
    static CUcontext contextOf(CUstream stream) {
        CUcontext context = new CUcontext();
        check("cuStreamGetCtx", JCudaDriver.cuStreamGetCtx(stream, context));
        return context;
    }

    static void destroyStream(CUstream stream) {
        check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
    }

    static void copyIn(CUdeviceptr dst, Pointer src, long bytes, CUstream stream) {
        check("cuMemcpyHtoDAsync", JCudaDriver.cuMemcpyHtoDAsync(dst, src, bytes, stream), "bytes", bytes);
    }

    static void copyOut(Pointer dst, CUdeviceptr src, long bytes, CUstream stream) {
        check("cuMemcpyDtoHAsync", JCudaDriver.cuMemcpyDtoHAsync(dst, src, bytes, stream), "bytes", bytes);
    }

    /** Copies between devices: addresses are unified, so the driver finds the devices. */
    static void copy(CUdeviceptr dst, CUdeviceptr src, long bytes, CUstream stream) {
        check("cuMemcpyDtoDAsync", JCudaDriver.cuMemcpyDtoDAsync(dst, src, bytes, stream), "bytes", bytes);
    }

    static void fill(CUdeviceptr dst, byte value, long bytes, CUstream stream) {
        check("cuMemsetD8Async", JCudaDriver.cuMemsetD8Async(dst, value, bytes, stream), "bytes", bytes);
    }

    /** True if all work queued is done. */
    static boolean isIdle(CUstream stream) {
        int code = JCudaDriver.cuStreamQuery(stream);
        if (code == CUDA_ERROR_NOT_READY) {
            return false;
        }
        check("cuStreamQuery (work queued before failed)", code);
        return true;
    }

    /** The driver's shortest call, for the sake of being called: what has failed is the next operation's to say. */
    static void touch(CUstream stream) {
        JCudaDriver.cuStreamQuery(stream);
    }

    /** The same by a copy of 8 bytes each way. */
    static void touch(CUdeviceptr device, Pointer host, CUstream stream) {
        JCudaDriver.cuMemcpyDtoHAsync(host, device, Long.BYTES, stream);
        JCudaDriver.cuMemcpyHtoDAsync(device, host, Long.BYTES, stream);
    }

    static CUevent createEvent() {
        CUevent event = new CUevent();
        check("cuEventCreate", JCudaDriver.cuEventCreate(event, CUevent_flags.CU_EVENT_DEFAULT));
        return event;
    }

    static void destroyEvent(CUevent event) {
        check("cuEventDestroy", JCudaDriver.cuEventDestroy(event));
    }

    static void record(CUevent event, CUstream stream) {
        check("cuEventRecord", JCudaDriver.cuEventRecord(event, stream));
    }

    static void await(CUstream stream, CUevent event) {
        check("cuStreamWaitEvent", JCudaDriver.cuStreamWaitEvent(stream, event, 0));
    }

    /** True if all work before the event is done. */
    static boolean isDone(CUevent event) {
        int code = JCudaDriver.cuEventQuery(event);
        if (code == CUDA_ERROR_NOT_READY) {
            return false;
        }
        check("cuEventQuery (work queued before failed)", code);
        return true;
    }

    static float millisBetween(CUevent start, CUevent end) {
        float[] millis = new float[1];
        check("cuEventElapsedTime", JCudaDriver.cuEventElapsedTime(millis, start, end));
        return millis[0];
    }

    /** Makes later work wait until the word minus {@code value} is not negative. */
    static void waitValue(CUstream stream, CUdeviceptr word, long value) {
        check("cuStreamWaitValue64", JCudaDriver.cuStreamWaitValue64(stream, word, value,
                CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ), "value", value);
    }

    /** Writes a word after all earlier work, behind a memory fence of the system's scope. */
    static void writeValue(CUstream stream, CUdeviceptr word, long value) {
        check("cuStreamWriteValue64", JCudaDriver.cuStreamWriteValue64(stream, word, value, 0), "value", value);
    }

    static void writeValue32(CUstream stream, CUdeviceptr word, int value) {
        check("cuStreamWriteValue32", JCudaDriver.cuStreamWriteValue32(stream, word, value, 0), "value", value);
    }

    /** Makes later work wait until the word is not 0. */
    static void waitNonZero(CUstream stream, CUdeviceptr word) {
        check("cuStreamWaitValue64", JCudaDriver.cuStreamWaitValue64(stream, word, -1,
                CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_AND), "mask", -1);
    }

    // Graphs

    /**
     * A graph of the operations that {@code work} queues on the stream, none of which is done; other calls of the thread are as ever.
     * {@link #instantiate} destroys it.
     */
    static CUgraph captured(CUstream stream, Runnable work) {
        check("cuStreamBeginCapture", JCudaDriver.cuStreamBeginCapture(stream,
                CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED));
        boolean success = false;
        try {
            work.run();
            success = true;
        } finally {
            if (!success) {
                abandonCapture(stream);
            }
        }
        CUgraph graph = new CUgraph();
        check("cuStreamEndCapture", JCudaDriver.cuStreamEndCapture(stream, graph));
        return graph;
    }

    /** Ends a capture after a failure, whatever its result. */
    private static void abandonCapture(CUstream stream) {
        CUgraph graph = new CUgraph();
        if (JCudaDriver.cuStreamEndCapture(stream, graph) == CUDA_SUCCESS) {
            JCudaDriver.cuGraphDestroy(graph);
        }
    }

    /** An executable of a graph, which is destroyed; its kernels have the priorities of the streams that they were captured on. */
    static CUgraphExec instantiate(CUgraph graph) {
        try {
            CUgraphExec executable = new CUgraphExec();
            check("cuGraphInstantiate", JCudaDriver.cuGraphInstantiate(executable, graph, USE_NODE_PRIORITY));
            return executable;
        } finally {
            check("cuGraphDestroy", JCudaDriver.cuGraphDestroy(graph));
        }
    }

    /** Uploads a graph to its device before its first launch. */
    static void upload(CUgraphExec graph, CUstream stream) {
        check("cuGraphUpload", JCudaDriver.cuGraphUpload(graph, stream));
    }

    static void launch(CUgraphExec graph, CUstream stream) {
        check("cuGraphLaunch", JCudaDriver.cuGraphLaunch(graph, stream));
    }

    static void destroyGraph(CUgraphExec graph) {
        check("cuGraphExecDestroy", JCudaDriver.cuGraphExecDestroy(graph));
    }

    // Kernels

    /** Loads a CUBIN, or PTX that ends with 0, from native memory. */
    static CUmodule loadModule(long address, String kernel, String what) {
        CUmodule module = new CUmodule();
        int code = JCudaDriver.cuModuleLoadDataEx(module, NativeAddress.set(new Pointer(), address), 0, null, null);
        if (code != CUDA_SUCCESS) {
            throw failure("cuModuleLoadDataEx", code, "kernel " + kernel + ", " + what);
        }
        return module;
    }

    static void unloadModule(CUmodule module) {
        check("cuModuleUnload", JCudaDriver.cuModuleUnload(module));
    }

    /** @param needs what the code of the kernel needs to have, for the message */
    static CUfunction function(CUmodule module, String name, String needs) {
        CUfunction function = new CUfunction();
        int code = JCudaDriver.cuModuleGetFunction(function, module, name);
        if (code != CUDA_SUCCESS) {
            throw failure("cuModuleGetFunction", code, "kernel " + name + "; " + needs);
        }
        return function;
    }

    /**
     * Allows a kernel that many bytes of dynamic shared memory in a block; without it a kernel has 48 KiB at most, its own
     * variables included.
     */
    static void allowSharedBytes(CUfunction function, String name, int sharedBytes) {
        int code = JCudaDriver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, sharedBytes);
        if (code != CUDA_SUCCESS) {
            throw failure("cuFuncSetAttribute", code, "kernel " + name + ", " + sharedBytes + " bytes of shared memory"
                    + limits(function, code));
        }
    }

    /** Allows a kernel clusters of more than 8 blocks, which not every device of an architecture takes. */
    static void allowLargeClusters(CUfunction function, String name) {
        int code = JCudaDriver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
        if (code != CUDA_SUCCESS) {
            throw failure("cuFuncSetAttribute", code, "kernel " + name + ", clusters of more than 8 blocks");
        }
    }

    /** Limits of a kernel on its device, for the message of a launch that was refused with {@code code}. */
    static String limits(CUfunction function, int code) {
        CUdevice device = new CUdevice();
        int[] threads = new int[1];
        int[] used = new int[1];
        int[] shared = new int[1];
        boolean known = (code == CUDA_ERROR_INVALID_VALUE || code == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
                && JCudaDriver.cuCtxGetDevice(device) == CUDA_SUCCESS
                && JCudaDriver.cuFuncGetAttribute(threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) == CUDA_SUCCESS
                && JCudaDriver.cuFuncGetAttribute(used, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) == CUDA_SUCCESS
                && JCudaDriver.cuDeviceGetAttribute(shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device)
                == CUDA_SUCCESS;
        return known ? " (expected: at most " + threads[0] + " threads and " + (shared[0] - used[0])
                + " bytes of dynamic shared memory in a block of this kernel on this device)" : "";
    }

    /** Number of blocks of that many threads and bytes that one multiprocessor holds at once. */
    static int blocksOnMultiprocessor(CUfunction function, String name, int threads, int sharedBytes) {
        int[] blocks = new int[1];
        int code = JCudaDriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, sharedBytes);
        if (code != CUDA_SUCCESS) {
            throw failure("cuOccupancyMaxActiveBlocksPerMultiprocessor", code, "kernel " + name + ", " + threads + " threads, "
                    + sharedBytes + " bytes of shared memory");
        }
        return blocks[0];
    }

    /** Launches as {@link #launch}, with all blocks resident at once, and dynamic shared memory. */
    static void launchCooperative(CUfunction function, String name, int blocks, int threads, int sharedBytes, CUstream stream,
                                  Pointer parameters) {
        int code = JCudaDriver.cuLaunchCooperativeKernel(function, blocks, 1, 1, threads, 1, 1, sharedBytes, stream, parameters);
        if (code != CUDA_SUCCESS) {
            throw failure("cuLaunchCooperativeKernel", code, "kernel " + name + ", " + blocks + " blocks of " + threads
                    + " threads, " + sharedBytes + " bytes of shared memory");
        }
    }

    /** Launches with a grid and blocks of three dimensions: {@link #launch(CUfunction, String, int, int, CUstream, Pointer)}. */
    static void launch(CUfunction function, String name, Kernel.Shape shape, CUstream stream, Pointer parameters) {
        Dims grid = shape.grid();
        Dims block = shape.block();
        int code = JCudaDriver.cuLaunchKernel(function, grid.x(), grid.y(), grid.z(), block.x(), block.y(), block.z(),
                shape.sharedBytes(), stream, parameters, null);
        if (code != CUDA_SUCCESS) {
            throw failure("cuLaunchKernel", code, "kernel " + name + ", " + shape + limits(function, code));
        }
    }

    /** @param parameters address of an array of pointers, one to each parameter's value */
    static void launch(CUfunction function, String name, int blocks, int threads, CUstream stream, Pointer parameters) {
        int code = JCudaDriver.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, null);
        if (code != CUDA_SUCCESS) {
            throw failure("cuLaunchKernel", code, "kernel " + name + ", " + blocks + " blocks of " + threads
                    + " threads");
        }
    }
}
