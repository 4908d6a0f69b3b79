package org.pgas4j.space.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RemoteLayoutTest {

    @Test
    void shouldDrawItsMemory() {
        RemoteLayout layout = new RemoteLayout(4096, 3, 41);

        assertEquals(24, RemoteLayout.ARGUMENTS);
        assertEquals(16, RemoteLayout.RESULT);
        assertEquals(4096, layout.tail());
        assertEquals(4096 + 128, layout.request(0));
        assertEquals(4096 + 128 + 2 * 128, layout.request(5), "65 bytes are two half lines");
        assertEquals(4096 + 128 + 3 * 128, layout.reply(0));
        assertEquals(4096 + 128 + 6 * 128 + 3 * 8192, layout.failure(3));
        assertEquals(128 + 6 * 128 + 4 * 8192, layout.bytes());
    }
}
