package org.pgas4j.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.ProcessLayout;
import picocli.CommandLine.Option;

/** Options for the number of JVMs and their hosts. */
final class HostOptions {

    /** As pgas.ranks has it. */
    private static final int MAX_RANKS = (int) PgasKey.RANKS.max();
    private static final List<String> SSH = List.of("ssh", "-o", "BatchMode=yes");

    @Option(names = {"-n", "-np"}, paramLabel = "N", description = "Ranks; default one for each JVM.")
    private Integer ranks;

    @Option(names = "--processes", paramLabel = "P",
            description = "JVMs that share the ranks, which are threads in them; default 1, or the slots of the hosts.")
    private Integer processes;

    @Option(names = {"--ppn", "--nproc-per-node"}, paramLabel = "K", description = "JVMs on each host.")
    private Integer perNode;

    @Option(names = {"-H", "--host", "--hosts"}, paramLabel = "a,b:4",
            description = "Hosts, with the JVMs each takes; default this one.")
    private String hosts;

    @Option(names = "--hostfile", paramLabel = "FILE",
            description = "Hosts, one a line: 'host', 'host:4' or 'host slots=4'.")
    private Path hostFile;

    @Option(names = "--rsh", paramLabel = "CMD",
            description = "Starts a command on a host as 'CMD host command'; default 'ssh -o BatchMode=yes'.")
    private String rsh;

    @Option(names = "--java", paramLabel = "PATH", description = "The java command of the hosts; default as here.")
    private String java;

    @Option(names = "--ship", description = "Copies the class path to the hosts, also what they have already.")
    private boolean ship;

    @Option(names = "--iface", paramLabel = "NAME|ADDRESS",
            description = "Where the hosts reach this one; default the way to the first of them.")
    private String networkInterface;

    /** Ranks and JVMs of the job. */
    ProcessLayout layout() {
        List<Host> all = hosts();
        int jvms = processes != null ? processes : all.isEmpty() ? perNode != null ? perNode : 1
                : Math.min(Host.slots(all), ranks == null ? Integer.MAX_VALUE : ranks);
        int count = ranks == null ? jvms : ranks;
        if (perNode != null && perNode < 1 || all.isEmpty() && perNode != null && jvms > perNode) {
            throw new UsageException("--ppn " + perNode + " for " + jvms + " JVMs on one host (expected: 1.."
                    + "; more hosts with -H)");
        }
        if (count > MAX_RANKS) {
            throw new UsageException("-n " + count + " (expected: 1.." + MAX_RANKS + ")");
        }
        if (count < 1 || jvms < 1 || jvms > count) {
            throw new UsageException("-n " + count + " --processes " + jvms + " (expected: 1 <= processes <= ranks)");
        }
        return new ProcessLayout(jvms, count);
    }

    /** The nodes of the job; empty if it runs on this machine only. */
    List<NodeShare> shares() {
        List<Host> all = hosts();
        if (all.isEmpty() || rsh == null && all.stream().allMatch(Host::isLocal)) {
            return List.of();
        }
        return NodeShare.deal(layout(), all);
    }

    private List<Host> hosts() {
        if (hosts != null && hostFile != null) {
            throw new UsageException("--host and --hostfile: give one of them");
        }
        List<Host> all = hosts != null ? HostList.parse(hosts) : hostFile != null ? HostList.read(hostFile) : List.of();
        if (perNode == null) {
            return all;
        }
        List<Host> same = new ArrayList<>();
        all.forEach(host -> same.add(new Host(host.name(), perNode, true)));
        return same;
    }

    /** Command that starts a command on the host of a node. */
    List<String> remote(NodeShare share) {
        Host host = hosts().stream().filter(known -> known.shortName().equals(share.host())).findFirst().orElseThrow();
        if (rsh == null && host.isLocal()) {
            return List.of();
        }
        List<String> command = new ArrayList<>(rsh == null ? SSH : List.of(rsh.strip().split("\\s+")));
        command.add(host.name());
        return command;
    }

    /** The java command of the hosts. */
    String java() {
        return java == null ? Path.of(System.getProperty("java.home"), "bin", "java").toString() : java;
    }

    boolean ship() {
        return ship;
    }

    /** Null if not given. */
    String networkInterface() {
        return networkInterface;
    }
}
