package org.pgas4j.fastpath.conduit.ucx;

import org.bytedeco.javacpp.annotation.Cast;
import org.bytedeco.javacpp.annotation.Name;
import org.bytedeco.javacpp.annotation.Platform;

/**
 * The functions of {@code pgas_ucp.h}, documented there. Only {@link Ucp} calls them, and loads them first.
 */
@Platform(value = "linux", include = "pgas_ucp.h", link = {"ucp", "ucs"}, library = "jniucp")
final class UcpNative {

    private UcpNative() {
    }

    @Name("pgas_ucp_take_log")
    static native void takeLog();

    @Name("pgas_ucp_last_log")
    static native void lastLog(long buffer, long capacity);

    @Name("pgas_ucp_version")
    static native int version();

    @Name("pgas_ucp_status")
    @Cast("const char*")
    static native String status(int status);

    @Name("pgas_ucp_open")
    static native long open(String tls, String alloc, int peerErrors, int cpuAtomics, long ranks, long fences);

    @Name("pgas_ucp_close")
    static native void close(long context);

    @Name("pgas_ucp_map")
    static native long map(long context, long bytes);

    @Name("pgas_ucp_register")
    static native long register(long context, long address, long bytes);

    @Name("pgas_ucp_address")
    static native long address(long memory);

    @Name("pgas_ucp_unmap")
    static native int unmap(long context, long memory);

    @Name("pgas_ucp_pack_key")
    static native long packKey(long context, long memory, long buffer, long capacity);

    @Name("pgas_ucp_open_worker")
    static native long openWorker(long context);

    @Name("pgas_ucp_close_worker")
    static native void closeWorker(long worker);

    @Name("pgas_ucp_worker_address")
    static native long workerAddress(long worker, long buffer, long capacity);

    @Name("pgas_ucp_connect")
    static native long connect(long worker, long address, int peerErrors, long failure);

    @Name("pgas_ucp_unpack_key")
    static native long unpackKey(long endpoint, long packed);

    @Name("pgas_ucp_destroy_key")
    static native void destroyKey(long key);

    @Name("pgas_ucp_endpoint_info")
    static native void endpointInfo(long endpoint, long buffer, long capacity);

    @Name("pgas_ucp_test")
    static native long test(long worker, long request, int spins);

    @Name("pgas_ucp_progress")
    static native int progress(long worker);

    @Name("pgas_ucp_put")
    static native long put(long worker, long endpoint, long key, long local, long bytes, long remote, int spins);

    @Name("pgas_ucp_get")
    static native long get(long worker, long endpoint, long key, long local, long bytes, long remote, int spins);

    @Name("pgas_ucp_fence")
    static native int fence(long worker);

    @Name("pgas_ucp_put_word")
    static native long putWord(long worker, long endpoint, long key, long slot, long value, long remote, int spins);

    @Name("pgas_ucp_fetch_add")
    static native long fetchAdd(long worker, long endpoint, long key, long slot, long value, long remote, int spins);

    @Name("pgas_ucp_compare_swap")
    static native long compareSwap(long worker, long endpoint, long key, long slot, long expected, long value,
                                   long remote, int spins);

    @Name("pgas_ucp_flush")
    static native long flush(long worker, long endpoint, int spins);

    @Name("pgas_ucp_forget")
    static native void forget(long request);

    @Name("pgas_ucp_disconnect")
    static native long disconnect(long worker, long endpoint, int spins);
}
