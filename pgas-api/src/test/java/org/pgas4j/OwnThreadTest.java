package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class OwnThreadTest {

    @Test
    void shouldTakeTheOwnThread() {
        assertDoesNotThrow(() -> OwnThread.require(Thread.currentThread(), 3, "a transfer", ""));
    }

    @Test
    void shouldNameBothThreadsAndTheRankOfARefusedCall() throws InterruptedException {
        Thread caller = Thread.currentThread();
        String[] message = new String[1];
        Thread other = Thread.ofPlatform().name("other").start(() -> message[0] = assertThrows(IllegalStateException.class,
                () -> OwnThread.require(caller, 3, "a transfer", "; use one thread")).getMessage());
        other.join();

        assertEquals("a transfer of rank 3 in thread other: for the rank's own thread, " + caller.getName()
                + ", only; use one thread", message[0]);
    }

    @Test
    void shouldTakeAnyThreadOnceTheOwnHasEnded() throws InterruptedException {
        Thread ended = Thread.ofPlatform().start(() -> { });
        ended.join();

        assertDoesNotThrow(() -> OwnThread.require(ended, 3, "a transfer", ""));
    }
}
