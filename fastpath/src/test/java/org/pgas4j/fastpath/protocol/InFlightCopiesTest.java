package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.host.HostBackend;

class InFlightCopiesTest {

    @Test
    void shouldTakeCopiesOfOneStreamAtATimeAndOnlySoMany() {
        try (HostBackend devices = new HostBackend(1, 1)) {
            HeldDevice device = new HeldDevice(devices.open(0));
            AcceleratorStream first = device.accelerator().newStream();
            AcceleratorStream second = device.accelerator().newStream();
            InFlightCopies copies = new InFlightCopies();
            assertTrue(copies.isEmpty() && copies.accepts(first) && copies.accepts(second));

            device.hold();
            int count = 0;
            for (; copies.accepts(first); count++) {
                copies.add(first, InFlightCopies.PUT, null, count + 1).startNs = 5;
                assertFalse(copies.accepts(second), "beside copies of another stream");
            }
            assertEquals(32, count);
            assertFalse(copies.areComplete());
            device.release();
            assertTrue(copies.areComplete());
            for (int i = 0; i < count; i++) {
                assertEquals(i + 1, copies.get(i).sequence);
            }

            copies.clear();
            assertTrue(copies.isEmpty() && copies.accepts(second));
            assertEquals(0, copies.add(second, InFlightCopies.REPLY_IN, null, 99).startNs, "time of an earlier copy");
            assertEquals(1, copies.count());
            assertFalse(copies.accepts(first));
        }
    }

    @Test
    void shouldMakeTheEndVisibleEarlyWhereCopiesComeOneAfterTheOther() {
        AtomicInteger expected = new AtomicInteger();
        AcceleratorStream stream = (AcceleratorStream) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {AcceleratorStream.class}, (_, method, _) -> {
                    assertEquals("expectEnd", method.getName());
                    expected.incrementAndGet();
                    return null;
                });
        InFlightCopies copies = new InFlightCopies();
        long nowNs = System.nanoTime() + InFlightCopies.NEAR_NS;

        copies.add(stream, InFlightCopies.PUT, null, 1);
        copies.expectEnd(nowNs);
        assertEquals(0, expected.get(), "the first one");
        copies.add(stream, InFlightCopies.PUT, null, 2);
        copies.expectEnd(nowNs += InFlightCopies.NEAR_NS - 1);
        assertEquals(1, expected.get());
        copies.expectEnd();
        assertEquals(1, expected.get(), "nothing has begun since");
        copies.add(stream, InFlightCopies.PUT, null, 3);
        copies.expectEnd(nowNs += InFlightCopies.NEAR_NS);
        assertEquals(1, expected.get(), "after a pause");
        copies.add(stream, InFlightCopies.PUT, null, 4);
        copies.expectEnd(nowNs + 1);
        assertEquals(2, expected.get());
    }
}
