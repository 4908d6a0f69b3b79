package org.pgas4j.bootstrap;

import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Random;

/** Connections of a port scan to a coordinator: they send nothing, too little or something else. One thread. */
final class Storm implements AutoCloseable {

    private static final int MAX_OPEN = 2 * HalfOpenConnections.MAX;
    private static final byte[] HTTP = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** The start of a TLS 1.2 record with a greeting of 512 bytes of which the first 64 come. */
    private static final byte[] TLS_HELLO = new byte[69];

    static {
        byte[] start = {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3};
        System.arraycopy(start, 0, TLS_HELLO, 0, start.length);
    }

    private final int port;
    private final Random random;
    private final ArrayDeque<RawClient> silent = new ArrayDeque<>();
    private long connections;

    Storm(int port, long seed) {
        this.port = port;
        this.random = new Random(seed);
    }

    /** Connections made. */
    long connections() {
        return connections;
    }

    /** @throws IOException if the coordinator does not listen any more, or this process has no file descriptors left */
    void scan(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            RawClient client = new RawClient(port);
            connections++;
            try {
                switch (random.nextInt(6)) {
                    case 0 -> client.close();
                    case 1 -> {
                        byte[] few = new byte[1 + random.nextInt(7)];
                        random.nextBytes(few);
                        sendAndClose(client, few);
                    }
                    case 2 -> sendAndClose(client, HTTP);
                    case 3 -> sendAndClose(client, TLS_HELLO);
                    case 4 -> client.reset();
                    default -> keep(client);
                }
            } catch (SocketException _) {
                client.close(); // refused before all was said
            }
        }
    }

    private static void sendAndClose(RawClient client, byte[] bytes) throws IOException {
        client.send(bytes);
        client.close();
    }

    private void keep(RawClient client) throws IOException {
        silent.add(client);
        if (silent.size() > MAX_OPEN) {
            silent.remove().close();
        }
    }

    @Override
    public void close() throws IOException {
        for (RawClient client : silent) {
            client.close();
        }
        silent.clear();
    }
}
