package org.pgas4j.launch;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.pgas4j.BootstrapException;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.RefusedException;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Coordinator;
import org.pgas4j.bootstrap.CoordinatorOptions;
import org.pgas4j.bootstrap.Failures;
import org.pgas4j.bootstrap.MeetingPoint;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.launch.files.JobDirectory;

/**
 * Main class of a node's agent: reads its job from standard input, starts the node's JVMs, is their coordinator, passes
 * their output on and watches them to their end. It ends, and all its JVMs with it, when its standard input ends or the
 * launcher's coordinator is lost.
 */
public final class AgentMain {

    /** First line on standard output; before it there may be output of the host's shell. */
    static final String HELLO = "PGAS4J-AGENT-1";

    /** Time the JVMs have to end in order after the launcher is gone. */
    private static final long ORPHAN_MS = 1_000;
    /** Time for the launcher to read why the node could not be started. */
    private static final long FAILED_MS = 5_000;
    private static final long ALONE_MS = 10_000;

    private final AgentRecord record;
    private final OutputStream out;
    private final CountDownLatch released = new CountDownLatch(1);
    private final NodeRun node;
    private volatile Coordinator relay;

    private AgentMain(AgentRecord record, OutputStream out) throws IOException {
        this.record = record;
        this.out = out;
        this.node = new NodeRun(record.options(), record.share(), new Frames(),
                record.directory() == null ? null : JobDirectory.adopt(record.directory()));
    }

    /** @param args none: the job comes through standard input */
    public static void main(String[] args) throws InterruptedException {
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err); // frames only on the other one
        try {
            out.write((HELLO + "\n").getBytes(StandardCharsets.US_ASCII));
            DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in)));
            AgentRecord record = AgentRecord.read(in);
            Limits.check(record.share(), record.options().config());
            Place.onHost(record.share().host());
            AgentMain agent = new AgentMain(record, out);
            Thread.ofPlatform().daemon().name("pgas-lifeline").start(() -> agent.awaitEnd(in));
            agent.run();
        } catch (PgasException | IOException e) {
            System.exit(fail(out, e));
        }
        System.exit(0);
    }

    /**
     * The launcher answers with the end of standard input; before that, this process would count as lost if it ended.
     */
    private static int fail(OutputStream out, Exception failure) throws InterruptedException {
        Failures.Report report = Failures.of(failure);
        try {
            AgentFrame.write(out, AgentFrame.FAILED, report.exitCode(), report.line());
            Thread.sleep(FAILED_MS);
        } catch (IOException e) {
            System.err.println("pgas4j: " + report.line() + " (and the launcher is gone: " + e.getMessage() + ")");
        }
        return report.exitCode();
    }

    private void run() throws IOException, InterruptedException {
        Thread cleanup = new Thread(this::interrupted, "pgas-cleanup");
        Runtime.getRuntime().addShutdownHook(cleanup);
        checkDirectory();
        // in parallel with the start of the JVMs: both take a while
        FutureTask<Coordinator> joining = new FutureTask<>(this::join);
        Thread.ofPlatform().daemon().name("pgas-join").start(joining);
        node.start(record.job());
        AgentFrame.write(out, AgentFrame.STARTED, 0, node.directory() == null ? "" : node.directory().toString());
        relay = await(joining);
        node.run(record.job(), relay, record.secret());
        boundTheEnd();
        int file = 0;
        for (byte[] counters : node.stats()) {
            AgentFrame.writeAll(out, AgentFrame.STATS, file++, counters);
        }
        file = 0;
        for (Path part : node.traces()) {
            AgentFrame.writeFile(out, AgentFrame.TRACE, file++, part);
        }
        AgentFrame.write(out, AgentFrame.ENDED, 0, "");
        released.await(); // others may still run, and for the launcher an agent that ends before its release is lost
        node.endNow();
        relay.close();
        Runtime.getRuntime().removeShutdownHook(cleanup);
    }

    private void checkDirectory() {
        Path directory = record.options().directory();
        if (directory != null && !Files.isDirectory(directory)) {
            throw new UsageException("--wdir " + directory + ": no such directory on " + record.share().host());
        }
    }

    /** Connects to the launcher: to its first address that answers. */
    private Coordinator join() {
        BootstrapException last = null;
        Duration wait = record.options().config().duration(PgasKey.TIMEOUT);
        Duration each = record.addresses().size() == 1 ? wait : wait.dividedBy(2);
        for (String address : LaunchAddress.nearestFirst(record.addresses())) {
            try {
                return Coordinator.startRelay(new MeetingPoint(address, record.port(), record.tls(), "the launcher"),
                        record.secret(), record.job(), record.share().layout(), record.share().first(),
                        record.share().end(), node, System.err::println,
                        CoordinatorOptions.of(record.options().config()), each);
            } catch (RefusedException e) {
                throw e;
            } catch (BootstrapException e) {
                last = e;
            }
        }
        throw new BootstrapException("the agent on " + record.share().host() + " does not reach the launcher at "
                + record.addresses() + ", port " + record.port() + ": " + (last == null ? "no address" : last.getMessage())
                + "; choose the launcher's interface with --iface", last);
    }

    private Coordinator await(FutureTask<Coordinator> joining) throws InterruptedException {
        try {
            return joining.get();
        } catch (ExecutionException e) {
            node.endWithin(ORPHAN_MS);
            throw e.getCause() instanceof PgasException failure ? failure
                    : new BootstrapException("the agent cannot join the job", e.getCause());
        }
    }

    /** Bounds the end: if the job has failed, its launcher may not read the output of this process any more. */
    private void boundTheEnd() {
        Thread.ofPlatform().daemon().name("pgas-end").start(() -> {
            try {
                while (relay.aborted() == null) {
                    if (released.await(100, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                }
                if (!released.await(ALONE_MS, TimeUnit.MILLISECONDS)) {
                    leave();
                }
            } catch (InterruptedException e) {
                System.getLogger("pgas.boot").log(Level.DEBUG, "interrupted at the end", e);
            }
        });
    }

    /**
     * The launcher sends nothing more; the end of the stream means that the job is over, or that the launcher is gone.
     */
    private void awaitEnd(DataInputStream in) {
        byte[] ignored = new byte[256];
        try {
            while (in.read(ignored) >= 0) {
                Thread.onSpinWait(); // has no meaning
            }
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "standard input failed: taken for the launcher's end", e);
        }
        if (node.ended()) {
            released.countDown();
        } else {
            leave();
        }
    }

    private void leave() {
        node.endWithin(ORPHAN_MS);
        Runtime.getRuntime().halt(ExitCode.PEER_LOST.number());
    }

    /** Shutdown hook: a signal ends this process. */
    private void interrupted() {
        Coordinator meeting = relay;
        if (meeting != null && !node.ended()) {
            meeting.abort(new Abort(record.share().layout().firstRank(record.share().first()),
                    Place.here(record.share().ranks()), Phase.RUNNING, "a signal ended the node's agent",
                    ExitCode.TERMINATED.number(), true));
        }
        node.endWithin(ORPHAN_MS);
    }

    /** Output of the JVMs as frames. */
    private final class Frames implements JvmOutput {

        @Override
        public boolean inherited() {
            return false;
        }

        @Override
        public OutputStream of(int process, boolean error) {
            return new OutputStream() {
                @Override
                public void write(int value) throws IOException {
                    write(new byte[] {(byte) value}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    AgentFrame.write(out, error ? AgentFrame.ERR : AgentFrame.OUT, process, bytes, offset, length);
                }
            };
        }
    }
}
