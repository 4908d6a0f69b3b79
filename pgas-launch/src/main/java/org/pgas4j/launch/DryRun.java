package org.pgas4j.launch;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Prints the commands of a job without starting it. */
final class DryRun {

    private DryRun() {
    }

    /** @param shares nodes of the job; none if it runs on this machine only */
    static void print(JobOptions options, List<NodeShare> shares, HostOptions hosts, PrintWriter out) {
        if (shares.isEmpty()) {
            jvms(options, NodeShare.all(options.layout()), out);
        }
        for (NodeShare share : shares) {
            List<String> command = new ArrayList<>(hosts.remote(share));
            command.add("sh");
            out.println("# host " + share.host() + " (" + share.ranks() + "): an agent, started through this shell, starts");
            out.println(RankCommand.quoted(command));
            jvms(options, share, out);
        }
        out.flush();
    }

    private static void jvms(JobOptions options, NodeShare share, PrintWriter out) {
        Path cache = Natives.cachePath();
        for (int process = share.first(); process < share.end(); process++) {
            out.println("# " + options.layout().describe(process));
            out.println(RankCommand.quoted(RankCommand.of(options, share.processes(), cache.resolve("natives"), cache,
                    cache.resolve("tmp"))));
        }
    }
}
