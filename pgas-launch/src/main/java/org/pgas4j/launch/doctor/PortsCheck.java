package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Whether one can listen and connect, on the loopback interface and on each of the others. */
final class PortsCheck implements Check {

    private static final int CONNECT_MS = 2_000;
    private static final int FEW_PORTS = 1_000;

    private final boolean loopbackOnly;

    /** @param loopbackOnly for a job on one host */
    PortsCheck(boolean loopbackOnly) {
        this.loopbackOnly = loopbackOnly;
    }

    @Override
    public String name() {
        return "ports";
    }

    @Override
    public List<Verdict> run() throws IOException {
        List<Verdict> verdicts = new ArrayList<>();
        verdicts.add(judge("loopback", attempt(InetAddress.getLoopbackAddress()), true));
        if (!loopbackOnly) {
            for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
                if (one.isUp() && !one.isLoopback()) {
                    one.inetAddresses().filter(address -> !address.isLinkLocalAddress()).forEach(address ->
                            verdicts.add(judge(one.getName() + " " + address.getHostAddress().replaceFirst("%.*", ""),
                                    attempt(address), false)));
                }
            }
        }
        Sources.text("/proc/sys/net/ipv4/ip_local_port_range").ifPresent(text -> verdicts.add(judgeRange(text)));
        return verdicts;
    }

    /** Null if a byte arrives, else the failure. */
    private static String attempt(InetAddress address) {
        try (ServerSocket server = new ServerSocket(0, 1, address); Socket client = new Socket()) {
            server.setSoTimeout(CONNECT_MS);
            client.connect(new InetSocketAddress(address, server.getLocalPort()), CONNECT_MS);
            try (Socket accepted = server.accept()) {
                accepted.setSoTimeout(CONNECT_MS);
                client.getOutputStream().write(1);
                return accepted.getInputStream().read() == 1 ? null : "a byte was lost";
            }
        } catch (IOException e) {
            return e.getMessage() == null ? e.toString() : e.getMessage();
        }
    }

    /** @param wrong null if it works */
    static Verdict judge(String where, String wrong, boolean loopback) {
        if (wrong == null) {
            return Verdict.ok("ports", where + " works");
        }
        return loopback ? Verdict.fail("ports", where + ": " + wrong,
                "bring lo up (ip link set lo up) and let the packet filter pass what is local")
                : Verdict.warn("ports", where + ": " + wrong,
                        "for jobs on several hosts: let the packet filter pass it, or choose another with --iface");
    }

    /** @param text the first and the last port */
    static Verdict judgeRange(String text) {
        String[] words = text.strip().split("\\s+");
        if (words.length < 2) {
            return Verdict.ok("port range", "not given");
        }
        int count = Integer.parseInt(words[1]) - Integer.parseInt(words[0]) + 1;
        return count >= FEW_PORTS ? Verdict.ok("port range", words[0] + " to " + words[1])
                : Verdict.warn("port range", count + " ports, " + words[0] + " to " + words[1],
                        "sysctl net.ipv4.ip_local_port_range='32768 60999'");
    }
}
