package org.pgas4j.fastpath.conduit.ucx;

import java.util.List;

/**
 * Settings of UCX for a value of {@code pgas.ucx.tls}.
 *
 * @param tls    transports, or null to leave {@code UCX_TLS} as it is
 * @param memory sources of memory for segments, the best first
 */
record UcxTransports(String tls, List<String> memory) {

    /**
     * Memory that a peer on the node can map. It has a name in /dev/shm while it is reserved, and none afterwards. UCX
     * prefers sysv, which is not for segments.
     */
    static final String SHARED = "md:posix";

    /** Memory of this process. */
    static final String PRIVATE = "mmap";

    static UcxTransports of(String setting) {
        return switch (setting) {
            case "auto", "" -> new UcxTransports(null, List.of(SHARED, PRIVATE));
            case "shm" -> new UcxTransports("posix,self", List.of(SHARED));
            case "tcp" -> new UcxTransports("tcp,self", List.of(PRIVATE));
            case "rc" -> new UcxTransports("rc", List.of(PRIVATE));
            default -> new UcxTransports(setting, List.of(SHARED, PRIVATE));
        };
    }

    /** Settings for existing memory, between nodes: transports inside a node take no part unless they are requested. */
    static UcxTransports betweenNodes(String setting, String environment) {
        UcxTransports asked = of(setting);
        String tls = asked.tls == null && environment == null ? "^shm" : asked.tls;
        return new UcxTransports(tls, List.of(PRIVATE));
    }

    /** Transports, for messages. */
    String text() {
        return tls == null ? "chosen by UCX" : tls.equals("^shm") ? "chosen by UCX, none of shared memory" : tls;
    }
}
