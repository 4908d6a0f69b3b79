package org.pgas4j.fastpath.conduit.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class UcxTransportsTest {

    @Test
    void autoLeavesTheChoiceToUcx() {
        assertNull(UcxTransports.of("auto").tls());
        assertEquals("posix,tcp", UcxTransports.of("posix,tcp").tls());
    }

    @Test
    void betweenNodesSharedMemoryIsLeftOutUnlessAskedFor() {
        assertEquals("^shm", UcxTransports.betweenNodes("auto", null).tls());
        assertNull(UcxTransports.betweenNodes("auto", "all").tls());
        assertEquals("rc", UcxTransports.betweenNodes("rc", "all").tls());
    }
}
