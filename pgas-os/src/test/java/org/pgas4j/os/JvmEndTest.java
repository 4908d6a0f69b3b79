package org.pgas4j.os;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class JvmEndTest {

    @Test
    void shouldWaitForTheCallsThatRun() throws InterruptedException {
        JvmEnd end = new JvmEnd(50_000);
        end.beginCall();
        end.beginCall();
        AtomicBoolean ended = new AtomicBoolean();
        Thread ending = Thread.ofPlatform().start(() -> {
            end.awaitCalls();
            ended.set(true);
        });
        while (ending.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }

        end.endCall();
        assertFalse(ending.join(Duration.ofMillis(20)));
        end.endCall();

        ending.join();
        assertTrue(ended.get());
    }

    @Test
    void shouldLetNoCallBeginThen() {
        JvmEnd end = new JvmEnd(50_000);
        end.awaitCalls();
        assertThrows(IllegalStateException.class, end::beginCall);
    }

    @Test
    void shouldNotWaitForEver() {
        JvmEnd end = new JvmEnd(1);
        end.beginCall();
        end.awaitCalls();
        end.endCall();
    }
}
