package org.pgas4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.DeviceException;

class ResidentWorksTest {

    private final List<String> calls = new ArrayList<>();
    private final ResidentWorks works = new ResidentWorks();

    private ResidentWork work(String name) {
        return new ResidentWork() {
            @Override
            public void suspend() {
                calls.add(name + " ends");
            }

            @Override
            public void resume() {
                calls.add(name + " may begin");
            }
        };
    }

    @Test
    void shouldSuspendAllWorkDuringACall() {
        works.add(work("a"));
        works.add(work("b"));

        int result = works.without(() -> {
            calls.add("call");
            return 5;
        });

        assertEquals(5, result);
        assertEquals(List.of("a ends", "b ends", "call", "a may begin", "b may begin"), calls);
    }

    @Test
    void shouldResumeAfterAFailure() {
        works.add(work("a"));
        Runnable failing = () -> {
            throw new DeviceException("no");
        };

        assertThrows(DeviceException.class, () -> works.without(failing));

        assertEquals(List.of("a ends", "a may begin"), calls);
    }

    @Test
    void shouldResumeWhatItHasSuspendedAndNothingElse() {
        ResidentWork a = work("a");
        works.add(a);

        works.without(() -> {
            works.remove(a);
            works.add(work("b"));
        });

        assertEquals(List.of("a ends", "a may begin"), calls);
    }
}
