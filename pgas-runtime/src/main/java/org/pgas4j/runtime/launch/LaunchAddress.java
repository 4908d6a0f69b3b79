package org.pgas4j.runtime.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.pgas4j.UsageException;

/**
 * Where the hosts of a job reach its launcher.
 *
 * @param listen address to listen on; null for all interfaces
 * @param reach  addresses the hosts shall try, in order
 */
record LaunchAddress(InetAddress listen, List<String> reach) {

    private static final int ANY_PORT = 9;

    /**
     * @param given interface or address of this machine that the user chose; or null: the way to the first host whose
     *              name the name service knows, or else all interfaces
     * @throws UsageException if there is no such interface, or none at all
     */
    static LaunchAddress of(String given, List<NodeShare> shares) throws IOException {
        if (given != null) {
            return at(byName(given));
        }
        for (NodeShare share : shares) {
            try (DatagramSocket socket = new DatagramSocket()) {
                InetAddress host = InetAddress.getByName(share.host());
                socket.connect(new InetSocketAddress(host, ANY_PORT)); // sends nothing, asks for the route
                if (!socket.getLocalAddress().isAnyLocalAddress() && !host.isLoopbackAddress()) {
                    return at(socket.getLocalAddress());
                }
            } catch (IOException | UncheckedIOException e) {
                System.getLogger("pgas.boot").log(Level.DEBUG, () -> "no route to " + share.host(), e);
            }
        }
        List<String> all = addresses().stream().map(LaunchAddress::text).toList();
        if (all.isEmpty()) {
            throw new UsageException("no network interface is up that other hosts could reach; choose one with --iface");
        }
        return new LaunchAddress(null, all);
    }

    private static LaunchAddress at(InetAddress address) {
        return new LaunchAddress(address, List.of(text(address)));
    }

    /** The same addresses, first those that share the longest beginning with this host's address on the way there. */
    static List<String> nearestFirst(List<String> addresses) {
        List<String> sorted = new ArrayList<>(addresses);
        sorted.sort(Comparator.comparing(address -> -sharedBits(address)));
        return sorted;
    }

    private static int sharedBits(String address) {
        try (DatagramSocket socket = new DatagramSocket()) {
            InetAddress there = InetAddress.getByName(address);
            socket.connect(new InetSocketAddress(there, ANY_PORT)); // sends nothing, asks for the route
            byte[] a = there.getAddress();
            byte[] b = socket.getLocalAddress().getAddress();
            int differs = Arrays.mismatch(a, b);
            return a.length != b.length ? 0 : differs < 0 ? a.length * Byte.SIZE : differs * Byte.SIZE
                    + Integer.numberOfLeadingZeros(Byte.toUnsignedInt((byte) (a[differs] ^ b[differs])))
                    - (Integer.SIZE - Byte.SIZE);
        } catch (IOException | UncheckedIOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, () -> "no route to " + address, e);
            return -1;
        }
    }

    /** Without the interface's name, which means nothing elsewhere. */
    private static String text(InetAddress address) {
        return address.getHostAddress().replaceFirst("%.*", "");
    }

    private static InetAddress byName(String given) throws IOException {
        NetworkInterface named = NetworkInterface.getByName(given);
        if (named != null) {
            return named.inetAddresses().filter(address -> !address.isLinkLocalAddress())
                    .min(Comparator.comparing(address -> address instanceof Inet4Address ? 0 : 1))
                    .orElseThrow(() -> new UsageException("--iface " + given + ": it has no address"));
        }
        for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress address : one.inetAddresses().toList()) {
                if (text(address).equals(given)) {
                    return address;
                }
            }
        }
        throw new UsageException("--iface " + given + ": no such interface or address; there are "
                + NetworkInterface.networkInterfaces().map(NetworkInterface::getName).sorted().toList());
    }

    /** IPv4 first; without loopback and what is valid on one link only. */
    private static List<InetAddress> addresses() throws IOException {
        List<InetAddress> all = new ArrayList<>();
        for (NetworkInterface one : NetworkInterface.networkInterfaces().toList()) {
            if (one.isUp() && !one.isLoopback()) {
                one.inetAddresses().filter(address -> !address.isLinkLocalAddress()).forEach(all::add);
            }
        }
        all.sort(Comparator.comparing(address -> address instanceof Inet4Address ? 0 : 1));
        return all;
    }
}
