package org.pgas4j.bootstrap.watch;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.Place;

/** Writes the state of a JVM to a file: its ranks, their pending operations, all its threads. */
final class Dump {

    private final Bootstrap bootstrap;
    private final StatusBoard board;
    private final Function<Integer, String> pending;

    Dump(Bootstrap bootstrap, StatusBoard board, Function<Integer, String> pending) {
        this.bootstrap = bootstrap;
        this.board = board;
        this.pending = pending;
    }

    /**
     * Writes it to the working directory, else to that of temporary files; returns a text with the file, or the
     * failure.
     */
    String write(String reason) {
        byte[] text = text(reason).getBytes(StandardCharsets.UTF_8);
        String name = "pgas4j-watchdog-" + bootstrap.jobId() + "-p" + bootstrap.process() + "-"
                + ProcessHandle.current().pid() + ".txt";
        IOException failure = null;
        for (Path directory : List.of(Path.of(""), Path.of(System.getProperty("java.io.tmpdir")))) {
            Path file = directory.toAbsolutePath().resolve(name);
            try (var channel = Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                java.nio.ByteBuffer bytes = java.nio.ByteBuffer.wrap(text);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                return "threads and state in " + file;
            } catch (IOException e) {
                failure = e;
            }
        }
        return "threads and state could not be written: " + failure;
    }

    private String text(String reason) {
        StringBuilder text = new StringBuilder();
        text.append(Instant.now()).append(' ').append(Place.process()).append(" job ").append(bootstrap.jobId())
                .append(" process ").append(bootstrap.process()).append('\n').append(reason).append("\n\n");
        int end = bootstrap.firstRank(bootstrap.process() + 1);
        for (int rank = bootstrap.firstRank(bootstrap.process()); rank < end; rank++) {
            text.append("rank ").append(rank).append(": ").append(board.activity(rank).look().text()).append('\n')
                    .append(pendingOf(rank)).append('\n');
        }
        long[] deadlocked = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        if (deadlocked != null) {
            text.append("threads that wait for each other: ").append(Arrays.toString(deadlocked)).append('\n');
        }
        for (Map.Entry<Thread, StackTraceElement[]> thread : Thread.getAllStackTraces().entrySet()) {
            text.append("\n\"").append(thread.getKey().getName()).append("\" #").append(thread.getKey().threadId())
                    .append(' ').append(thread.getKey().getState()).append('\n');
            for (StackTraceElement frame : thread.getValue()) {
                text.append("    at ").append(frame).append('\n');
            }
        }
        return text.toString();
    }

    private String pendingOf(int rank) {
        try {
            return pending.apply(rank);
        } catch (RuntimeException e) {
            return "its pending operations cannot be listed: " + e;
        }
    }
}
