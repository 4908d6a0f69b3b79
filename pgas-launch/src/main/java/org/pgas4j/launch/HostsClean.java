package org.pgas4j.launch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pgas4j.ExitCode;

/** {@code pgasrun --clean} on other hosts. */
final class HostsClean {

    private static final long EACH_MS = 60_000;

    private HostsClean() {
    }

    /** Runs it on each host, one after the other; the highest status is the result. */
    static int run(HostOptions hosts, String classPath) throws IOException, InterruptedException {
        int worst = 0;
        for (NodeShare share : hosts.shares()) {
            worst = Math.max(worst, run(hosts, share, classPath));
        }
        return worst;
    }

    private static int run(HostOptions hosts, NodeShare share, String classPath) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(hosts.remote(share));
        command.add("sh");
        Process shell = new ProcessBuilder(command).start();
        HostLines lines = new HostLines(share.host());
        OutputPump out = OutputPump.start(shell.getInputStream(), lines, "pgas-out");
        OutputPump err = OutputPump.start(shell.getErrorStream(), lines, "pgas-err");
        try (var to = shell.outputWriter()) {
            to.write("exec " + RankCommand.quoted(List.of(hosts.java(), "--enable-native-access=ALL-UNNAMED", "-cp",
                    AgentPlan.text(ClassPath.of(classPath, null).own()), PgasRun.class.getName(), "--clean")) + "\n");
        } catch (IOException e) {
            lines.line("pgas4j: " + e.getMessage()); // its status shows the failure
        }
        if (!shell.waitFor(EACH_MS, TimeUnit.MILLISECONDS)) {
            shell.destroyForcibly();
            lines.line("pgas4j: no end within " + EACH_MS + " ms");
            return ExitCode.BOOTSTRAP.number();
        }
        out.join(EACH_MS);
        err.join(EACH_MS);
        return shell.exitValue();
    }
}
