package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.device.Accelerator;

class RankDeviceTest {

    private final List<String> calls = new ArrayList<>();
    private final RankDevice device = new RankDevice(0, fake(Accelerator.class), null, null, () -> {
        throw new AssertionError("no stream is used");
    }, () -> {
        throw new AssertionError("no kernel is launched");
    });

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
            calls.add(method.getName());
            return switch (method.getName()) {
                case "allocate" -> fake(DeviceMemory.class);
                case "isOpen" -> true;
                case "bytes" -> 80L;
                case "name" -> "fake";
                default -> null;
            };
        }));
    }

    @Test
    void shouldLoadTheCompilerWhenTheProgramHasMemoryForKernels() {
        assertEquals("fake", device.name());
        assertEquals(List.of("name"), calls);

        device.alloc(ElementType.DOUBLE, 10);

        assertEquals(List.of("prepareCompiler", "allocate"), calls.subList(1, 3));
    }
}
