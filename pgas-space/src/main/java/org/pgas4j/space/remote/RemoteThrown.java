package org.pgas4j.space.remote;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Copy of an exception of another rank: its text, stack trace and causes, as far as there was room for them.
 *
 * <pre>
 *   of each exception, then of its cause:
 *   0 bytes of the text: i32 | 4 of them here: i32 | the text, UTF-8 | frames: u8 | of each frame:
 *   0 line: i32 | 4 bytes: u16 | class, method and file in lines, UTF-8
 * </pre>
 */
final class RemoteThrown extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Bytes of a text at most. */
    static final int MAX_TEXT = 4096;
    private static final int MAX_FRAMES = 32;
    private static final int MAX_THROWABLES = 8;
    private static final int HEAD = 2 * Integer.BYTES + 1;
    private static final int FRAME_HEAD = Integer.BYTES + Short.BYTES;
    private static final int MAX_FRAME = 0xffff;

    private RemoteThrown(String text, StackTraceElement[] frames) {
        super(text);
        setStackTrace(frames);
    }

    /** Has the frames of the other rank alone. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }

    @Override
    public String toString() {
        return getMessage();
    }

    // ---- on the rank that throws

    /** Text from which {@link #read} makes a copy, in {@code limit} bytes at most. */
    static byte[] write(Throwable thrown, int limit) {
        ByteBuffer to = ByteBuffer.allocate(limit).order(ByteOrder.LITTLE_ENDIAN);
        Throwable each = thrown;
        for (int i = 0; each != null && i < MAX_THROWABLES && to.remaining() >= HEAD; i++) {
            writeOne(each, to);
            each = each.getCause();
        }
        byte[] written = new byte[to.position()];
        to.get(0, written);
        return written;
    }

    private static void writeOne(Throwable thrown, ByteBuffer to) {
        byte[] text = text(thrown).getBytes(StandardCharsets.UTF_8);
        int bytes = cut(text, Math.min(MAX_TEXT, to.remaining() - HEAD));
        to.putInt(text.length).putInt(bytes).put(text, 0, bytes);
        int count = to.position();
        to.put((byte) 0);
        int frames = 0;
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (frames == MAX_FRAMES || frame.getClassName().equals(RankRemoteCalls.class.getName()) || !writeFrame(frame, to)) {
                break;
            }
            to.put(count, (byte) ++frames);
        }
    }

    private static String text(Throwable thrown) {
        try {
            return thrown.toString();
        } catch (Throwable e) { // of the user's code
            return thrown.getClass().getName() + ": its message cannot be had: " + e.getClass().getName();
        }
    }

    /** Bytes up to {@code limit} that end no character in between. */
    private static int cut(byte[] text, int limit) {
        int bytes = Math.min(text.length, limit);
        while (bytes > 0 && bytes < text.length && (text[bytes] & 0xc0) == 0x80) {
            bytes--;
        }
        return bytes;
    }

    private static boolean writeFrame(StackTraceElement frame, ByteBuffer to) {
        byte[] names = (frame.getClassName() + '\n' + frame.getMethodName() + '\n' + frame.getFileName())
                .getBytes(StandardCharsets.UTF_8);
        if (names.length > MAX_FRAME || to.remaining() < FRAME_HEAD + names.length) {
            return false;
        }
        to.putInt(frame.getLineNumber()).putShort((short) names.length).put(names);
        return true;
    }

    // ---- on the rank that has called

    /** The copy; its frames have the rank in front of their classes. */
    static RemoteThrown read(byte[] written, int rank) {
        ByteBuffer from = ByteBuffer.wrap(written).order(ByteOrder.LITTLE_ENDIAN);
        RemoteThrown first = readOne(from, rank);
        RemoteThrown last = first;
        while (from.remaining() >= HEAD) {
            RemoteThrown cause = readOne(from, rank);
            last.initCause(cause);
            last = cause;
        }
        return first;
    }

    private static RemoteThrown readOne(ByteBuffer from, int rank) {
        if (from.remaining() < HEAD) {
            return new RemoteThrown("an exception, for whose text there was no room", new StackTraceElement[0]);
        }
        int all = from.getInt();
        String text = string(from, from.getInt(), all);
        List<StackTraceElement> frames = new ArrayList<>();
        for (int left = Byte.toUnsignedInt(from.get()); left > 0; left--) {
            int line = from.getInt();
            int bytes = Short.toUnsignedInt(from.getShort());
            String[] names = string(from, bytes, bytes).split("\n", 3);
            frames.add(new StackTraceElement("rank " + rank, null, null, names[0], names[1], names[2], line));
        }
        return new RemoteThrown(text, frames.toArray(StackTraceElement[]::new));
    }

    /** @param all bytes that there were */
    private static String string(ByteBuffer from, int bytes, int all) {
        byte[] text = new byte[bytes];
        from.get(text);
        String string = new String(text, StandardCharsets.UTF_8);
        return bytes == all ? string : string + "... (cut: " + bytes + " of " + all + " bytes)";
    }
}
