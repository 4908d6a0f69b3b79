package org.pgas4j.device.cuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jcuda.NativePointerObject;
import jcuda.driver.CUipcMemHandle;

/**
 * Access to the native values inside JCuda's objects. JCuda cannot make a pointer to an address; a direct buffer would
 * allocate at each call and end at 2 GiB, an object whose address is set before each call does not.
 */
final class NativeAddress {

    private static final VarHandle ADDRESS;
    private static final VarHandle IPC_BYTES;

    static {
        try {
            MethodHandles.Lookup own = MethodHandles.lookup();
            ADDRESS = MethodHandles.privateLookupIn(NativePointerObject.class, own)
                    .findVarHandle(NativePointerObject.class, "nativePointer", long.class);
            IPC_BYTES = MethodHandles.privateLookupIn(CUipcMemHandle.class, own)
                    .findVarHandle(CUipcMemHandle.class, "reserved", byte[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private NativeAddress() {
    }

    static long get(NativePointerObject object) {
        return (long) ADDRESS.get(object);
    }

    /** Points {@code object} to {@code address} and returns it. */
    static <T extends NativePointerObject> T set(T object, long address) {
        ADDRESS.set((NativePointerObject) object, address);
        return object;
    }

    /** The bytes of an IPC handle, not copied. */
    static byte[] bytes(CUipcMemHandle handle) {
        return (byte[]) IPC_BYTES.get(handle);
    }
}
