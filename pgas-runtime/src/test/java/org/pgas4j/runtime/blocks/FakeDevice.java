package org.pgas4j.runtime.blocks;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.device.AcceleratorStream;

/** Device of a test's own, which only keeps what was called. */
final class FakeDevice {

    static final long BYTES = 1 << 20;

    final List<String> calls = new ArrayList<>();
    /** Operations that a stream has no room for. */
    int kept;
    boolean idle = true;

    <T> T as(Class<T> type, String name) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> switch (
                method.getName()) {
            case "newStream" -> as(AcceleratorStream.class, "stream");
            case "bytes" -> BYTES;
            case "isIdle" -> idle && kept == 0;
            case "isDone" -> idle;
            case "ahead" -> kept;
            case "handOver" -> {
                kept = 0;
                yield true;
            }
            default -> {
                calls.add(name + "." + method.getName());
                yield null;
            }
        }));
    }
}
