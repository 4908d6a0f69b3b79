package org.pgas4j.examples.matmul;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A bar on standard error, if that is a terminal and the work has taken a while; used by one thread at a time. */
final class Progress implements AutoCloseable {

    private static final long LONG_NANOS = 2_000_000_000L;

    private final PrintStream err;
    private final boolean terminal;
    private final int steps;
    private final long start = System.nanoTime();
    private int done;
    private ProgressBar bar;

    private Progress(PrintStream err, boolean terminal, int steps) {
        this.err = err;
        this.terminal = terminal;
        this.steps = steps;
    }

    /** For {@code steps} steps. */
    static Progress of(int steps, PrintStream err) {
        return new Progress(err, err == System.err && isTerminal(Path.of("/proc/self/fd/2")), steps);
    }

    /** A step is done. */
    synchronized void step() {
        done++;
        long elapsed = System.nanoTime() - start;
        if (terminal && bar == null && elapsed > LONG_NANOS && done < steps) {
            bar = new ProgressBarBuilder().setTaskName("matmul").setInitialMax(steps)
                    .setStyle(ProgressBarStyle.ASCII).setConsumer(new ConsoleProgressBarConsumer(err))
                    .clearDisplayOnFinish()
                    .startsFrom(done, Duration.ofNanos(elapsed)).build();
        }
        if (bar != null) {
            bar.stepTo(done);
        }
    }

    /** Makes room for a line of output, which may go to the same terminal; the bar comes back below it. */
    synchronized void makeRoom() {
        if (bar != null) {
            err.print("\r\033[K");   // to the start of the line, and erase it
            err.flush();
        }
    }

    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }

    private static boolean isTerminal(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            System.getLogger(Progress.class.getName()).log(System.Logger.Level.DEBUG, "no " + descriptor, e);
            return false;
        }
    }
}
