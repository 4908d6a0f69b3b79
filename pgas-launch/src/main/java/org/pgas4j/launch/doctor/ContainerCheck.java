package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.pgas4j.bootstrap.node.NodeIdentity;

/** Container or not, and the system calls that are filtered. */
final class ContainerCheck implements Check {

    @Override
    public String name() {
        return "container";
    }

    @Override
    public List<Verdict> run() throws IOException {
        boolean marked = Files.exists(Path.of("/.dockerenv")) || Files.exists(Path.of("/run/.containerenv"));
        String status = Sources.text("/proc/self/status").orElseThrow(() ->
                new IllegalStateException("/proc/self/status cannot be read"));
        return List.of(judge(status, Sources.text("/proc/1/cgroup").orElse(""), marked,
                NodeIdentity.namespace("pid"), Sources.text("/proc/self/uid_map").orElse("")));
    }

    /**
     * @param status of this process
     * @param cgroup of process 1
     * @param marked whether a container's marker file is there
     * @param pids   PID namespace
     * @param users  map of user numbers
     */
    static Verdict judge(String status, String cgroup, boolean marked, String pids, String users) {
        boolean container = marked || cgroup.matches("(?s).*(docker|kubepods|containerd|libpod|lxc|garden).*");
        String[] map = users.strip().split("\\s+");
        boolean mapped = map.length >= 3 && !(map[0].equals("0") && map[1].equals("0") && map[2].equals("4294967295"));
        String filters = switch (Sources.field(status, "Seccomp").orElse("")) {
            case "1" -> "strict";
            case "2" -> "system calls are filtered";
            case "0" -> "no filter of system calls";
            default -> "filters unknown";
        };
        String value = (container ? "container" : "no container found") + ", " + pids + ", " + filters
                + (mapped ? ", user namespace" : "");
        return container ? Verdict.ok("container", value + "; processes of one job must share the PID namespace")
                : Verdict.ok("container", value);
    }
}
