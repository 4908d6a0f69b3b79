package org.pgas4j.bootstrap;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A connection that sends what it likes. */
final class RawClient implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    void send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** False if the other side has ended the connection. */
    boolean trySend(byte[] bytes) {
        try {
            send(bytes);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    void sendFrame(byte[]... parts) throws IOException {
        send(frame(parts));
    }

    static byte[] frame(byte[]... parts) {
        int length = Arrays.stream(parts).mapToInt(part -> part.length).sum();
        ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + length).order(ByteOrder.LITTLE_ENDIAN).putInt(length);
        Arrays.stream(parts).forEach(frame::put);
        return frame.array();
    }

    /** Type byte and body; an IOException if the connection ends first. */
    byte[] readFrame() throws IOException {
        return in.readNBytes(Integer.reverseBytes(in.readInt()));
    }

    /** Sends the greeting and returns the coordinator's nonce. */
    byte[] greet() throws IOException {
        sendFrame(Identity.hello(Identity.VERSION));
        byte[] challenge = readFrame();
        return Arrays.copyOfRange(challenge, 1, challenge.length);
    }

    /** The last frame of a handshake as a JVM that knows {@code secret} would send it. */
    static byte[] proofFrame(JobSecret secret, byte[] nonce, Identity identity) {
        byte[] bytes = identity.encode();
        return frame(bytes, secret.proof(Identity.JVM_ROLE, new byte[Tls.BINDING_BYTES],
                Identity.hello(Identity.VERSION), nonce, bytes));
    }

    /** Null if the connection ended without one. */
    Refusal readRefusal() {
        try {
            byte[] frame = readFrame();
            return frame[0] == Identity.REFUSED ? Refusal.of(frame[1]) : null;
        } catch (IOException _) {
            return null;
        }
    }

    /** True if the other side closes the connection. */
    boolean isClosedByPeer() {
        try {
            return in.read() < 0;
        } catch (java.net.SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            return true; // reset
        }
    }

    /** Ends the connection with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
