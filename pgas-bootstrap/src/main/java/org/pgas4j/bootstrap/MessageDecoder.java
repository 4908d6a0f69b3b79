package org.pgas4j.bootstrap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.MessageToMessageDecoder;
import java.nio.ByteOrder;
import java.util.List;

/** Decodes frames to messages. Memory grows with the bytes that arrive, not with the length that a frame announces. */
final class MessageDecoder extends MessageToMessageDecoder<ByteBuf> {

    private final int maxMessage;
    private ByteBuf parts;
    private int typeOfParts;

    MessageDecoder(int maxMessage) {
        super(ByteBuf.class);
        this.maxMessage = maxMessage;
    }

    /** Cuts the stream into frames of at most {@code max} bytes after the length. */
    static LengthFieldBasedFrameDecoder frames(int max) {
        return new LengthFieldBasedFrameDecoder(ByteOrder.LITTLE_ENDIAN, max + Integer.BYTES, 0, Integer.BYTES, 0,
                Integer.BYTES, true);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf frame, List<Object> out) {
        if (frame.readableBytes() < 2) {
            throw new ProtocolException("frame of " + frame.readableBytes() + " bytes (expected: >= 2)");
        }
        int type = frame.readUnsignedByte();
        int flags = frame.readUnsignedByte();
        if ((flags & ~Message.FLAG_MORE) != 0) {
            throw new ProtocolException("flags " + flags + " (expected: 0 or 1)");
        }
        boolean more = flags != 0;
        if (parts == null && !more) {
            out.add(Message.decode(type, frame));
            return;
        }
        if (parts == null) {
            parts = Unpooled.buffer(frame.readableBytes());
            typeOfParts = type;
        } else if (type != typeOfParts) {
            throw new ProtocolException("frame of type " + type + " inside a message of type " + typeOfParts);
        }
        if (frame.readableBytes() > maxMessage - parts.readableBytes()) {
            throw new ProtocolException("message of more than " + maxMessage + " bytes");
        }
        parts.writeBytes(frame);
        if (!more) {
            ByteBuf whole = parts;
            parts = null;
            out.add(Message.decode(type, whole));
        }
    }
}
