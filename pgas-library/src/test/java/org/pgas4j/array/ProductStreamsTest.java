package org.pgas4j.array;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.Device;
import org.pgas4j.Event;
import org.pgas4j.Stream;

/** The order of calls, by streams that note them. */
class ProductStreamsTest {

    private static final long LONG = 4L << 20;

    private final List<String> calls = new ArrayList<>();
    private int streams;
    private int events;

    private static <T> T fake(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private ProductStreams streams() {
        return new ProductStreams(fake(Device.class, (_, _, _) -> stream(streams++ == 0 ? "compute" : "copies")));
    }

    private Stream stream(String name) {
        return fake(Stream.class, (_, method, _) -> {
            calls.add(name + " " + method.getName());
            return method.getName().equals("record") ? event(name + events++) : null;
        });
    }

    private Event event(String name) {
        return fake(Event.class, (_, method, _) -> {
            calls.add(method.getName() + " of " + name);
            return null;
        });
    }

    private void copy(ProductStreams product, long bytes) {
        product.copy(bytes, stream -> {
            stream.sync(); // stands for the copy
            return null;
        });
    }

    @Test
    void shouldQueueACopyWhenALongOneBeforeItIsComplete() {
        ProductStreams product = streams();
        copy(product, LONG);
        copy(product, LONG - 1);
        copy(product, LONG - 1);
        product.finish();

        assertEquals(List.of("copies sync", "copies record", "compute await",
                "sync of copies0", "copies sync", "copies record", "compute await",
                "copies sync", "copies record", "compute await",
                "compute sync", "close of copies0", "close of copies1", "close of copies2"), calls);
    }

    /** The next product finds no copy of the last one, whose events are closed. */
    @Test
    void shouldForgetTheLastCopyAtTheEnd() {
        ProductStreams product = streams();
        product.mark();
        copy(product, LONG);
        product.finish();
        calls.clear();
        copy(product, LONG);

        assertEquals(List.of("copies sync", "copies record", "compute await"), calls);
    }
}
