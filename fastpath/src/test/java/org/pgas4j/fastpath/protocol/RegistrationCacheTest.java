package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.device.host.HostBackend;
import org.pgas4j.fastpath.conduit.loopback.LoopbackConduit;

class RegistrationCacheTest {

    private static final long SMALL = 64 * 1024;

    private final LoopbackConduit conduit = new LoopbackConduit();
    private final HostBackend devices = new HostBackend(1, 1);
    private final HeldDevice device = new HeldDevice(devices.open(0));
    private final RegistrationCache cache = new RegistrationCache(0, conduit, device.accelerator(), 2 * SMALL);

    @AfterEach
    void close() {
        conduit.close();
        devices.close();
    }

    @ParameterizedTest
    @CsvSource({"1, 65536", "65536, 65536", "65537, 131072", "131072, 131072", "131073, 262144"})
    void shouldMakeTemporariesOfPowersOfTwo(long bytes, long made) {
        assertEquals(made, cache.acquire(bytes).bytes());
    }

    @Test
    void shouldUseAgainWhatFits() {
        Temporary small = cache.acquire(1);
        Temporary large = cache.acquire(SMALL + 1);
        assertNotSame(small, cache.acquire(1));
        cache.giveBack(large);
        cache.giveBack(small);
        assertEquals(3 * SMALL, cache.freeBytes());

        assertSame(small, cache.acquire(SMALL));
        assertEquals(2 * SMALL, cache.freeBytes());
        assertEquals(4, cache.acquired());
        assertEquals(1, cache.hits());
    }

    @Test
    void shouldEvictWhatIsUnusedForLongestBeyondTheBound() {
        Temporary[] all = {cache.acquire(1), cache.acquire(1), cache.acquire(1), cache.acquire(1)};
        for (Temporary temporary : all) {
            cache.giveBack(temporary);
        }

        Temporary oldest = cache.evict();
        assertSame(all[0], oldest);
        cache.keep(oldest); // no chunk for the FORGET
        assertSame(oldest, cache.evict());
        cache.free(oldest);
        assertFalse(oldest.segment().memory().scope().isAlive());
        assertSame(all[1], cache.evict());
        cache.free(all[1]);
        assertNull(cache.evict());
        assertEquals(2, device.registrations());
    }

    @Test
    void shouldUndoRegistrationsOfUsedAndFreeOnesAtItsClose() {
        cache.giveBack(cache.acquire(1));
        cache.acquire(SMALL + 1);
        assertEquals(2, device.registrations());

        cache.close();

        assertEquals(0, device.registrations());
    }
}
