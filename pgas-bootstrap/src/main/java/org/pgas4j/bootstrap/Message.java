package org.pgas4j.bootstrap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Message between a JVM of a job, or a node's coordinator, and its coordinator, after the handshake. One or more
 * frames:
 *
 * <pre>0 length:i32 (of the rest) | 4 type:u8 | 5 flags:u8 (1: another frame follows) | 6 body</pre>
 *
 * Little-endian. Type numbers are literal and never reused.
 */
sealed interface Message {

    int MAX_FRAME = 1 << 20;
    int MAX_MESSAGE = 64 << 20;
    int FLAG_MORE = 1;
    int MAX_KEY = 256;
    int MAX_TEXT = 4096;
    int MAX_SHARES = 1 << 16;
    Pattern CONTROLS = Pattern.compile("\\p{Cntrl}+");
    char DELETE = 0x7f;

    /** {@code process}'s share of the exchange {@code key}. */
    record Gather(String key, int process, byte[] value) implements Message {
        static final int TYPE = 16;
    }

    /** A call on its way from one JVM to another; if {@code lasting}, its answer never changes. */
    record Call(long id, int from, int to, int service, boolean lasting, byte[] request) implements Message {
        static final int TYPE = 17;
    }

    /** End of a call. Codes are literal and never reused. */
    enum Outcome {
        ANSWERED(0),
        FAILED(1),
        /** The JVM that should answer is lost or has ended. */
        LOST(2);

        private final int code;

        Outcome(int code) {
            this.code = code;
        }

        /** On the wire. */
        int code() {
            return code;
        }
    }

    /** End of a call, to the JVM that made it; unless it was answered, {@code answer} is the failure's text. */
    record Reply(long id, int from, int to, Outcome outcome, byte[] answer) implements Message {
        static final int TYPE = 18;
    }

    /** To the coordinator: a failure; from it: the first one. */
    record Failed(Abort cause) implements Message {
        static final int TYPE = 19;
    }

    /** The sender leaves the job in order. */
    record Leave() implements Message {
        static final int TYPE = 20;
    }

    /** To the others: {@code process} has left the job in order. */
    record Left(int process) implements Message {
        static final int TYPE = 21;
    }

    /** Shares of the exchange {@code key}, of several JVMs of one node: between coordinators, and from there to JVMs. */
    record Shares(String key, List<Share> shares) implements Message {
        static final int TYPE = 22;
    }

    /** Share of one JVM in an exchange. */
    record Share(int process, byte[] value) {
    }

    /** A sign of life between coordinators. */
    record Heartbeat() implements Message {
        static final int TYPE = 23;
    }

    /** From the coordinator: JVMs {@code first..end-1} are lost, and the job goes on without them. */
    record Lost(int first, int end, Abort cause) implements Message {
        static final int TYPE = 24;
    }

    /** Encodes a message as frames, ready to be written at once. */
    static ByteBuf encode(Message message) {
        return encode(message, MAX_FRAME);
    }

    static ByteBuf encode(Message message, int maxFrame) {
        ByteBuf body = Unpooled.buffer();
        int type = switch (message) {
            case Gather gather -> {
                body.writeIntLE(gather.process);
                writeText(body, gather.key, MAX_KEY);
                body.writeBytes(gather.value);
                yield Gather.TYPE;
            }
            case Call call -> {
                body.writeLongLE(call.id).writeIntLE(call.from).writeIntLE(call.to).writeIntLE(call.service);
                body.writeBoolean(call.lasting);
                body.writeBytes(call.request);
                yield Call.TYPE;
            }
            case Reply reply -> {
                body.writeLongLE(reply.id).writeIntLE(reply.from).writeIntLE(reply.to).writeByte(reply.outcome.code());
                body.writeBytes(reply.answer);
                yield Reply.TYPE;
            }
            case Failed failed -> {
                writeAbort(body, failed.cause);
                yield Failed.TYPE;
            }
            case Leave _ -> Leave.TYPE;
            case Left left -> {
                body.writeIntLE(left.process);
                yield Left.TYPE;
            }
            case Shares all -> {
                writeText(body, all.key, MAX_KEY);
                for (Share share : all.shares) {
                    body.writeIntLE(share.process).writeIntLE(share.value.length).writeBytes(share.value);
                }
                yield Shares.TYPE;
            }
            case Heartbeat _ -> Heartbeat.TYPE;
            case Lost lost -> {
                body.writeIntLE(lost.first).writeIntLE(lost.end);
                writeAbort(body, lost.cause);
                yield Lost.TYPE;
            }
        };
        if (body.readableBytes() > MAX_MESSAGE) {
            throw new IllegalArgumentException("bootstrap message of " + body.readableBytes() + " bytes (expected: <= "
                    + MAX_MESSAGE + "); exchange addresses by it, not data");
        }
        ByteBuf frames = Unpooled.buffer(body.readableBytes() + 64);
        do {
            int part = Math.min(body.readableBytes(), maxFrame - 2);
            boolean more = part < body.readableBytes();
            frames.writeIntLE(part + 2).writeByte(type).writeByte(more ? FLAG_MORE : 0);
            frames.writeBytes(body, part);
        } while (body.isReadable());
        return frames;
    }

    /** @throws ProtocolException if the body is not one of a message of {@code type} */
    static Message decode(int type, ByteBuf body) {
        Message message = switch (type) {
            case Gather.TYPE -> {
                int process = int32(body);
                yield new Gather(text(body, MAX_KEY), process, rest(body));
            }
            case Call.TYPE -> new Call(int64(body), int32(body), int32(body), int32(body), flag(body),
                    rest(body));
            case Reply.TYPE -> new Reply(int64(body), int32(body), int32(body), outcome(body), rest(body));
            case Failed.TYPE -> new Failed(abort(body));
            case Leave.TYPE -> new Leave();
            case Left.TYPE -> new Left(int32(body));
            case Shares.TYPE -> {
                String key = text(body, MAX_KEY);
                List<Share> shares = new ArrayList<>();
                while (body.isReadable()) {
                    if (shares.size() == MAX_SHARES) {
                        throw new ProtocolException("more than " + MAX_SHARES + " shares in a message");
                    }
                    shares.add(new Share(int32(body), bytes(body, int32(body))));
                }
                yield new Shares(key, shares);
            }
            case Heartbeat.TYPE -> new Heartbeat();
            case Lost.TYPE -> new Lost(int32(body), int32(body), abort(body));
            default -> throw new ProtocolException("message type " + type + " is unknown");
        };
        if (body.isReadable()) {
            throw new ProtocolException(body.readableBytes() + " bytes after a message of type " + type);
        }
        return message;
    }

    private static void writeAbort(ByteBuf body, Abort cause) {
        body.writeLongLE(cause.id()).writeIntLE(cause.rank()).writeIntLE(cause.exitCode());
        body.writeBoolean(cause.peerLost());
        writePhases(body, cause.phases());
        writeText(body, cut(cause.where()), MAX_TEXT);
        writeText(body, cut(cause.message()), MAX_TEXT);
    }

    private static Abort abort(ByteBuf body) {
        long id = int64(body);
        int rank = int32(body);
        int exitCode = int32(body);
        boolean lost = flag(body);
        if (exitCode < 0 || exitCode > 255) {
            throw new ProtocolException("exit code " + exitCode + " (expected: 0..255)");
        }
        Phases phases = phases(body);
        return new Abort(id, rank, text(body, MAX_TEXT), phases, text(body, MAX_TEXT), exitCode, lost);
    }

    private static void writeText(ByteBuf body, String text, int max) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > max) {
            throw new IllegalArgumentException("text of " + bytes.length + " bytes (expected: <= " + max + "): "
                    + text.substring(0, 40));
        }
        body.writeShortLE(bytes.length).writeBytes(bytes);
    }

    /** One line, short enough in any encoding. */
    private static String cut(String text) {
        String line = oneLine(text);
        return line.length() <= MAX_TEXT / 4 ? line : line.substring(0, MAX_TEXT / 4 - 3) + "...";
    }

    /**
     * Text of another process, made safe to print: one line, without control characters, which could steer a terminal.
     */
    static String oneLine(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ' || text.charAt(i) == DELETE) {
                return CONTROLS.matcher(text).replaceAll(" ");
            }
        }
        return text;
    }

    private static String text(ByteBuf body, int max) {
        require(body, Short.BYTES);
        int length = body.readUnsignedShortLE();
        if (length > max) {
            throw new ProtocolException("text of " + length + " bytes (expected: <= " + max + ")");
        }
        require(body, length);
        String text = oneLine(body.readCharSequence(length, StandardCharsets.UTF_8).toString());
        if (ByteBufUtil.utf8Bytes(text) > max) { // bytes that are no UTF-8 grow when they are written again
            throw new ProtocolException("text of " + length + " bytes is no UTF-8");
        }
        return text;
    }

    private static int int32(ByteBuf body) {
        require(body, Integer.BYTES);
        return body.readIntLE();
    }

    private static long int64(ByteBuf body) {
        require(body, Long.BYTES);
        return body.readLongLE();
    }

    private static Outcome outcome(ByteBuf body) {
        require(body, 1);
        int value = body.readByte();
        return Arrays.stream(Outcome.values()).filter(outcome -> outcome.code() == value).findFirst().orElseThrow(() ->
                new ProtocolException("outcome " + value + " is unknown"));
    }

    private static void writePhases(ByteBuf body, Phases phases) {
        body.writeByte(phases.each().size());
        phases.each().forEach(one -> body.writeByte(one.phase().code()).writeIntLE(one.rank()));
    }

    private static Phases phases(ByteBuf body) {
        require(body, 1);
        int count = body.readUnsignedByte();
        if (count < 1 || count > Phases.MAX) {
            throw new ProtocolException(count + " phases (expected: 1.." + Phases.MAX + ")");
        }
        List<Phases.OfRank> phases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            require(body, 1);
            int code = body.readUnsignedByte();
            Phase phase = Phase.of(code).orElseThrow(() -> new ProtocolException("phase " + code + " is unknown"));
            phases.add(new Phases.OfRank(phase, int32(body)));
        }
        return new Phases(phases);
    }

    private static boolean flag(ByteBuf body) {
        require(body, 1);
        int value = body.readByte();
        if (value != 0 && value != 1) {
            throw new ProtocolException("flag " + value + " (expected: 0 or 1)");
        }
        return value == 1;
    }

    private static byte[] bytes(ByteBuf body, int length) {
        if (length < 0) {
            throw new ProtocolException("share of " + length + " bytes");
        }
        require(body, length);
        byte[] bytes = new byte[length];
        body.readBytes(bytes);
        return bytes;
    }

    private static byte[] rest(ByteBuf body) {
        byte[] bytes = new byte[body.readableBytes()]; // bounded by what has arrived
        body.readBytes(bytes);
        return bytes;
    }

    private static void require(ByteBuf body, int bytes) {
        if (body.readableBytes() < bytes) {
            throw new ProtocolException("message ends " + (bytes - body.readableBytes()) + " bytes early");
        }
    }
}
