package org.pgas4j.launch.doctor;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.pgas4j.ExitCode;
import org.pgas4j.launch.command.Version;
import org.pgas4j.launch.doctor.Verdict.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code pgas doctor}. */
@Command(name = "doctor", mixinStandardHelpOptions = true, versionProvider = Version.class,
        sortOptions = false, usageHelpWidth = 80,
        description = "Looks at what jobs need of this machine; each line is ok, warn or FAIL, with the one thing to do.",
        footer = {"", "Exit status: 0, 1 if a line is FAIL, 14 if a GPU is required and that is what fails."})
final class DoctorCommand implements Callable<Integer> {

    private static final Duration EACH = Duration.ofSeconds(30);

    @Option(names = "--json", description = "An object a line: level, what, value, todo.")
    private boolean json;

    @Option(names = "--require-gpu", description = "FAIL if ranks can compute on no GPU.")
    private boolean requireGpu;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        ExitCode[] status = {ExitCode.DONE};
        for (Check check : Doctor.all(requireGpu)) {
            Doctor.run(List.of(check), EACH, verdict -> {
                out.println(json ? verdict.json() : verdict.line());
                out.flush(); // the next one may take long
                if (verdict.level() == Level.FAIL) {
                    boolean gpuOnly = status[0] != ExitCode.PROGRAM && requireGpu && check instanceof GpuCheck;
                    status[0] = gpuOnly ? ExitCode.DEVICE : ExitCode.PROGRAM;
                }
            });
        }
        return status[0].number();
    }
}
