package org.pgas4j.examples.common;

import java.io.PrintStream;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;

/** Standard output of every command: help and version go there, and a failed write is an error. */
public final class StandardOutput {

    private StandardOutput() {
    }

    /** Prints help or the version, if one of them was asked for; true if so. */
    public static boolean informs(CommandLine line, PrintStream out) {
        if (line.isUsageHelpRequested()) {
            line.usage(out);
        } else if (line.isVersionHelpRequested()) {
            out.println(Version.text());
        } else {
            return false;
        }
        return true;
    }

    /**
     * The exit code of a command that is done: {@link Example#WRONG} in place of {@link Example#OK}, with a line on {@code err}, if
     * not all of its output could be written, as on a full disk.
     *
     * @param name of the command
     */
    public static int checked(int code, String name, PrintStream out, PrintStream err) {
        if (!out.checkError()) {
            return code;
        }
        err.println(name + ": standard output: not all results could be written");
        return code == Example.OK ? Example.WRONG : code;
    }
}
