package org.pgas4j.bootstrap;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;

/**
 * Signs of life between coordinators: a message when nothing else was sent for a while, and an end of the connection when
 * nothing arrived for longer. So both sides notice a host that has failed silently. Only coordinators send them: a
 * rank may be silent as long as it likes. Event loop only.
 */
final class Heartbeats extends ChannelDuplexHandler {

    private final long timeoutMs;

    private Heartbeats(long timeoutMs) {
        this.timeoutMs = timeoutMs;
    }

    /** No heartbeat arrived in time. */
    static final class Lost extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Lost(long timeoutMs) {
            super("no sign of life for " + timeoutMs + " ms (pgas.heartbeat.timeout)", null, false, false);
        }
    }

    static void addTo(ChannelPipeline pipeline, String before, CoordinatorOptions options) {
        long timeoutMs = options.heartbeatTimeout().toMillis();
        pipeline.addBefore(before, "idle", new IdleStateHandler(timeoutMs, options.heartbeat().toMillis(), 0,
                TimeUnit.MILLISECONDS));
        pipeline.addBefore(before, "heartbeats", new Heartbeats(timeoutMs));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (!(event instanceof IdleStateEvent idle)) {
            context.fireUserEventTriggered(event);
        } else if (idle.state() == IdleState.WRITER_IDLE) {
            context.writeAndFlush(Message.encode(new Message.Heartbeat()));
        } else {
            context.fireExceptionCaught(new Lost(timeoutMs));
        }
    }
}
