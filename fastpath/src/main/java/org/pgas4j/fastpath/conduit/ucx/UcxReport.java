package org.pgas4j.fastpath.conduit.ucx;

import java.util.ArrayList;
import java.util.List;
import org.pgas4j.PgasException;
import org.pgas4j.UsageException;

/**
 * Report of what UCX offers on this machine.
 *
 * @param version    version of libucp; null if UCX or the binding is missing
 * @param missing    missing part and remedy; null if nothing is missing
 * @param transports values of {@code pgas.ucx.tls} that work here: shm, tcp, rc
 * @param refused    the other values, each with UCX's reason
 */
public record UcxReport(String version, String missing, List<String> transports, List<String> refused) {

    private static final List<String> CANDIDATES = List.of("shm", "tcp", "rc");

    /** Opens a context with each transport in turn. Never throws because something is missing. */
    public static UcxReport of() {
        try {
            Ucp.require("the ucx conduit");
        } catch (UsageException e) {
            return new UcxReport(null, e.getMessage(), List.of(), List.of());
        }
        List<String> works = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        for (String candidate : CANDIDATES) {
            UcxTransports transports = UcxTransports.of(candidate);
            try {
                Ucp.close(Ucp.open(transports, UcxTransports.PRIVATE, false, false, 1).handle());
                works.add(candidate);
            } catch (PgasException e) {
                refused.add(candidate + ": " + e.getMessage());
            }
        }
        return new UcxReport(Ucp.versionText(Ucp.version()), null, List.copyOf(works), List.copyOf(refused));
    }
}
