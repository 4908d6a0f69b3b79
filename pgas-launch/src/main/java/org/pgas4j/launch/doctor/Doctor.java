package org.pgas4j.launch.doctor;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.pgas4j.ExitCode;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.launch.doctor.Verdict.Level;

/** Runs checks one after the other. A check that fails or hangs is a verdict too. */
public final class Doctor {

    private static final Duration AT_START = Duration.ofSeconds(5);

    private Doctor() {
    }

    /** All checks. */
    static List<Check> all(boolean requireGpu) {
        return List.of(new JdkCheck(), new FlagsCheck(), new CoresCheck(), new ClockCheck(), new MemoryCheck(),
                new SharingCheck(), new ContainerCheck(), new LimitsCheck(), new DirectoriesCheck(),
                new PortsCheck(false), new HostNameCheck(), new UcxCheck(), new GpuCheck(requireGpu));
    }

    /**
     * Prints the findings about this machine, after a job has failed before its ranks began; nothing after another
     * failure.
     *
     * @param exitCode of the failure
     * @param phase    of the failure
     */
    public static void explainStart(int exitCode, Phase phase, PrintStream out) {
        if (phase.isOfProgram()) {
            return;
        }
        List<Check> fitting = new ArrayList<>();
        if (ExitCode.DEVICE.is(exitCode)) {
            fitting.add(new GpuCheck(true));
        } else if (ExitCode.BOOTSTRAP.is(exitCode) || ExitCode.REFUSED.is(exitCode) || phase == Phase.STARTING) {
            fitting.addAll(List.of(new JdkCheck(), new PortsCheck(true), new CoresCheck(), new MemoryCheck(),
                    new SharingCheck(), new LimitsCheck(), new DirectoriesCheck()));
        }
        run(fitting, AT_START, verdict -> {
            if (verdict.level() != Level.OK) { // the failure's own line comes after these
                out.println("pgas4j: " + verdict.line());
            }
        });
    }

    /** @param each deadline of one check */
    static void run(List<Check> checks, Duration each, Consumer<Verdict> to) {
        for (Check check : checks) {
            run(check, each).forEach(to);
        }
    }

    private static List<Verdict> run(Check check, Duration deadline) {
        CompletableFuture<List<Verdict>> found = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("pgas-doctor").start(() -> {
            try {
                found.complete(check.run());
            } catch (Throwable e) { // also a missing library of the machine
                found.completeExceptionally(e);
            }
        });
        try {
            return found.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            return List.of(Verdict.warn(check.name(), "cannot be checked: " + e.getCause(),
                    "see whether this process may read /proc and /sys"));
        } catch (TimeoutException _) {
            return List.of(Verdict.warn(check.name(), "no answer after " + deadline.toMillis() + " ms",
                    "see whether the system hangs there: dmesg"));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return List.of(Verdict.warn(check.name(), "interrupted", "run it again"));
        }
    }
}
