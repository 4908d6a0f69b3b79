package org.pgas4j.fastpath.conduit.ucx;

import java.util.Set;

/**
 * What a value of {@code pgas.ucx.tls} means to UCX.
 *
 * @param tls     its transports, or null to leave {@code UCX_TLS} as it is
 * @param alloc   where it takes memory for segments from
 * @param ordered whether the bytes of one put arrive in order of their addresses: reliable connections of verbs only
 */
record UcxTransports(String tls, String alloc, boolean ordered) {

    // Memory that a peer on the node maps. sysv is left out: its segments outlive a process that is killed.
    private static final String SHARED = "md:posix";
    private static final String PRIVATE = "mmap";

    private static final Set<String> RELIABLE = Set.of("rc", "rc_v", "rc_x", "rc_verbs", "rc_mlx5", "dc", "dc_x",
            "dc_mlx5");

    static UcxTransports of(String setting, String environment) {
        return switch (setting) {
            case "auto", "" -> new UcxTransports(null, SHARED + "," + PRIVATE, ordered(environment));
            case "shm" -> new UcxTransports("posix,self", SHARED, false);
            case "tcp" -> new UcxTransports("tcp,self", PRIVATE, false);
            case "rc" -> new UcxTransports("rc,self", PRIVATE, true);
            default -> new UcxTransports(setting, SHARED + "," + PRIVATE, ordered(setting));
        };
    }

    /** Transports as a person knows them. */
    String text() {
        return tls == null ? "chosen by UCX" : tls;
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
