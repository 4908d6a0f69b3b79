package org.pgas4j.launch;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Frame that a node's agent sends the launcher through its standard output: {@code type:u8 | number:i32 | length:i32 |
 * bytes}, big-endian.
 *
 * @param type   one of the constants
 * @param number of the JVM, or an exit status
 * @param bytes  output, or a text
 */
record AgentFrame(int type, int number, byte[] bytes) {

    /** Whole lines of a JVM's standard output. */
    static final int OUT = 1;
    /** Whole lines of a JVM's standard error. */
    static final int ERR = 2;
    /** The JVMs are started; the job's directory, or nothing. */
    static final int STARTED = 3;
    /** The node could not be started: exit status and text. Nothing follows. */
    static final int FAILED = 4;
    /** All JVMs of the node have ended and all their output has been sent before. */
    static final int ENDED = 5;

    /** A part of the counters that a JVM has left; the number counts the files. */
    static final int STATS = 6;

    /** A piece of the timeline that a JVM has left; the number counts the files. */
    static final int TRACE = 7;

    private static final int HEADER = 1 + 2 * Integer.BYTES;
    private static final int MAX = 1 << 20;

    /** Writes it at once. */
    static void write(OutputStream to, int type, int number, byte[] bytes, int offset, int length) throws IOException {
        byte[] frame = ByteBuffer.allocate(HEADER + length).put((byte) type).putInt(number).putInt(length)
                .put(bytes, offset, length).array();
        synchronized (to) {
            to.write(frame);
            to.flush();
        }
    }

    /** Writes bytes of any length, in as many frames as they need. */
    static void writeAll(OutputStream to, int type, int number, byte[] bytes) throws IOException {
        for (int done = 0; done < bytes.length; done += MAX) {
            write(to, type, number, bytes, done, Math.min(MAX, bytes.length - done));
        }
    }

    /** Writes the bytes of a file, in as many frames as they need. */
    static void writeFile(OutputStream to, int type, int number, Path file) throws IOException {
        byte[] piece = new byte[MAX];
        try (InputStream in = Files.newInputStream(file)) {
            for (int length = in.readNBytes(piece, 0, MAX); length > 0; length = in.readNBytes(piece, 0, MAX)) {
                write(to, type, number, piece, 0, length);
            }
        }
    }

    static void write(OutputStream to, int type, int number, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(to, type, number, bytes, 0, Math.min(bytes.length, MAX));
    }

    /**
     * Reads the next one; null at the end of the stream, also in the middle of a frame: the agent is gone.
     *
     * @throws IOException if it is none
     */
    static AgentFrame read(DataInputStream from) throws IOException {
        try {
            int type = from.readUnsignedByte();
            int number = from.readInt();
            int length = from.readInt();
            if (type < OUT || type > TRACE || length < 0 || length > MAX) {
                throw new IOException("frame of type " + type + " and " + length + " bytes");
            }
            byte[] bytes = new byte[length];
            from.readFully(bytes);
            return new AgentFrame(type, number, bytes);
        } catch (EOFException _) {
            return null;
        }
    }

    String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
