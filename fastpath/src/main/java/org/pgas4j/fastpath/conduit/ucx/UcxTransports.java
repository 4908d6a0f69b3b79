package org.pgas4j.fastpath.conduit.ucx;

import java.util.List;
import java.util.Set;

/**
 * What a value of {@code pgas.ucx.tls} means to UCX.
 *
 * @param tls     its transports, or null to leave {@code UCX_TLS} as it is
 * @param memory  where it may take memory for segments from, the best first
 * @param ordered whether the bytes of one put arrive in order of their addresses: reliable connections of verbs only
 */
record UcxTransports(String tls, List<String> memory, boolean ordered) {

    /**
     * Memory that a peer on the node can map. It has a name in /dev/shm while it is reserved, and none afterwards. What
     * UCX prefers, sysv, is not for segments.
     */
    static final String SHARED = "md:posix";

    /** Memory of this process. */
    static final String PRIVATE = "mmap";

    private static final Set<String> RELIABLE = Set.of("rc", "rc_v", "rc_x", "rc_verbs", "rc_mlx5", "dc", "dc_x",
            "dc_mlx5");

    static UcxTransports of(String setting, String environment) {
        return switch (setting) {
            case "auto", "" -> new UcxTransports(null, List.of(SHARED, PRIVATE), ordered(environment));
            case "shm" -> new UcxTransports("posix,self", List.of(SHARED), false);
            case "tcp" -> new UcxTransports("tcp,self", List.of(PRIVATE), false);
            case "rc" -> new UcxTransports("rc", List.of(PRIVATE), true);
            default -> new UcxTransports(setting, List.of(SHARED, PRIVATE), ordered(setting));
        };
    }

    /** For memory that is there already, between nodes: those inside a node have no part in it unless they are asked for. */
    static UcxTransports betweenNodes(String setting, String environment) {
        UcxTransports asked = of(setting, environment);
        String tls = asked.tls == null && environment == null ? "^shm" : asked.tls;
        return new UcxTransports(tls, List.of(PRIVATE), asked.ordered);
    }

    /** Transports as a person knows them. */
    String text() {
        return tls == null ? "chosen by UCX" : tls.equals("^shm") ? "chosen by UCX, none of shared memory" : tls;
    }

    private static boolean ordered(String list) {
        if (list == null) {
            return false;
        }
        boolean reliable = false;
        for (String name : list.split(",")) {
            if (RELIABLE.contains(name)) {
                reliable = true;
            } else if (!name.equals("self") && !name.endsWith(":aux")) {
                return false;
            }
        }
        return reliable;
    }
}
