package org.pgas4j.launch.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VerdictTest {

    private record Fixed(String name, CountDownLatch until, String result) implements Check {

        @Override
        public List<Verdict> run() throws InterruptedException {
            if (until != null) {
                until.await();
            }
            if (result == null) {
                throw new IllegalStateException("no such\nfile");
            }
            return List.of(Verdict.ok(name, result));
        }
    }

    @Test
    void shouldPrintOneLine() {
        assertEquals("ok    clock: tsc", Verdict.ok("clock", "tsc\n").line());
        assertEquals("FAIL  GPU: no driver here  -> install one", Verdict.fail("GPU", "no driver\n here",
                "install one").line());
    }

    @Test
    void shouldEscapeJson() {
        assertEquals("{\"level\":\"warn\",\"what\":\"a\",\"value\":\"\\\"b\\\\\\u0009\\\"\",\"todo\":\"c\"}",
                new Verdict(Verdict.Level.WARN, "a", "\"b\\\t\"", "c").json());
    }

    @Test
    void shouldGoOnAfterChecksThatFailOrHang() {
        CountDownLatch never = new CountDownLatch(1);
        List<String> lines = new ArrayList<>();

        Doctor.run(List.of(new Fixed("broken", null, null), new Fixed("fine", null, "yes")), Duration.ofSeconds(30),
                verdict -> lines.add(verdict.line()));
        Doctor.run(List.of(new Fixed("hanging", never, "late"), new Fixed("hanging too", never, "late")),
                Duration.ofMillis(200), verdict -> lines.add(verdict.line()));
        never.countDown();

        assertEquals(4, lines.size(), lines.toString());
        assertTrue(lines.get(0).startsWith("warn  broken: cannot be checked: java.lang.IllegalStateException: no such file"),
                lines.get(0));
        assertEquals("ok    fine: yes", lines.get(1));
        assertTrue(lines.get(2).startsWith("warn  hanging: no answer after 200 ms"), lines.get(2));
        assertTrue(lines.get(3).startsWith("warn  hanging too: no answer after 200 ms"), lines.get(3));
    }
}
