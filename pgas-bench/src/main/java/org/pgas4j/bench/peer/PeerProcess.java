package org.pgas4j.bench.peer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A program that runs for a limited time, and ends with this JVM. NVLink multicast is off for it and all it starts. */
final class PeerProcess {

    /** NVLink multicast can put a host's GPUs out of service for all who share them, and is never used. */
    private static final Map<String, String> MULTICAST_OFF = Map.of("NVSHMEM_DISABLE_NVLS", "1", "NCCL_NVLS_ENABLE", "0",
            "TORCH_SYMM_MEM_DISABLE_MULTICAST", "1");
    private static final int MAX_REASON = 200;
    private static final Duration END = Duration.ofSeconds(10);

    /**
     * End of a program.
     *
     * @param status   its exit status
     * @param timedOut true if it was killed at its deadline
     * @param reason   last line it wrote to standard error; empty if there is none
     */
    record End(int status, boolean timedOut, String reason) {

        /** The end in words. */
        String describe() {
            return (timedOut ? "not ready at its deadline" : "ended with status " + status)
                    + (reason.isEmpty() ? "" : ": " + reason);
        }
    }

    private PeerProcess() {
    }

    /**
     * Runs a program to its end.
     *
     * @param command  words
     * @param work     directory that it runs in, and that gets what it writes to standard error
     * @param deadline after which it and what it started are killed
     * @param lines    gets what it writes to standard output, by the calling thread
     * @throws IOException if it cannot be started
     */
    static End run(List<String> command, Path work, Duration deadline, Consumer<String> lines)
            throws IOException, InterruptedException {
        Path errors = Files.createTempFile(work, "errors", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).directory(work.toFile()).redirectError(errors.toFile());
        builder.environment().putAll(MULTICAST_OFF);
        Process process = builder.start();
        Thread hook = new Thread(() -> kill(process), "bench-peer-end");
        Runtime.getRuntime().addShutdownHook(hook);
        boolean[] timedOut = new boolean[1];
        Thread watch = Thread.ofVirtual().start(() -> timedOut[0] = killAt(process, deadline));
        try {
            process.getOutputStream().close();
            try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
                reader.lines().forEach(lines);
            }
            if (!process.waitFor(deadline.plus(END).toMillis(), TimeUnit.MILLISECONDS)) {
                kill(process);
            }
            watch.join();
            return new End(process.waitFor(), timedOut[0], lastLine(errors));
        } finally {
            kill(process);
            removeHook(hook);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // this JVM is ending
        }
    }

    /** Waits for the end of a process; true if it came to none and was killed. */
    private static boolean killAt(Process process, Duration deadline) {
        try {
            if (process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        kill(process);
        return true;
    }

    /** Kills a process and what it started; a parent before its children, or it would report their end as its own words. */
    private static void kill(Process process) {
        List<ProcessHandle> started = process.descendants().toList();
        process.destroyForcibly();
        started.forEach(ProcessHandle::destroyForcibly);
    }

    private static String lastLine(Path errors) {
        try (var lines = Files.lines(errors, StandardCharsets.ISO_8859_1)) {
            String last = lines.filter(line -> !line.isBlank()).reduce("", (_, line) -> line).strip();
            return last.length() > MAX_REASON ? last.substring(0, MAX_REASON) : last;
        } catch (IOException e) {
            throw new UncheckedIOException(errors.toString(), e);
        }
    }
}
