package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.pgas4j.DeviceException;
import org.pgas4j.JobAbortedException;
import org.pgas4j.PgasException;

@Isolated("takes the standard error")
@Timeout(30)
class FailuresTest {

    private final PrintStream old = System.err;

    @AfterEach
    void giveBack() {
        System.setErr(old);
    }

    private static String printed(Throwable... failures) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setErr(new PrintStream(out, true, StandardCharsets.UTF_8));
        for (Throwable failure : failures) {
            Failures.print(failure);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldHaveOneCodeAndLineWhateverTheThread() {
        Throwable heap = new OutOfMemoryError("Java heap space");

        assertEquals(new Failures.Report(3, "java.lang.OutOfMemoryError: Java heap space"), Failures.of(heap));
        assertEquals(new Failures.Report(1, "java.lang.StackOverflowError"), Failures.of(new StackOverflowError()));
        assertEquals(new Failures.Report(14, "no device"), Failures.of(new DeviceException("no device")));
        Abort helper = Failures.abort(2, "here", Phase.SERVING, heap);
        assertEquals(3, helper.exitCode());
        assertEquals("pgas4j: job ended by rank 2 (here) in serving: java.lang.OutOfMemoryError: Java heap space",
                helper.line());
    }

    @Test
    void shouldTellFailuresWithOneTextApart() {
        Abort one = Failures.abort(2, "here", Phase.PROGRAM, new IllegalStateException("same"));
        Abort other = Failures.abort(2, "here", Phase.PROGRAM, new IllegalStateException("same"));

        assertNotEquals(one.id(), other.id());
    }

    @Test
    void shouldPrintWhatJavaWould() {
        Exception failure = new IllegalStateException("outer", new IllegalArgumentException("inner\nsecond line"));
        failure.addSuppressed(new UnsupportedOperationException("beside"));
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        failure.printStackTrace(new PrintStream(expected, true, StandardCharsets.UTF_8));

        assertEquals("Exception in thread \"" + Thread.currentThread().getName() + "\" "
                + expected.toString(StandardCharsets.UTF_8), printed(failure));
        assertEquals("", printed(failure, new PgasException("thrown on", failure)));
    }

    @Test
    void shouldPrintOneOfThoseThatFailAtOnePlace() {
        Throwable[] same = new Throwable[3];
        for (int i = 0; i < same.length; i++) {
            same[i] = new IllegalStateException("failure " + i);
        }

        String text = printed(same);
        assertTrue(text.contains("failure 0") && !text.contains("failure 1") && !text.contains("failure 2"), text);
    }

    @Test
    void shouldLeaveToTheLastLineWhatItSays() {
        assertEquals("", printed(new DeviceException("no device"), new JobAbortedException("rank 3 failed", 1)));
        assertEquals("pgas4j: kernel.cu(3): error\nexpected ';'" + System.lineSeparator(),
                printed(new DeviceException("kernel.cu(3): error\nexpected ';'")));
    }

    @Test
    void shouldNotWaitForAnOutputThatNobodyReads() throws InterruptedException {
        CountDownLatch read = new CountDownLatch(1);
        System.setErr(new PrintStream(new OutputStream() {
            @Override
            public void write(int value) {
                while (read.getCount() > 0) {
                    Thread.onSpinWait();
                }
            }
        }, true, StandardCharsets.UTF_8));
        Thread rank = Thread.ofPlatform().daemon().start(() -> Failures.print(new IllegalStateException("unread")));

        rank.join(20_000);
        boolean waits = rank.isAlive();
        read.countDown();
        assertFalse(waits);
    }

    /** A cycle of causes, and one that goes on for ever. */
    @Test
    void shouldEndWhateverTheCauses() {
        Exception a = new Exception("a");
        Exception b = new Exception("b", a);
        a.initCause(b);
        assertTrue(printed(a).contains("Caused by: java.lang.Exception: b"));
        Exception deep = new Exception("deepest");
        for (int i = 0; i < 10_000; i++) {
            deep = new Exception("level", deep);
        }
        assertTrue(printed(deep).lines().count() < 40 * 100);
    }
}
