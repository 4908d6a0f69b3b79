package org.pgas4j.runtime.bootstrap;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;

/** The coordinator's side of the connection of a JVM that has proved the secret. Event loop only. */
final class MemberConnection extends SimpleChannelInboundHandler<Message> {

    private final JobState job;
    private final int process;

    MemberConnection(JobState job, int process) {
        super(Message.class);
        this.job = job;
        this.process = process;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        job.joined(process, context.channel());
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Message message) {
        job.received(process, message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) { // a reset is the end of a connection like any other
            job.broken(process, cause);
        }
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        job.disconnected(process);
    }
}
