package org.pgas4j.bootstrap;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.os.TcpTimeout;

/**
 * Keep-alive probes of the kernel, by which the loss of the host at the other end of a connection is noticed. A kernel
 * answers for JVMs that collect garbage or are stopped, so these do not count as lost; a host without power or network
 * does not answer.
 *
 * @param everyS      seconds without a packet before the first probe, and between two probes
 * @param lostAfterMs time after which the connection is lost, if nothing was answered or nothing sent was acknowledged
 */
public record KeepAlive(int everyS, int lostAfterMs) {

    private static final System.Logger LOG = System.getLogger("pgas.bootstrap");

    /** Values of {@code pgas.heartbeat} and {@code pgas.heartbeat.timeout}, in whole seconds. */
    public static KeepAlive of(PgasConfig config) {
        return of(config.duration(PgasKey.HEARTBEAT), config.duration(PgasKey.HEARTBEAT_TIMEOUT));
    }

    static KeepAlive of(CoordinatorOptions options) {
        return of(options.heartbeat(), options.heartbeatTimeout());
    }

    private static KeepAlive of(Duration every, Duration lostAfter) {
        int seconds = Math.clamp(every.toMillis() / 1000, 1, Short.MAX_VALUE);
        return new KeepAlive(seconds, (int) Math.clamp(lostAfter.toMillis(), 2_000L * seconds, Integer.MAX_VALUE));
    }

    /** Options of a new connection. */
    Map<ChannelOption<?>, Object> options() {
        int probes = Math.clamp(lostAfterMs / (1_000L * everyS) - 1, 1, Byte.MAX_VALUE);
        return Map.of(ChannelOption.SO_KEEPALIVE, true,
                NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), everyS,
                NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), everyS,
                NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), probes);
    }

    /**
     * Limits an established connection. The kernel sends no probes while sent bytes wait for their acknowledgement, and
     * without this limit it would send them again for a quarter of an hour.
     */
    void limit(Channel channel) {
        if (channel.localAddress() instanceof InetSocketAddress local
                && channel.remoteAddress() instanceof InetSocketAddress remote && !remote.getAddress().isLoopbackAddress()
                && !TcpTimeout.set(local, remote, lostAfterMs)) {
            LOG.log(Level.DEBUG, "no TCP_USER_TIMEOUT for " + local + " to " + remote
                    + ": the loss of its host during a transmission is noticed late");
        }
    }
}
