package org.pgas4j.bootstrap;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.pgas4j.UsageException;

/** Addresses of this host. */
public final class Interfaces {

    private Interfaces() {
    }

    /**
     * The address that {@code pgas.iface} means: an address of this host, or the first of an interface, IPv4 before IPv6.
     *
     * @throws UsageException if there is none; lists the interfaces of this host
     */
    public static InetAddress find(String iface) {
        try {
            NetworkInterface named = NetworkInterface.getByName(iface);
            if (named != null) {
                return usable(named).stream().findFirst().orElseThrow(() ->
                        new UsageException("pgas.iface=" + iface + " has no address"));
            }
            InetAddress address = InetAddress.getByName(iface);
            if (NetworkInterface.getByInetAddress(address) != null) {
                return address;
            }
            throw new UsageException("pgas.iface=" + iface + " is no address of this host" + available());
        } catch (UnknownHostException | SocketException e) {
            throw new UsageException("pgas.iface=" + iface + " is no interface of this host" + available(), e);
        }
    }

    /** Addresses at which other hosts may reach this one: IPv4 before IPv6. */
    public static List<String> addresses() {
        List<InetAddress> found = new ArrayList<>();
        try {
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (each.isUp() && !each.isLoopback()) {
                    found.addAll(usable(each));
                }
            }
        } catch (SocketException e) {
            throw new UsageException("the interfaces of this host cannot be listed: " + e.getMessage()
                    + "; set pgas.iface", e);
        }
        return found.stream().sorted((a, b) -> Boolean.compare(a instanceof Inet4Address, b instanceof Inet4Address) * -1)
                .map(Interfaces::text).toList();
    }

    /** An address without its interface's name, which means nothing elsewhere. */
    public static String text(InetAddress address) {
        return address.getHostAddress().replaceFirst("%.*", "");
    }

    private static List<InetAddress> usable(NetworkInterface of) {
        return Collections.list(of.getInetAddresses()).stream()
                .filter(address -> !address.isLinkLocalAddress())
                .sorted((a, b) -> Boolean.compare(a instanceof Inet4Address, b instanceof Inet4Address) * -1).toList();
    }

    private static String available() {
        try {
            return "; there are " + Collections.list(NetworkInterface.getNetworkInterfaces()).stream()
                    .map(NetworkInterface::getName).collect(Collectors.joining(", "));
        } catch (SocketException _) {
            return "";
        }
    }
}
