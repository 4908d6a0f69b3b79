package org.pgas4j.fastpath.protocol;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.HostRegistration;

/** A host device whose streams report nothing complete while it is held, and which counts what is open. */
final class HeldDevice {

    private final Accelerator device;
    private boolean held;
    private int streams;
    private int urgent;
    private int launches;
    private int copiesOut;
    private int expectedEnds;
    private int registrations;

    HeldDevice(Accelerator device) {
        this.device = device;
    }

    void hold() {
        held = true;
    }

    void release() {
        held = false;
    }

    /** Number of open streams. */
    int streams() {
        return streams;
    }

    /** Number of streams made so far whose kernels begin before others. */
    int urgent() {
        return urgent;
    }

    /** Number of kernels launched on all streams. */
    int launches() {
        return launches;
    }

    /** Number of copies to the host on all streams. */
    int copiesOut() {
        return copiesOut;
    }

    /** Number of ends of streams that were announced. */
    int expectedEnds() {
        return expectedEnds;
    }

    /** Number of registrations of host memory that are not undone. */
    int registrations() {
        return registrations;
    }

    Accelerator accelerator() {
        return proxy(Accelerator.class, (method, arguments) -> switch (method.getName()) {
            case "newStream" -> {
                streams++;
                yield held(device.newStream());
            }
            case "newUrgentStream" -> {
                streams++;
                urgent++;
                yield held(device.newUrgentStream());
            }
            case "register" -> {
                registrations++;
                yield counted((HostRegistration) call(method, device, arguments));
            }
            default -> call(method, device, arguments);
        });
    }

    private AcceleratorStream held(AcceleratorStream stream) {
        return proxy(AcceleratorStream.class, (method, arguments) -> switch (method.getName()) {
            case "isIdle", "sync" -> !held && (boolean) call(method, stream, arguments);
            case "close" -> {
                streams--;
                yield call(method, stream, arguments);
            }
            case "launch" -> {
                launches++;
                yield call(method, stream, arguments);
            }
            case "copyOut" -> {
                copiesOut++;
                yield call(method, stream, arguments);
            }
            case "expectEnd" -> {
                expectedEnds++;
                yield call(method, stream, arguments);
            }
            default -> call(method, stream, arguments);
        });
    }

    private HostRegistration counted(HostRegistration registration) {
        return proxy(HostRegistration.class, (method, arguments) -> {
            if (method.getName().equals("close")) {
                registrations--;
            }
            return call(method, registration, arguments);
        });
    }

    private interface Handler {
        Object handle(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (_, method, arguments) -> handler.handle(method, arguments)));
    }

    private static Object call(Method method, Object target, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
