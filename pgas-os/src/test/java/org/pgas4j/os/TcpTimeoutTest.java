package org.pgas4j.os;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TcpTimeoutTest {

    private static final Path IPV6 = Path.of("/proc/net/if_inet6");

    private static InetSocketAddress local(SocketChannel channel) throws Exception {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    private static InetSocketAddress remote(SocketChannel channel) throws Exception {
        return (InetSocketAddress) channel.getRemoteAddress();
    }

    @Test
    void shouldFindBothEndsOfAConnection() throws Exception {
        for (String host : new String[] {"127.0.0.1", "::1"}) {
            if (host.equals("::1") && !(Files.exists(IPV6) && Files.readString(IPV6).contains(" lo"))) {
                continue; // this kernel has no IPv6
            }
            InetSocketAddress near;
            InetSocketAddress far;
            try (ServerSocketChannel server = ServerSocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
                try (SocketChannel one = SocketChannel.open(server.getLocalAddress()); SocketChannel other = server.accept()) {
                    near = local(one);
                    far = remote(one);
                    assertTrue(TcpTimeout.set(near, far, 10_000), host);
                    assertTrue(TcpTimeout.set(local(other), remote(other), 10_000), host);
                    assertFalse(TcpTimeout.set(near, near, 10_000), host);
                }
            }
            assertFalse(TcpTimeout.set(near, far, 10_000), host);
        }
    }
}
