package org.pgas4j.bench.study;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUipcMemHandle;
import jcuda.driver.CUresult;
import jcuda.driver.CUstream;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import org.pgas4j.DeviceException;
import org.pgas4j.Rank;

/**
 * Peer copies as a program writes them with JCuda alone: the other rank's allocation, mapped by peer access or CUDA IPC, an
 * asynchronous copy on a stream of its own and a synchronise. Uses the context the rank's thread has.
 */
final class RawCuda implements AutoCloseable {

    private static final int CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1;
    private static final int HANDLE_WORDS = 8;
    private static final int PEER_ACCESS_ALREADY_ENABLED = CUresult.CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;

    private final CUdeviceptr own = new CUdeviceptr();
    private final CUdeviceptr peer;
    private final Pointer pinned = new Pointer();
    private final CUstream stream = new CUstream();
    private final boolean imported;

    /** Collective over pairs of ranks: 2 i and 2 i + 1 are one. */
    RawCuda(Rank rank, long bytes) {
        check("cuMemAlloc", JCudaDriver.cuMemAlloc(own, bytes));
        check("cuMemHostAlloc", JCudaDriver.cuMemHostAlloc(pinned, bytes, 0));
        check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING));
        int other = rank.rank() ^ 1;
        CUcontext context = new CUcontext();
        check("cuCtxGetCurrent", JCudaDriver.cuCtxGetCurrent(context));
        HERE.put(rank.rank(), new Shared(own, context));
        byte[] handle = rank.processes() > 1 ? handleOf(rank, other) : null;
        rank.barrier();
        imported = !HERE.containsKey(other);
        peer = imported ? importPeer(handle) : sharedPeer(context, HERE.get(other));
        rank.barrier();
    }

    /** Collective: the handle of another rank's memory. */
    private byte[] handleOf(Rank rank, int other) {
        CUipcMemHandle handle = new CUipcMemHandle();
        check("cuIpcGetMemHandle", JCudaDriver.cuIpcGetMemHandle(handle, own));
        ByteBuffer bytes = ByteBuffer.allocate(HANDLE_WORDS * Long.BYTES).order(ByteOrder.nativeOrder());
        bytes.put(reserved(handle));
        ByteBuffer received = ByteBuffer.allocate(HANDLE_WORDS * Long.BYTES).order(ByteOrder.nativeOrder());
        for (int from = 0; from < rank.ranks(); from++) {
            for (int i = 0; i < HANDLE_WORDS; i++) {
                long word = rank.collectives().broadcast(bytes.getLong(i * Long.BYTES), from);
                if (from == other) {
                    received.putLong(i * Long.BYTES, word);
                }
            }
        }
        return received.array();
    }

    private static CUdeviceptr importPeer(byte[] handle) {
        CUipcMemHandle theirs = new CUipcMemHandle();
        System.arraycopy(handle, 0, reserved(theirs), 0, HANDLE_WORDS * Long.BYTES);
        CUdeviceptr pointer = new CUdeviceptr();
        check("cuIpcOpenMemHandle", JCudaDriver.cuIpcOpenMemHandle(pointer, theirs, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
        return pointer;
    }

    /** JCuda keeps the handle's bytes in a field that is not public. */
    private static byte[] reserved(CUipcMemHandle handle) {
        try {
            var field = CUipcMemHandle.class.getDeclaredField("reserved");
            field.setAccessible(true);
            byte[] bytes = (byte[]) field.get(handle);
            if (bytes.length != HANDLE_WORDS * Long.BYTES) {
                throw new IllegalStateException("IPC handle of " + bytes.length + " bytes: " + Arrays.toString(bytes));
            }
            return bytes;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JCuda keeps IPC handles differently", e);
        }
    }

    /** Memory of a rank of this JVM. */
    private record Shared(CUdeviceptr memory, CUcontext context) {
    }

    /** By rank; each puts its own before the ranks meet. */
    private static final Map<Integer, Shared> HERE = new ConcurrentHashMap<>();

    private static CUdeviceptr sharedPeer(CUcontext context, Shared theirs) {
        if (!theirs.context.equals(context)) {
            int status = JCudaDriver.cuCtxEnablePeerAccess(theirs.context, 0);
            if (status != PEER_ACCESS_ALREADY_ENABLED) {
                check("cuCtxEnablePeerAccess", status);
            }
        }
        return theirs.memory;
    }

    /** Writes to the peer and waits. */
    void put(long bytes) {
        check("cuMemcpyDtoDAsync", JCudaDriver.cuMemcpyDtoDAsync(peer, own, bytes, stream));
        check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    }

    /** Reads from the peer and waits. */
    void get(long bytes) {
        check("cuMemcpyDtoDAsync", JCudaDriver.cuMemcpyDtoDAsync(own, peer, bytes, stream));
        check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    }

    /** Copies from the own device to pinned host memory and waits. */
    void copyOut(long bytes) {
        check("cuMemcpyDtoHAsync", JCudaDriver.cuMemcpyDtoHAsync(pinned, own, bytes, stream));
        check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    }

    /** Copies from pinned host memory to the own device and waits. */
    void copyIn(long bytes) {
        check("cuMemcpyHtoDAsync", JCudaDriver.cuMemcpyHtoDAsync(own, pinned, bytes, stream));
        check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    }

    /** Starts {@code count} writes to the peer, then waits for all. */
    void putMany(long bytes, int count) {
        for (int i = 0; i < count; i++) {
            check("cuMemcpyDtoDAsync", JCudaDriver.cuMemcpyDtoDAsync(peer, own, bytes, stream));
        }
        check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    }

    private static void check(String call, int status) {
        if (status != CUresult.CUDA_SUCCESS) {
            throw new DeviceException(call + ": " + CUresult.stringFor(status) + " (" + status + ")");
        }
    }

    @Override
    public void close() {
        if (imported) {
            check("cuIpcCloseMemHandle", JCudaDriver.cuIpcCloseMemHandle(peer));
        }
        check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
        check("cuMemFreeHost", JCudaDriver.cuMemFreeHost(pinned));
        check("cuMemFree", JCudaDriver.cuMemFree(own));
    }
}
