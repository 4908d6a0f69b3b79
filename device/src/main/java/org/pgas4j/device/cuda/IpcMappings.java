package org.pgas4j.device.cuda;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.pgas4j.DeviceException;
import org.pgas4j.device.DeviceHandle;

/**
 * Memory of other processes mapped on one device. CUDA maps a handle once per process and device; further opens share
 * the mapping, and the last close undoes it. Thread-safe; the device's context must be current.
 */
final class IpcMappings {

    /** Handles that this process has exported: CUDA refuses to map them here, with a code that gives no reason. */
    private static final Map<Long, ByteBuffer> EXPORTS = new ConcurrentHashMap<>();

    private static final class Mapping {

        private final ByteBuffer token;
        private final long address;
        private int users = 1;

        Mapping(ByteBuffer token, long address) {
            this.token = token;
            this.address = address;
        }
    }

    private final String device;
    private final Map<ByteBuffer, Mapping> byToken = new HashMap<>();
    private final Map<Long, Mapping> byAddress = new HashMap<>();

    IpcMappings(String device) {
        this.device = device;
    }

    static void noteExport(long address, byte[] token) {
        EXPORTS.put(address, ByteBuffer.wrap(token.clone()));
    }

    static void forgetExport(long address) {
        EXPORTS.remove(address);
    }

    /** Maps the memory and returns its address here. */
    synchronized long open(DeviceHandle handle) {
        ByteBuffer token = ByteBuffer.wrap(handle.token().clone());
        Mapping mapping = byToken.get(token);
        if (mapping != null) {
            mapping.users++;
            return mapping.address;
        }
        if (EXPORTS.containsValue(token)) {
            throw new DeviceException(device + ": memory of cuda:" + handle.ordinal()
                    + " was exported by this process; CUDA maps it in other processes only, here use the exported"
                    + " DeviceMemory itself");
        }
        long address = CudaDriver.openIpcHandle(handle.token(), "importing " + handle.bytes() + " bytes of cuda:"
                + handle.ordinal() + " on " + device);
        mapping = new Mapping(token, address);
        byToken.put(token, mapping);
        byAddress.put(address, mapping);
        return address;
    }

    /** Undoes one {@link #open}. */
    synchronized void close(long address) {
        Mapping mapping = byAddress.get(address);
        if (mapping == null) {
            throw new DeviceException(device + ": nothing is mapped at 0x" + Long.toHexString(address));
        }
        if (--mapping.users == 0) {
            byAddress.remove(address);
            byToken.remove(mapping.token);
            CudaDriver.closeIpcHandle(address);
        }
    }
}
