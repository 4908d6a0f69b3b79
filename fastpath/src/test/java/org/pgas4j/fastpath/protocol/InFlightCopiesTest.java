package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
}
