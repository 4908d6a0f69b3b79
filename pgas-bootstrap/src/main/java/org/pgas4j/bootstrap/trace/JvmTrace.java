package org.pgas4j.bootstrap.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgas4j.PgasException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ServiceNumber;
import org.pgas4j.os.trace.Trace;

/** The timeline of this JVM in one run, from its begin to its file. Thread-safe. */
public final class JvmTrace implements AutoCloseable {

    private static final int QUESTIONS = 32;

    private final int run;
    private final Bootstrap bootstrap;
    private final List<TimeOffset> offsets = new ArrayList<>(); // guarded by this
    private boolean closed; // guarded by this

    /**
     * Turns the timeline on, before threads of the run start.
     *
     * @param run    number of the run in the job
     * @param events that each thread keeps
     */
    public JvmTrace(int run, Bootstrap bootstrap, int events) {
        this.run = run;
        this.bootstrap = bootstrap;
        bootstrap.serve(ServiceNumber.CLOCK, _ -> ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array());
        Trace.start(events);
    }

    /**
     * Measures the offset of process 0's clock, which has made its own object before; at least at the begin of the run and best
     * also at its end.
     *
     * @param sameMachine as process 0, with whose clock nothing is to be measured
     * @throws PgasException if process 0 does not answer by {@code deadlineNs}, a {@link System#nanoTime()} value
     */
    public void measure(boolean sameMachine, long deadlineNs) {
        TimeOffset offset = sameMachine ? TimeOffset.same(System.nanoTime())
                : TimeOffset.measure(System::nanoTime, () -> ask(deadlineNs), QUESTIONS);
        synchronized (this) {
            offsets.add(offset);
        }
    }

    private long ask(long deadlineNs) {
        return ByteBuffer.wrap(bootstrap.call(0, ServiceNumber.CLOCK, new byte[0], deadlineNs)).getLong();
    }

    /**
     * Has the events so far written to {@code folder} if the job fails: JVMs of a failed job may not come to the end of the run.
     */
    public void writeOnFailure(Path folder) {
        bootstrap.onAbort(_ -> writePart(folder));
    }

    /**
     * Writes the timeline at the end of the run.
     *
     * @param folder of a supervisor that merges the parts of all JVMs
     * @param file   else: for the timeline of this JVM, with its number behind the name if there are several
     */
    public void write(Optional<Path> folder, Path file) {
        if (folder.isPresent()) {
            writePart(folder.get());
            return;
        }
        Path target = bootstrap.processes() == 1 ? file : file.resolveSibling(file.getFileName() + "." + bootstrap.process());
        try {
            Path part = Files.createTempFile("pgas-trace-", null);
            try {
                writeTo(part);
                for (String line : TraceMerge.write(List.of(part), target)) {
                    System.err.println("pgas4j: " + line);
                }
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            System.err.println("pgas4j: the timeline of process " + bootstrap.process() + " cannot be written to " + target + ": "
                    + e);
        }
    }

    /** Writes into a supervisor's directory; the file is there whole or not at all. */
    private synchronized void writePart(Path folder) {
        if (closed) {
            return;
        }
        try {
            Path part = Files.createTempFile(folder, "new-trace-", null); // readable by its owner alone
            writeTo(part);
            Files.move(part, TraceFolder.file(folder, run, bootstrap.process()), StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            System.err.println("pgas4j: the timeline of process " + bootstrap.process() + " cannot be written to " + folder + ": "
                    + e);
        }
    }

    private synchronized void writeTo(Path file) throws IOException {
        List<TimeOffset> measured = offsets.isEmpty() ? List.of(TimeOffset.unknown(System.nanoTime())) : List.copyOf(offsets);
        int process = bootstrap.process();
        PartFile.write(file, new TracePart(run, process, host(), bootstrap.firstRank(process), bootstrap.firstRank(process + 1),
                measured, List.of(), List.of()), Trace.tracks(), Trace::names);
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return "localhost";
        }
    }

    /** Turns the timeline off; its threads have ended. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            Trace.stop();
        }
    }
}
