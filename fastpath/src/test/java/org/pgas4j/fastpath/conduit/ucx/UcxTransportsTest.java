package org.pgas4j.fastpath.conduit.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UcxTransportsTest {

    @ParameterizedTest
    @CsvSource({"rc, true", "'rc_verbs,ud_verbs:aux,self', true", "rc_mlx5, true", "'dc,self', true", "shm, false",
        "tcp, false", "'rc,tcp', false", "self, false", "'^tcp', false", "ud, false", "all, false"})
    void bytesOfAPutAreOrderedOverReliableConnectionsOnly(String setting, boolean ordered) {
        assertEquals(ordered, UcxTransports.of(setting, null).ordered());
        if (!setting.equals("shm")) {
            assertEquals(ordered, UcxTransports.of("auto", setting).ordered());
        }
    }

    @Test
    void autoLeavesTheChoiceToUcx() {
        assertNull(UcxTransports.of("auto", null).tls());
        assertEquals("posix,tcp", UcxTransports.of("posix,tcp", "rc").tls());
    }
}
