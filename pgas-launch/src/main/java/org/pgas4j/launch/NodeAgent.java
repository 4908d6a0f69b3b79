package org.pgas4j.launch;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Failures;

/**
 * One node from the launcher's side: starts a shell on its host, copies missing files, makes the shell the node's agent
 * and passes on the agent's output. One thread of its own; methods may be called from any thread.
 */
final class NodeAgent {

    /** Receives the end of the node; on the agent's thread. */
    interface Listener {

        /** All JVMs of the node have ended. */
        void ended(NodeAgent agent);

        /** The node could not be started. */
        void failed(NodeAgent agent, int exitCode, String why);

        /** The agent has ended before it reported the end of its JVMs. */
        void lost(NodeAgent agent, String why);
    }

    /**
     * Files of the job on the host.
     *
     * @param classPath of the agent and of the ranks, on the host
     * @param directory of the job that was made for copied files, or null
     * @param work      directory to work in, or null for the one the shell starts in
     */
    record Found(ClassPath classPath, Path directory, Path work) {
    }

    private static final long EXIT_MS = 2_000;
    private static final int BUFFER = 256 << 10;

    private final NodeShare share;
    private final List<String> remote;
    private final AgentPlan plan;
    private final Terminal terminal;
    private final Listener listener;
    private final HostLines lines;
    private final CompletableFuture<BiFunction<NodeShare, Found, byte[]>> task = new CompletableFuture<>();
    private volatile Process process;
    private volatile long progressNs = System.nanoTime();
    private volatile String directory = "";
    private final Map<Integer, ByteArrayOutputStream> stats = new ConcurrentHashMap<>();
    private final Map<Integer, Path> traces = new ConcurrentHashMap<>();
    private OutputPump errors;

    /** @param remote starts a command on the host; empty for this machine */
    NodeAgent(NodeShare share, List<String> remote, AgentPlan plan, Terminal terminal, Listener listener) {
        this.share = share;
        this.remote = remote;
        this.plan = plan;
        this.terminal = terminal;
        this.listener = listener;
        this.lines = new HostLines(share.host());
    }

    NodeShare share() {
        return share;
    }

    /** Starts the shell on the host and the thread that serves it. */
    void start() throws IOException {
        List<String> command = new ArrayList<>(remote);
        command.add("sh");
        plan.options().log("host " + share.host() + " (" + share.ranks() + "): " + RankCommand.quoted(command));
        process = new ProcessBuilder(command).start();
        errors = OutputPump.start(process.getErrorStream(), lines, "pgas-err-" + share.host());
        Thread.ofPlatform().daemon().name("pgas-agent-" + share.host()).start(this::run);
    }

    /** Sends the agent its job, for which it waits. */
    void send(BiFunction<NodeShare, Found, byte[]> record) {
        task.complete(record);
    }

    /** Nanosecond time of the last step of the start. */
    long progressNs() {
        return progressNs;
    }

    /** The job's directory on the node; empty before it is known, and if there is none. */
    String directory() {
        return directory;
    }

    /** Counters that the JVMs of the node have left; complete when the agent has {@linkplain Listener#ended ended}. */
    List<byte[]> stats() {
        return stats.values().stream().map(ByteArrayOutputStream::toByteArray).toList();
    }

    /** Parts of the timeline that the JVMs of the node have left, as {@link #stats}; there until {@link #removeTraces}. */
    List<Path> traces() {
        return List.copyOf(traces.values());
    }

    /** Removes them. */
    void removeTraces() {
        for (Path part : traces.values()) {
            try {
                Files.deleteIfExists(part);
            } catch (IOException e) {
                System.err.println("pgas4j: cannot remove " + part + ": " + e);
            }
        }
    }

    private void append(AgentFrame frame) throws IOException {
        Path part = traces.get(frame.number());
        if (part == null) {
            part = Files.createTempFile("pgas4j-trace-", null); // readable by its owner alone
            traces.put(frame.number(), part);
        }
        Files.write(part, frame.bytes(), StandardOpenOption.APPEND);
    }

    /** The command that reaches the host. */
    List<String> remote() {
        return remote;
    }

    private void run() {
        DataInputStream from = new DataInputStream(new BufferedInputStream(process.getInputStream()));
        OutputStream to = new BufferedOutputStream(process.getOutputStream(), BUFFER);
        try {
            Found found = prepare(new RemoteShell(from, to, lines::line), to);
            to.write(task.join().apply(share, found));
            to.flush();
            progressNs = System.nanoTime();
            follow(from);
        } catch (UsageException e) {
            listener.failed(this, Failures.of(e).exitCode(), e.getMessage());
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, () -> "agent of " + share.host(), e);
            listener.lost(this, howItEnded());
        }
    }

    private Found prepare(RemoteShell shell, OutputStream to) throws IOException {
        AgentPlan.Missing missing = plan.ask(shell, share);
        progressNs = System.nanoTime();
        Map<Path, Path> moved = new LinkedHashMap<>();
        Path made = null;
        if (!missing.elements().isEmpty()) {
            lines.line("pgas4j: copying " + missing.elements().size() + " elements of the class path"
                    + (missing.forced() ? "" : ", the first missing one is " + missing.elements().getFirst()));
            made = plan.makeDirectory(shell, share);
            directory = made.toString();
            for (Path element : missing.elements()) {
                moved.put(element, copy(shell, element, made, moved.size()));
                progressNs = System.nanoTime();
            }
        }
        Found found = new Found(plan.classPath(moved), made, missing.work());
        shell.become(plan.agentCommand(found, missing), AgentMain.HELLO);
        progressNs = System.nanoTime();
        return found;
    }

    private static Path copy(RemoteShell shell, Path element, Path directory, int number) throws IOException {
        Path folder = directory.resolve("classes").resolve(Integer.toString(number));
        Path there = folder.resolve(ClassPath.nameOf(element));
        shell.run("mkdir -p " + RemoteShell.quote(folder.toString()));
        if (!Files.isDirectory(element)) {
            shell.copy(element, RemoteShell.quote(there.toString()));
            return there;
        }
        Path jar = Files.createTempFile("pgas4j-ship-", ".jar");
        try {
            try (OutputStream bytes = Files.newOutputStream(jar)) {
                ClassPath.writeJar(element, bytes);
            }
            Files.setLastModifiedTime(jar, Files.getLastModifiedTime(element));
            shell.copy(jar, RemoteShell.quote(there.toString()));
        } finally {
            Files.deleteIfExists(jar);
        }
        return there;
    }

    private void follow(DataInputStream from) throws IOException {
        for (AgentFrame frame = AgentFrame.read(from); frame != null; frame = AgentFrame.read(from)) {
            switch (frame.type()) {
                case AgentFrame.OUT, AgentFrame.ERR -> {
                    if (frame.number() < share.first() || frame.number() >= share.end()) {
                        throw new IOException("output of process " + frame.number());
                    }
                    terminal.of(frame.number(), frame.type() == AgentFrame.ERR).write(frame.bytes());
                }
                case AgentFrame.STARTED -> {
                    directory = frame.text();
                    progressNs = System.nanoTime();
                }
                case AgentFrame.FAILED -> {
                    listener.failed(this, frame.number(), frame.text());
                    return;
                }
                case AgentFrame.STATS ->
                        stats.computeIfAbsent(frame.number(), _ -> new ByteArrayOutputStream()).writeBytes(frame.bytes());
                case AgentFrame.TRACE -> append(frame);
                case AgentFrame.ENDED -> {
                    listener.ended(this);
                    return;
                }
                default -> throw new IOException("frame of type " + frame.type());
            }
        }
        listener.lost(this, howItEnded());
    }

    /** Describes the end of the command that reached the host, with its last line. */
    private String howItEnded() {
        try {
            if (!process.waitFor(EXIT_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            errors.join(EXIT_MS);
            String said = lines.last();
            return "'" + RankCommand.quoted(remote.isEmpty() ? List.of("sh") : remote) + "' ended with status "
                    + process.waitFor() + (said.isEmpty() ? "" : ": " + said);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** Releases the agent, since the job is over; processes that still run there end. */
    void release() {
        Process started = process;
        if (started != null) {
            try {
                started.getOutputStream().close();
            } catch (IOException e) {
                System.getLogger("pgas.boot").log(Level.DEBUG, () -> "agent of " + share.host() + " was gone", e);
            }
        }
    }

    /** Waits for the end of the command that reached the host; ends it at the deadline. */
    void awaitExit(long deadlineNs) throws InterruptedException {
        Process started = process;
        if (started == null) {
            return;
        }
        if (!started.waitFor(Math.max(0, deadlineNs - System.nanoTime()), TimeUnit.NANOSECONDS)) {
            started.destroyForcibly();
            started.waitFor(EXIT_MS, TimeUnit.MILLISECONDS);
        }
        errors.join(EXIT_MS);
    }
}
