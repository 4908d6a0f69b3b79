package org.pgas4j.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.Interfaces;

/**
 * Addresses at which the hosts of a job reach its launcher.
 *
 * @param listen address to listen on; null for all interfaces
 * @param reach  addresses the hosts shall try, in order
 */
record LaunchAddress(InetAddress listen, List<String> reach) {

    private static final int ANY_PORT = 9;

    /**
     * The address of {@code pgas.iface}; or else the one on the route to the first host whose name can be resolved; or
     * else those of all interfaces.
     *
     * @throws UsageException if there is no such interface, or none at all
     */
    static LaunchAddress of(PgasConfig config, List<NodeShare> shares) {
        if (!config.isAuto(PgasKey.IFACE)) {
            return at(Interfaces.find(config.text(PgasKey.IFACE)));
        }
        for (NodeShare share : shares) {
            try (DatagramSocket socket = new DatagramSocket()) {
                InetAddress host = InetAddress.getByName(share.host());
                socket.connect(new InetSocketAddress(host, ANY_PORT)); // sends nothing, finds the route
                if (!socket.getLocalAddress().isAnyLocalAddress() && !host.isLoopbackAddress()) {
                    return at(socket.getLocalAddress());
                }
            } catch (IOException | UncheckedIOException e) {
                System.getLogger("pgas.boot").log(Level.DEBUG, () -> "no route to " + share.host(), e);
            }
        }
        List<String> all = Interfaces.addresses();
        if (all.isEmpty()) {
            throw new UsageException("no network interface of this host is up that others could reach");
        }
        return new LaunchAddress(null, all);
    }

    private static LaunchAddress at(InetAddress address) {
        return new LaunchAddress(address, List.of(Interfaces.text(address)));
    }

    /**
     * The same addresses, first those that share the longest beginning with this host's address on the route to them.
     */
    static List<String> nearestFirst(List<String> addresses) {
        List<String> sorted = new ArrayList<>(addresses);
        sorted.sort(Comparator.comparing(address -> -sharedBits(address)));
        return sorted;
    }

    private static int sharedBits(String address) {
        try (DatagramSocket socket = new DatagramSocket()) {
            InetAddress there = InetAddress.getByName(address);
            socket.connect(new InetSocketAddress(there, ANY_PORT)); // sends nothing, finds the route
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
}
