package org.pgas4j.bootstrap;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * The coordinator's side of one connection until the JVM has proved the secret. Changes nothing of the job before that.
 * Event loop only.
 */
final class CoordinatorHandshake extends ChannelInboundHandlerAdapter {

    static final String FRAMES = "frames";
    static final String LIMIT = "limit";
    static final String RAW_LIMIT = "raw limit";

    /** Enough for a TLS handshake and the messages in it. */
    static final int MAX_RAW_BEFORE_PROOF = 16 << 10;

    private enum State { HELLO, PROOF, DONE }

    private final JobState job;
    private final byte[] nonce;
    private final byte[] binding;
    private final CoordinatorOptions options;
    private byte[] hello;
    private State state = State.HELLO;
    private Future<?> deadline;

    /** @param binding of this side's certificate, see {@link Tls#bindingOf(Tls)} */
    CoordinatorHandshake(JobState job, byte[] nonce, byte[] binding, CoordinatorOptions options) {
        this.job = job;
        this.nonce = nonce;
        this.binding = binding;
        this.options = options;
    }

    /** Passes a number of bytes on, then refuses. Sits before the frames, and with TLS before that too. */
    static final class ByteLimit extends ChannelInboundHandlerAdapter {

        private final int max;
        private long seen;

        ByteLimit(int max) {
            this.max = max;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            seen += ((ByteBuf) bytes).readableBytes();
            if (seen > max) {
                ((ByteBuf) bytes).release();
                context.fireExceptionCaught(new TooLongFrameException("more than " + max
                        + " bytes before the proof"));
            } else {
                context.fireChannelRead(bytes);
            }
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ChannelHandlerContext dropped = job.halfOpen().add(context);
        if (dropped != null) {
            dropped.pipeline().get(CoordinatorHandshake.class).refuse(dropped, Refusal.CROWDED, "");
        }
        deadline = context.executor().schedule(() -> refuse(context, Refusal.LATE, ""),
                options.handshake().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        byte[] frame;
        try {
            frame = ByteBufUtil.getBytes((ByteBuf) message);
        } finally {
            ((ByteBuf) message).release();
        }
        switch (state) {
            case HELLO -> readHello(context, frame);
            case PROOF -> readProof(context, frame);
            case DONE -> { } // refused: frames that were under way are dropped
        }
    }

    private void readHello(ChannelHandlerContext context, byte[] frame) {
        Refusal refusal = Identity.checkHello(frame);
        if (refusal != null) {
            refuse(context, refusal, "");
            return;
        }
        hello = frame;
        state = State.PROOF;
        job.halfOpen().greeted(context);
        context.writeAndFlush(frame(Identity.CHALLENGE, nonce));
    }

    private void readProof(ChannelHandlerContext context, byte[] frame) {
        if (frame.length < JobSecret.PROOF_BYTES) {
            refuse(context, Refusal.MALFORMED, "");
            return;
        }
        byte[] identity = Arrays.copyOf(frame, frame.length - JobSecret.PROOF_BYTES);
        byte[] proof = Arrays.copyOfRange(frame, identity.length, frame.length);
        if (!job.secret().proves(proof, Identity.JVM_ROLE, binding, hello, nonce, identity)) {
            refuse(context, Refusal.SECRET, "");
            return;
        }
        Identity jvm;
        try {
            jvm = Identity.decode(identity);
        } catch (ProtocolException e) {
            refuse(context, Refusal.MALFORMED, e.getMessage());
            return;
        }
        Refusal refusal = job.check(jvm);
        if (refusal != null) {
            refuse(context, refusal, "JVM: job " + jvm.job() + ", process " + jvm.process() + " of " + jvm.processes()
                    + ", " + jvm.ranks() + " ranks; job: " + job.describe());
            return;
        }
        finish(context);
        KeepAlive.of(options).limit(context.channel());
        byte[] own = job.secret().proof(Identity.COORDINATOR_ROLE, binding, hello, nonce, identity);
        context.channel().config().setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator());
        context.writeAndFlush(frame(Identity.ACCEPTED, own));
        var pipeline = context.pipeline();
        pipeline.remove(LIMIT);
        if (pipeline.get(RAW_LIMIT) != null) {
            pipeline.remove(RAW_LIMIT);
        }
        if (jvm.isRelay()) {
            Heartbeats.addTo(pipeline, FRAMES, options);
        }
        pipeline.addLast(new MessageDecoder(Message.MAX_MESSAGE),
                new MemberConnection(job, new Member(jvm, context.channel())));
        pipeline.remove(this);
        pipeline.replace(FRAMES, FRAMES, MessageDecoder.frames(Message.MAX_FRAME)); // passes on buffered bytes
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        boolean length = cause instanceof TooLongFrameException || cause instanceof CorruptedFrameException
                || cause instanceof DecoderException;
        boolean tls = cause instanceof SSLException || cause.getCause() instanceof SSLException;
        refuse(context, tls ? Refusal.TLS : length ? Refusal.LENGTH : Refusal.GONE, String.valueOf(cause.getMessage()));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (state != State.DONE) {
            finish(context);
            job.refused(Refusal.GONE, context.channel().remoteAddress());
        }
    }

    private void refuse(ChannelHandlerContext context, Refusal reason, String detail) {
        if (state == State.DONE) {
            return;
        }
        // a JVM that was dropped in a crowd connects again if it receives the refusal, which needs TLS if the job has it
        boolean crowd = reason == Refusal.CROWDED && context.pipeline().get(RAW_LIMIT) == null;
        boolean canRead = state == State.PROOF || reason == Refusal.VERSION || crowd;
        finish(context);
        job.refused(reason, context.channel().remoteAddress());
        if (canRead && context.channel().isActive()) {
            byte[] text = detail.getBytes(StandardCharsets.UTF_8);
            byte[] body = new byte[1 + Math.min(text.length, Identity.MAX_BEFORE_PROOF / 2)];
            body[0] = (byte) reason.code();
            System.arraycopy(text, 0, body, 1, body.length - 1);
            context.writeAndFlush(frame(Identity.REFUSED, body)).addListener(ChannelFutureListener.CLOSE);
        } else {
            context.close();
        }
    }

    private void finish(ChannelHandlerContext context) {
        state = State.DONE;
        deadline.cancel(false);
        job.halfOpen().remove(context);
    }

    private static ByteBuf frame(int type, byte[] body) {
        return Unpooled.buffer(Integer.BYTES + 1 + body.length).writeIntLE(1 + body.length).writeByte(type)
                .writeBytes(body);
    }
}
