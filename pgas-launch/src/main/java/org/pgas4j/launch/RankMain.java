package org.pgas4j.launch;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Failures;
import org.pgas4j.bootstrap.MeetingPoint;
import org.pgas4j.bootstrap.NettyBootstrap;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Phases;
import org.pgas4j.bootstrap.Place;
import org.pgas4j.bootstrap.watch.RankTag;
import org.pgas4j.bootstrap.watch.StatusBoard;
import org.pgas4j.os.Failpoint;
import org.pgas4j.os.JvmEnd;

/** Main class of the JVMs that the launcher starts: joins the job, then runs the program's main method. */
public final class RankMain {

    private static final long CONNECT_MS = 30_000;

    private final JobRecord record;
    private final StandardOutput standard = new StandardOutput(this::outputFailed);
    private TagStream out;
    private TagStream err;
    private StatusBoard board;
    private volatile boolean failed;

    private RankMain(JobRecord record) {
        this.record = record;
    }

    /** @param args the program's main class and its arguments */
    public static void main(String[] args) {
        InputStream in = new FileInputStream(FileDescriptor.in);
        JobRecord record;
        try {
            Failpoint.check();
            record = JobRecord.read(in);
            if (args.length == 0) {
                throw new UsageException("no main class");
            }
        } catch (UsageException | IllegalArgumentException | IOException e) {
            System.err.println("pgas4j: " + e.getMessage());
            System.exit(ExitCode.USAGE.number());
            return;
        }
        if (record.node().host() != null) {
            Place.onHost(record.node().host());
        }
        Failpoint.ranks(record.layout().firstRank(record.process()), record.layout().firstRank(record.process() + 1));
        Failpoint.hit(Failpoint.JVM_START);
        RankMain self = new RankMain(record);
        Lifeline.start(in, record.launcherPid(), self::finishOutput);
        System.setIn(InputStream.nullInputStream());
        self.run(args[0], Arrays.copyOfRange(args, 1, args.length));
    }

    private void run(String mainClass, String[] args) {
        tagOutput();
        board = openBoard();
        phase(Phase.CONNECTING);
        Failpoint.hit(Failpoint.BEFORE_CONNECT);
        NettyBootstrap bootstrap;
        try {
            bootstrap = NettyBootstrap.connect(MeetingPoint.loopback(record.port()), record.secret(), record.job(),
                    record.process(), record.layout(), connectTimeout());
        } catch (RuntimeException e) {
            Failures.printAlone(e);
            end(Failures.exitCode(e));
            return;
        }
        phase(Phase.RUNNING);
        Failpoint.hit(Failpoint.CONNECTED);
        bootstrap.onAbort(_ -> haltAfterGrace(ExitCode.PEER_LOST.number()));
        LaunchedJob job = new LaunchedJob(bootstrap, record.directory(), record.node(), board);
        LaunchedJob.set(job);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (bootstrap.aborted() == null) {
                ExitCall.find().ifPresent(call -> exits(call, job));
                boundEnd();
            }
            if (job.isIdle()) {
                bootstrap.close();
            }
            finishOutput();
            checkOutput();
        }, "pgas-leave"));
        try {
            UserMain.run(mainClass, args);
            new LastThreads(record.graceMs(), timeout()).await(job);
            bootstrap.close();
            Failpoint.hit(Failpoint.CLOSED);
        } catch (Throwable e) {
            fail(bootstrap, e);
        }
    }

    /** Records the rank and the place, which the launcher cannot see in the status. */
    private void exits(ExitCall call, LaunchedJob job) {
        int rank = call.rank() >= firstRank() && call.rank() < endRank() ? call.rank() : firstRank();
        board.activity(rank).exits();
        if (!job.isIdle()) {
            System.err.println("pgas4j: System.exit called " + call.place() + " before the ranks were done");
        }
    }

    /** Bounds the time of the program's shutdown hooks to that of its threads. */
    private void boundEnd() {
        Thread.ofPlatform().daemon().name("pgas-end").start(() -> {
            try {
                new LastThreads(record.graceMs(), timeout()).awaitHooks();
            } catch (PgasException e) {
                System.err.println("pgas4j: " + e.getMessage());
                finishOutput();
                JvmEnd.halt(Failures.exitCode(e));
            }
        });
    }

    private int firstRank() {
        return record.layout().firstRank(record.process());
    }

    private int endRank() {
        return record.layout().firstRank(record.process() + 1);
    }

    private void phase(Phase phase) {
        board.set(firstRank(), endRank(), phase);
    }

    private StatusBoard openBoard() {
        if (record.board() != null) {
            try {
                return StatusBoard.open(record.board(), record.layout().firstRank(record.node().first()),
                        record.layout().firstRank(record.node().end()));
            } catch (IOException e) {
                System.getLogger("pgas.watch").log(Level.DEBUG, "the launcher will not see the status of this JVM", e);
            }
        }
        return StatusBoard.local(firstRank(), endRank());
    }

    /** Phases of the ranks if they have begun, else of the main thread, which is in the program's main method. */
    private Phases phasesOfMain() {
        Phases phases = board.phases(firstRank(), endRank());
        return phases.are(Phase.RUNNING) || phases.are(Phase.CLOSED) ? Phases.all(Phase.MAIN) : phases;
    }

    /** Connect timeout; scales with pgas.timeout. */
    private static Duration connectTimeout() {
        return Duration.ofMillis(Math.max(CONNECT_MS, timeout().toMillis() / 3));
    }

    private static Duration timeout() {
        return new PgasConfig().conclude().duration(PgasKey.TIMEOUT);
    }

    /** Ends this JVM with a failure of its main thread, which is the job's unless that has failed before. */
    private void fail(NettyBootstrap bootstrap, Throwable failure) {
        if (bootstrap.aborted() == null) {
            Failures.print(failure);
            Integer rank = RankTag.current();
            bootstrap.abort(Failures.abort(rank == null ? firstRank() : rank,
                    Place.here(record.layout().ranksOf(record.process())), phasesOfMain(), failure));
        }
        end(Failures.exitCode(failure));
    }

    private void end(int code) {
        failed = true;
        haltAfterGrace(code);
        System.exit(code);
    }

    /** Neither a busy rank nor a shutdown hook that hangs can keep a failed JVM alive. */
    private void haltAfterGrace(int code) {
        Thread.ofPlatform().daemon().name("pgas-grace").start(() -> {
            try {
                Thread.sleep(record.graceMs());
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt(); // then at once
            }
            finishOutput();
            JvmEnd.halt(code);
        });
    }

    /** Fails a program that has not failed itself if its output is lost. */
    private void checkOutput() {
        if (!failed && standard.failure() != null) {
            System.err.println("pgas4j: " + standard.failure().line());
            JvmEnd.halt(standard.failure().exitCode());
        }
    }

    /** Without a reader of their output the ranks end as by SIGPIPE. */
    private void outputFailed(StandardOutput.Failure failure) {
        if (failure.noReader()) {
            JvmEnd.halt(failure.exitCode());
        }
    }

    private void tagOutput() {
        if (!record.tag()) { // to the launcher's own standard output
            System.setOut(new PrintStream(standard, true, System.out.charset()));
        } else {
            out = new TagStream(standard, record.process());
            err = new TagStream(new FileOutputStream(FileDescriptor.err), record.process());
            System.setOut(out.asPrintStream());
            System.setErr(err.asPrintStream());
        }
    }

    private void finishOutput() {
        if (out == null) {
            System.out.flush();
            return;
        }
        try {
            out.finish();
            err.finish();
        } catch (IOException _) {
            System.err.checkError(); // the launcher's end of the pipe is gone, and with it the reader
        }
    }
}
