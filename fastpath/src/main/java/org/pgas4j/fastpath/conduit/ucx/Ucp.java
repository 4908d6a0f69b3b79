package org.pgas4j.fastpath.conduit.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.javacpp.Loader;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.UsageException;
import org.pgas4j.device.natives.LibraryCache;
import org.pgas4j.device.natives.NativeLibrary;
import org.pgas4j.os.Libc;

/**
 * Calls UCP, as the only class. Each method is one call of the library; a status that is neither success nor part of
 * the method's result is thrown with the call, the status, UCX's own message and the arguments that matter. Handles are
 * addresses. Thread-safe as far as workers of {@code UCS_THREAD_MODE_MULTI} are. {@link #require} comes first.
 *
 * <p>Operations return 0 when complete, else a request for {@link #test}; they progress some times before they do.
 */
final class Ucp {

    /** Tries of an operation in one call: some microseconds. */
    static final int SPINS = 64;

    private static final int INFO_BYTES = 16384;
    private static final int LOG_BYTES = 1024;

    private static final int NO_MEMORY = -4;
    private static final int NO_DEVICE = -14;
    private static final int UNREACHABLE = -6;
    private static final int SHMEM_SEGMENT = -17;
    private static final int NOT_CONNECTED = -24;
    private static final int CONNECTION_RESET = -25;
    private static final int CANCELED = -16;
    private static final int ENDPOINT_TIMEOUT = -80;

    private static boolean loaded;
    private static String missing;
    private static volatile long orderedPutBytes;

    private Ucp() {
    }

    /**
     * Loads the library, unless it is loaded.
     *
     * @param user name of the feature that needs it, for the message
     * @throws UsageException if it or the binding is missing; one line that names what to install
     */
    static synchronized void require(String user) {
        if (loaded) {
            return;
        }
        if (missing == null) {
            missing = load();
        }
        if (missing != null) {
            throw new UsageException(user + " needs " + missing);
        }
        loaded = true;
    }

    private static String load() {
        // The JVM has handlers of its own for these signals and depends on some of them.
        Libc.setEnvironment("UCX_HANDLE_ERRORS", "none", true);
        Libc.setEnvironment("UCX_ERROR_SIGNALS", "", true);
        Libc.setEnvironment("UCX_DEBUG_SIGNO", "0", true);
        Libc.setEnvironment("UCX_VFS_ENABLE", "n", false);
        Libc.setEnvironment("UCX_WARN_UNUSED_ENV_VARS", "n", false);
        Map<String, String> order = UcxOrder.defaults(System::getenv, processor());
        order.forEach((name, value) -> Libc.setEnvironment(name, value, false));
        orderedPutBytes = UcxOrder.ofProcess(name -> order.getOrDefault(name, System.getenv(name)));
        Optional<String> wrong = Libc.loadLibrary("libucp.so.0");
        if (wrong.isPresent()) {
            return "UCX: " + wrong.get() + "; install it (apt-get install libucx0)";
        }
        try {
            URL library = UcpNative.class.getResource("linux-x86_64/libjniucp.so");
            if (library != null && !Boolean.getBoolean("org.bytedeco.javacpp.pathsFirst")) { // else the launcher has it
                LibraryCache.refresh(library);
            }
            Loader.load(UcpNative.class);
        } catch (IOException e) {
            return "libjniucp.so, which cannot be put into JavaCPP's cache: " + e
                    + "; set -Dorg.bytedeco.javacpp.cachedir to a directory of yours";
        } catch (LinkageError e) {
            return "libjniucp.so, which this build of pgas4j lacks: " + NativeLibrary.reason(e)
                    + "; install UCX's headers (apt-get install libucx-dev) and build again";
        }
        UcpNative.takeLog();
        return null;
    }

    private static List<String> processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo"));
        } catch (IOException e) {
            return List.of(); // the same as for an unknown processor
        }
    }

    /** {@link UcxOrder#ofProcess} of this process. */
    static long orderedPutBytes() {
        return orderedPutBytes;
    }

    /** Major, minor and patch version, a byte each. */
    static int version() {
        return UcpNative.version();
    }

    static String versionText(int version) {
        return (version >>> 16) + "." + (version >> 8 & 0xff) + "." + (version & 0xff);
    }

    private static String statusText(String call, long status) {
        String text = call + ": " + UcpNative.status((int) status) + " (" + status + ")";
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment log = arena.allocate(LOG_BYTES);
            UcpNative.lastLog(log.address(), LOG_BYTES);
            String message = log.getString(0).strip();
            return message.isEmpty() ? text : text + ", UCX says: " + message.replace('\n', ' ');
        }
    }

    private static long check(String call, long status, String context) {
        if (status < 0) {
            throw new PgasException(statusText(call, status) + ", " + context);
        }
        return status;
    }

    /** The failure of an operation on {@code peer}. */
    private static PgasException failure(String call, long status, UcxPeer peer, String context) {
        String text = statusText(call, status) + ", rank " + peer.from() + " to rank " + peer.to()
                + (context.isEmpty() ? "" : ", " + context);
        return isLoss(status) || peer.failure() != 0 ? new PeerLostException(text) : new PgasException(text);
    }

    private static boolean isLoss(long status) {
        return status == UNREACHABLE || status == NOT_CONNECTED || status == CONNECTION_RESET || status == CANCELED
                || status == ENDPOINT_TIMEOUT;
    }

    /** The failure of an endpoint that UCX has closed after an error. */
    static PeerLostException lost(String what, UcxPeer peer) {
        return new PeerLostException(what + " of rank " + peer.from() + ": "
                + statusText("connection to rank " + peer.to() + " lost", peer.failure()));
    }

    // Contexts, memory, workers, endpoints

    /**
     * A context.
     *
     * @param fences true if {@link #fence} and the fences of word operations order puts; else only {@link #flush} does
     */
    record Context(long handle, boolean fences) {
    }

    /**
     * Opens a context.
     *
     * @param memory     source of the memory it allocates
     * @param cpuAtomics true if atomics must be those of processors, because processors change the same words directly
     * @throws UsageException if no transport is available
     */
    static Context open(UcxTransports transports, String memory, boolean peerErrors, boolean cpuAtomics, int ranks) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fences = arena.allocate(ValueLayout.JAVA_LONG);
            long context = UcpNative.open(transports.tls(), memory, peerErrors ? 1 : 0, cpuAtomics ? 1 : 0, ranks,
                    fences.address());
            if (context == NO_DEVICE) {
                throw new UsageException("UCX has none of the transports here: " + transports.text() + " ("
                        + statusText("ucp_init", context) + "); change pgas.ucx.tls");
            }
            check("ucp_init", context, "transports: " + transports.text());
            return new Context(context, fences.get(ValueLayout.JAVA_LONG, 0) != 0);
        }
    }

    static void close(long context) {
        UcpNative.close(context);
    }

    /**
     * Allocates and registers memory.
     *
     * @return its handle, or 0 if there is not enough
     */
    static long map(long context, long bytes) {
        long memory = UcpNative.map(context, bytes);
        return memory == NO_MEMORY || memory == SHMEM_SEGMENT ? 0 : check("ucp_mem_map", memory, "bytes=" + bytes);
    }

    /** Registers memory of this process; returns its handle. */
    static long register(long context, long address, long bytes) {
        return check("ucp_mem_map", UcpNative.register(context, address, bytes), "bytes=" + bytes);
    }

    static long address(long memory) {
        return check("ucp_mem_query", UcpNative.address(memory), "memory");
    }

    static void unmap(long context, long memory) {
        check("ucp_mem_unmap", UcpNative.unmap(context, memory), "memory");
    }

    /** Returns an array without content, of the true length, if that exceeds {@code limit}. */
    static byte[] packKey(long context, long memory, int limit) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(limit);
            long length = check("ucp_rkey_pack", UcpNative.packKey(context, memory, buffer.address(), limit), "memory");
            return length > limit ? new byte[(int) length]
                    : buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    static long openWorker(long context, int rank) {
        return check("ucp_worker_create", UcpNative.openWorker(context), "rank " + rank);
    }

    static void closeWorker(long worker) {
        UcpNative.closeWorker(worker);
    }

    /** Returns an array without content, of the true length, if that exceeds {@code limit}. */
    static byte[] workerAddress(long worker, int limit) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(limit);
            long length = check("ucp_worker_get_address", UcpNative.workerAddress(worker, buffer.address(), limit),
                    "worker");
            return length > limit ? new byte[(int) length]
                    : buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /**
     * Connects.
     *
     * @param failure address of a word that receives a status when the connection fails
     */
    static long connect(long worker, byte[] address, boolean peerErrors, long failure, int from, int to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment packed = arena.allocateFrom(ValueLayout.JAVA_BYTE, address);
            return check("ucp_ep_create", UcpNative.connect(worker, packed.address(), peerErrors ? 1 : 0, failure),
                    "rank " + from + " to rank " + to);
        }
    }

    static long unpackKey(UcxPeer peer, byte[] key) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment packed = arena.allocateFrom(ValueLayout.JAVA_BYTE, key);
            return check("ucp_ep_rkey_unpack", UcpNative.unpackKey(peer.handle(), packed.address()),
                    "rank " + peer.from() + " to rank " + peer.to());
        }
    }

    static void destroyKey(long key) {
        UcpNative.destroyKey(key);
    }

    /**
     * Lanes of an endpoint as UCX prints them, {@code lane[0]: 3:rc_verbs/rxe0:1.0 md[2] ...}, without runs of spaces.
     */
    static List<String> lanes(long endpoint) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(INFO_BYTES);
            UcpNative.endpointInfo(endpoint, buffer.address(), INFO_BYTES);
            return buffer.getString(0).lines().filter(line -> line.contains(" lane["))
                    .map(line -> line.substring(line.indexOf("lane[")).replaceAll(" +", " ")).toList();
        }
    }

    // Operations: hot, nothing here allocates unless it fails

    /** True if anything moved. */
    static boolean progress(long worker) {
        return UcpNative.progress(worker) != 0;
    }

    /** Progresses until the request is complete, at most {@code spins} times; returns 0 or the request. */
    static long test(UcxPeer peer, long request, int spins, String call) {
        long left = UcpNative.test(peer.worker(), request, spins);
        if (left < 0) {
            throw failure(call, left, peer, "");
        }
        return left;
    }

    static long put(UcxPeer peer, long key, long local, long bytes, long remote, int spins) {
        long request = UcpNative.put(peer.worker(), peer.handle(), key, local, bytes, remote, spins);
        if (request < 0) {
            throw failure("ucp_put_nbx", request, peer, "bytes=" + bytes);
        }
        return request;
    }

    static long get(UcxPeer peer, long key, long local, long bytes, long remote, int spins) {
        long request = UcpNative.get(peer.worker(), peer.handle(), key, local, bytes, remote, spins);
        if (request < 0) {
            throw failure("ucp_get_nbx", request, peer, "bytes=" + bytes);
        }
        return request;
    }

    static void fence(UcxPeer peer) {
        int status = UcpNative.fence(peer.worker());
        if (status < 0) {
            throw failure("ucp_worker_fence", status, peer, "");
        }
    }

    /**
     * Fences and puts a word.
     *
     * @param slot address of a word that UCX uses until the request is complete
     */
    static long putWord(UcxPeer peer, long key, long slot, long value, long remote) {
        long request = UcpNative.putWord(peer.worker(), peer.handle(), key, slot, value, remote, SPINS);
        if (request < 0) {
            throw failure("ucp_put_nbx", request, peer, "bytes=8");
        }
        return request;
    }

    /**
     * Fences and adds.
     *
     * @param slot address of two words that are UCX's until the request is complete; the first is then the old value
     */
    static long fetchAdd(UcxPeer peer, long key, long slot, long value, long remote) {
        long request = UcpNative.fetchAdd(peer.worker(), peer.handle(), key, slot, value, remote, SPINS);
        if (request < 0) {
            throw failure("ucp_atomic_op_nbx(ADD)", request, peer, "");
        }
        return request;
    }

    /**
     * Fences, compares and swaps.
     *
     * @param slot address of two words that are UCX's until the request is complete; the first is then the old value
     */
    static long compareSwap(UcxPeer peer, long key, long slot, long expected, long value, long remote) {
        long request = UcpNative.compareSwap(peer.worker(), peer.handle(), key, slot, expected, value, remote, SPINS);
        if (request < 0) {
            throw failure("ucp_atomic_op_nbx(CSWAP)", request, peer, "");
        }
        return request;
    }

    static long flush(UcxPeer peer) {
        long request = UcpNative.flush(peer.worker(), peer.handle(), SPINS);
        if (request < 0) {
            throw failure("ucp_ep_flush_nbx", request, peer, "");
        }
        return request;
    }

    /** Abandons a request that is not complete; UCX may read and write its memory for ever after. */
    static void forget(long request) {
        UcpNative.forget(request);
    }

    /** Closes a connection with error handling, whatever is in flight. */
    static long disconnect(UcxPeer peer) {
        long request = UcpNative.disconnect(peer.worker(), peer.handle(), SPINS);
        if (request < 0) {
            throw failure("ucp_ep_close_nbx", request, peer, "");
        }
        return request;
    }
}
