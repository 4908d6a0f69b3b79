package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether the host's own name leads to the host. */
final class HostNameCheck implements Check {

    @Override
    public String name() {
        return "host name";
    }

    @Override
    public List<Verdict> run() throws IOException {
        Set<InetAddress> own = NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                .map(HostNameCheck::plain).collect(Collectors.toSet());
        String name = Sources.text("/proc/sys/kernel/hostname").orElse("");
        try {
            return List.of(judge(name, List.of(InetAddress.getAllByName(name)), own));
        } catch (UnknownHostException _) {
            return List.of(judge(name, List.of(), own));
        }
    }

    /** Without the interface, which comparison takes for a part of it. */
    private static InetAddress plain(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException(address + " is of no length", e);
        }
    }

    /**
     * @param found answer of the name service
     * @param own   addresses of this host
     */
    static Verdict judge(String name, List<InetAddress> found, Set<InetAddress> own) {
        if (name.isEmpty() || found.isEmpty()) {
            return Verdict.warn("host name", "'" + name + "' has no address", "add a line '<address> "
                    + (name.isEmpty() ? "<name>" : name) + "' to /etc/hosts, or give --iface in jobs on several hosts");
        }
        String value = name + " is " + found.stream().map(InetAddress::getHostAddress).collect(Collectors.joining(", "));
        List<String> foreign = found.stream().map(HostNameCheck::plain)
                .filter(address -> !own.contains(address) && !address.isLoopbackAddress())
                .map(InetAddress::getHostAddress).toList();
        if (!foreign.isEmpty()) {
            return Verdict.warn("host name", value + ", which this host does not have: " + String.join(", ", foreign),
                    "correct /etc/hosts or the name service, or give --iface in jobs on several hosts");
        }
        return found.stream().allMatch(InetAddress::isLoopbackAddress) && hasOutside(own)
                ? Verdict.warn("host name", value + ", where other hosts do not reach it",
                        "for jobs on several hosts: give --iface, or name an outside address in /etc/hosts")
                : Verdict.ok("host name", value);
    }

    private static boolean hasOutside(Set<InetAddress> own) {
        return own.stream().anyMatch(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress());
    }
}
