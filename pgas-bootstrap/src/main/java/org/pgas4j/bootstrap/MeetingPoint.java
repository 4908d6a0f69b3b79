package org.pgas4j.bootstrap;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Address of a coordinator, from the side that connects.
 *
 * @param host name or address
 * @param port TCP port, 1..65535
 * @param tls  true if it uses TLS; must be the same on both sides
 * @param name its owner, for messages: {@code the launcher}, {@code process 0 (rank 0)}
 */
public record MeetingPoint(String host, int port, boolean tls, String name) {

    /** @throws IllegalArgumentException if the port is out of range */
    public MeetingPoint {
        if (port < 1 || port > 0xffff) {
            throw new IllegalArgumentException("port " + port + " of " + host + " (expected: 1..65535)");
        }
    }

    /** A launcher on this host, without TLS. */
    public static MeetingPoint loopback(int port) {
        return new MeetingPoint(InetAddress.getLoopbackAddress().getHostAddress(), port, false, "the launcher");
    }

    /** Resolves the host by the name service. */
    InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
