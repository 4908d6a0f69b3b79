package org.pgas4j.launch.doctor;

import org.pgas4j.launch.command.Version;
import org.pgas4j.launch.kernels.KernelsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code scripts/pgas}: commands about pgas4j that start no job. */
@Command(name = "pgas", mixinStandardHelpOptions = true, versionProvider = Version.class,
        subcommands = {DoctorCommand.class, KernelsCommand.class}, usageHelpWidth = 80, synopsisSubcommandLabel = "COMMAND",
        description = "Commands that start no job; pgasrun starts jobs.")
public final class PgasTool implements Runnable {

    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    private PgasTool() {
    }

    /** Ends the JVM with the command's status. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    static int run(String... args) {
        return new CommandLine(new PgasTool()).setCaseInsensitiveEnumValuesAllowed(true).execute(args);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "pgas: no command given");
    }
}
