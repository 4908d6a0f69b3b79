package org.pgas4j.testkit.harness;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** TCP ports of the loopback interface for servers that are told theirs and start later. */
public final class FreePort {

    /** Below those that Linux gives to sockets which do not ask for one (32768, net.ipv4.ip_local_port_range). */
    private static final int FIRST = 10_000;
    private static final int LAST = 32_000;
    private static final int TRIES = 100;

    private FreePort() {
    }

    /**
     * A port that nobody has and that is not given to somebody who asks for any.
     *
     * @throws IOException if none of a hundred is free
     */
    public static int take() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (BindException _) {
                // somebody has it: another
            }
        }
        throw new IOException("none of " + TRIES + " ports from " + FIRST + " to " + LAST + " is free");
    }
}
