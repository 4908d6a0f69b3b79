package org.pgas4j.bootstrap.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.ExitCode;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.SingleProcessBootstrap;

@Timeout(20)
class WatchdogTest {

    private static final long LONG_NS = 60_000_000_000L;

    private final SingleProcessBootstrap bootstrap = new SingleProcessBootstrap(2);
    private final StatusBoard board = StatusBoard.local(0, 2);
    private final Path file = Path.of("pgas4j-watchdog-" + bootstrap.jobId() + "-p0-" + ProcessHandle.current().pid() + ".txt")
            .toAbsolutePath();

    /** For a file that is there already. */
    private final Path second = Path.of(System.getProperty("java.io.tmpdir")).resolve(file.getFileName());

    @AfterEach
    void delete() throws IOException {
        Files.deleteIfExists(file);
        Files.deleteIfExists(second);
    }

    private Watchdog watchdog(long limitNs) {
        return new Watchdog(bootstrap, board, limitNs, rank -> "pending of " + rank);
    }

    private static Abort ofAnother(int code, String message) {
        return new Abort(7, "node7 pid 1 rank 7", Phase.BARRIER, message, code, false);
    }

    @Test
    void shouldEndTheJobAndWriteWhatTheProcessDoes() throws Exception {
        CompletableFuture<Abort> ended = new CompletableFuture<>();
        try (Watchdog _ = watchdog(1_000_000)) {
            bootstrap.onAbort(ended::complete);
            board.activity(1).enter(Phase.BARRIER);
            Abort cause = ended.get();

            assertEquals(1, cause.rank());
            assertEquals(ExitCode.TIMEOUT.number(), cause.exitCode());
            assertEquals(Phase.BARRIER, cause.phase());
            assertTrue(cause.message()
                    .matches("watchdog: no progress for .* s \\(pgas.watchdog\\), in barrier \\(collective 1\\); "
                    + "threads and state in \\Q" + file + "\\E"), cause.message());
            String text = Files.readString(file);
            assertTrue(text.contains("rank 0: starting\npending of 0")
                    && text.contains("rank 1: in barrier (collective 1)\npending of 1")
                    && text.contains(Thread.currentThread().getName()), text);
            assertFalse(Files.exists(second), "it has written one already");
        }
    }

    @Test
    void shouldSayWhatItCannotFindOut() throws Exception {
        CompletableFuture<Abort> ended = new CompletableFuture<>();
        bootstrap.onAbort(ended::complete);
        board.activity(0).enter(Phase.TRANSFER);
        try (Watchdog _ = new Watchdog(bootstrap, board, 1_000_000, rank -> {
            throw new IllegalStateException("no view of " + rank);
        })) {
            ended.get();
            String text = Files.readString(file);
            assertTrue(text.contains("no view of 0"), text);
        }
    }

    @Test
    void shouldWriteItsFileTooIfAnothersFired() throws IOException {
        try (Watchdog _ = watchdog(LONG_NS)) {
            bootstrap.abort(ofAnother(ExitCode.TIMEOUT.number(), "watchdog: no progress"));

            assertTrue(Files.readString(file)
                    .contains("job ended by rank 7 (node7 pid 1 rank 7) in barrier: watchdog: no progress"));
        }
    }

    @Test
    void shouldWriteNothingForOtherFailures() {
        try (Watchdog _ = watchdog(LONG_NS)) {
            bootstrap.abort(ofAnother(9, "watchdog: of a program"));

            assertFalse(Files.exists(file));
        }
    }

    @Test
    void shouldDoNothingOnceItIsClosed() throws InterruptedException {
        board.activity(0).enter(Phase.BARRIER);
        Watchdog watchdog = watchdog(LONG_NS);
        watchdog.close();
        assertNull(bootstrap.aborted());

        bootstrap.abort(ofAnother(ExitCode.TIMEOUT.number(), "watchdog: no progress"));

        assertFalse(Files.exists(file));
    }
}
