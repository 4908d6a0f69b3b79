package org.pgas4j.bootstrap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import org.pgas4j.BootstrapException;
import org.pgas4j.PgasException;
import org.pgas4j.RefusedException;
import org.pgas4j.os.Failpoint;

/** A JVM's side of its connection until both sides have proved the secret. Event loop only. */
final class JvmHandshake extends SimpleChannelInboundHandler<ByteBuf> {

    static final String FRAMES = "frames";

    private final JobSecret secret;
    private final Identity self;
    private final MeetingPoint at;
    private final ChannelHandler member;
    private final byte[] hello;
    private final CompletableFuture<Void> accepted;
    private final byte[] identity;
    private byte[] nonce;
    private byte[] binding;
    private volatile boolean retryable;

    /** @param member receives the messages once both sides have proved the secret */
    JvmHandshake(MeetingPoint at, JobSecret secret, Identity self, int version, ChannelHandler member,
                 CompletableFuture<Void> accepted) {
        super(ByteBuf.class);
        this.at = at;
        this.secret = secret;
        this.self = self;
        this.member = member;
        this.accepted = accepted;
        this.hello = Identity.hello(version);
        this.identity = self.encode();
    }

    /**
     * True if the coordinator may have dropped this connection in a crowd, so that another attempt may succeed. Any
     * thread.
     */
    boolean isRetryable() {
        return retryable;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.writeAndFlush(frame(hello));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        byte[] frame = ByteBufUtil.getBytes(message);
        byte[] body = frame.length == 0 ? frame : Arrays.copyOfRange(frame, 1, frame.length);
        int type = frame.length == 0 ? 0 : frame[0];
        switch (type) {
            case Identity.CHALLENGE -> {
                if (nonce != null || body.length != Identity.NONCE_BYTES) {
                    throw new ProtocolException("challenge of " + body.length + " bytes");
                }
                nonce = body;
                binding = Tls.bindingOf(context.pipeline());
                byte[] proof = secret.proof(Identity.JVM_ROLE, binding, hello, nonce, identity);
                Failpoint.hit(Failpoint.HANDSHAKE);
                context.writeAndFlush(frame(identity, proof));
            }
            case Identity.ACCEPTED -> {
                if (nonce == null
                        || !secret.proves(body, Identity.COORDINATOR_ROLE, binding, hello, nonce, identity)) {
                    throw new RefusedException("the process that listens at " + context.channel().remoteAddress()
                            + " could not prove the secret of job " + self.job() + "; it is not " + at.name()
                            + " of this job");
                }
                var pipeline = context.pipeline();
                pipeline.addLast(new MessageDecoder(Message.MAX_MESSAGE), member);
                pipeline.remove(this);
                pipeline.replace(FRAMES, FRAMES, MessageDecoder.frames(Message.MAX_FRAME));
                accepted.complete(null);
            }
            case Identity.REFUSED -> {
                if (body.length == 0) {
                    throw new ProtocolException("refusal without a code");
                }
                Refusal refusal = Refusal.of(body[0]);
                retryable = refusal == Refusal.CROWDED;
                String detail = Message.oneLine(new String(body, 1, body.length - 1, StandardCharsets.UTF_8));
                String text = at.name() + " of job " + self.job() + " refused process " + self.process()
                        + ": " + refusal.message() + " [" + refusal + "]"
                        + (detail.isEmpty() ? "" : " (" + detail + ")");
                throw refusal.isTemporary() ? new BootstrapException(text) : new RefusedException(text);
            }
            default -> throw new ProtocolException("handshake message of type " + type + " is unknown");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        String tls = at.tls() && cause instanceof SSLException ? "; does " + at.name() + " use TLS? pgas.tls must be the"
                + " same for all" : "";
        retryable |= nonce == null && cause instanceof IOException && !(cause instanceof SSLException);
        accepted.completeExceptionally(cause instanceof PgasException ? cause : new BootstrapException(
                "handshake with " + at.name() + " at " + at + " failed: " + cause.getMessage() + tls, cause));
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        retryable |= nonce == null && !accepted.isDone();
        accepted.completeExceptionally(new BootstrapException(at.name() + " at " + context.channel().remoteAddress()
                + " closed the connection of process " + self.process()
                + " before the handshake was complete; is pgas.tls the same on both sides?"));
    }

    private static ByteBuf frame(byte[]... parts) {
        ByteBuf body = Unpooled.wrappedBuffer(parts);
        return Unpooled.buffer(Integer.BYTES + body.readableBytes()).writeIntLE(body.readableBytes()).writeBytes(body);
    }
}
