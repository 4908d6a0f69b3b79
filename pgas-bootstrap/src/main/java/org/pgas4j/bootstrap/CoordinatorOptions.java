package org.pgas4j.bootstrap;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

/**
 * Address of a coordinator, its TLS, and its deadlines.
 *
 * @param address          to listen on; the wildcard address means all interfaces
 * @param port             0 for any free one
 * @param tls              true for TLS 1.3 with a certificate made for this job
 * @param handshake        time a connection has to prove the secret, TLS included
 * @param heartbeat        time between two signs of life between coordinators
 * @param heartbeatTimeout time without one after which the other side is lost
 * @param goesOn           true if the job goes on when a JVM is lost ({@code pgas.lost=event})
 */
public record CoordinatorOptions(InetAddress address, int port, boolean tls, Duration handshake, Duration heartbeat,
                                 Duration heartbeatTimeout, boolean goesOn) {

    private static final long HANDSHAKE_MS = 15_000;

    /** @throws UsageException if the deadline is not longer than the time between two heartbeats */
    public CoordinatorOptions {
        if (heartbeatTimeout.compareTo(heartbeat) <= 0) {
            throw new UsageException("pgas.heartbeat.timeout is " + heartbeatTimeout.toMillis()
                    + " ms (expected: more than pgas.heartbeat, " + heartbeat.toMillis() + " ms)");
        }
    }

    /** An ephemeral port of the loopback interface, without TLS. */
    public static CoordinatorOptions loopback() {
        return new CoordinatorOptions(InetAddress.getLoopbackAddress(), 0, false, Duration.ofMillis(HANDSHAKE_MS),
                Duration.ofSeconds(2), Duration.ofSeconds(10), false);
    }

    /** An ephemeral port of the loopback interface, with a job's deadlines and what it does when a JVM is lost. */
    public static CoordinatorOptions of(PgasConfig config) {
        return loopback().withWait(config.duration(PgasKey.TIMEOUT)).withHeartbeat(config.duration(PgasKey.HEARTBEAT),
                config.duration(PgasKey.HEARTBEAT_TIMEOUT)).goingOn(config.text(PgasKey.LOST).equals("event"));
    }

    /** Setting {@code pgas.lost}. */
    CoordinatorOptions goingOn(boolean survives) {
        return new CoordinatorOptions(address, port, tls, handshake, heartbeat, heartbeatTimeout, survives);
    }

    /** Value of {@code pgas.tls}; {@code otherwise} if that is {@code auto}. */
    public static boolean usesTls(PgasConfig config, boolean otherwise) {
        return switch (config.text(PgasKey.TLS)) {
            case "on" -> true;
            case "off" -> false;
            default -> otherwise;
        };
    }

    /** Listens elsewhere; TLS with it, unless the address is a loopback address. */
    public CoordinatorOptions on(InetAddress elsewhere, int onPort) {
        return new CoordinatorOptions(elsewhere, onPort, !elsewhere.isLoopbackAddress(), handshake, heartbeat,
                heartbeatTimeout, goesOn);
    }

    /** All interfaces; TLS with it. */
    public CoordinatorOptions onAllInterfaces(int onPort) {
        try {
            return on(InetAddress.getByAddress(new byte[Integer.BYTES]), onPort);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    /** Turns TLS on or off, whatever the address. */
    public CoordinatorOptions withTls(boolean on) {
        return new CoordinatorOptions(address, port, on, handshake, heartbeat, heartbeatTimeout, goesOn);
    }

    /** Handshake timeout for a job; scales with the timeout of its waits. */
    public CoordinatorOptions withWait(Duration timeout) {
        return withHandshake(Duration.ofMillis(Math.max(HANDSHAKE_MS, timeout.toMillis() / 6)));
    }

    CoordinatorOptions withHandshake(Duration time) {
        return new CoordinatorOptions(address, port, tls, time, heartbeat, heartbeatTimeout, goesOn);
    }

    /** Settings {@code pgas.heartbeat} and {@code pgas.heartbeat.timeout}. */
    public CoordinatorOptions withHeartbeat(Duration every, Duration lostAfter) {
        return new CoordinatorOptions(address, port, tls, handshake, every, lostAfter, goesOn);
    }
}
