package org.pgas4j.bootstrap;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;

/** The coordinator's side of the connection of a member that has proved the secret. Event loop only. */
final class MemberConnection extends SimpleChannelInboundHandler<Message> {

    private final JobState job;
    private final Member member;
    private String why = "its connection ended before it left the job";

    MemberConnection(JobState job, Member member) {
        super(Message.class);
        this.job = job;
        this.member = member;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        job.joined(member);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Message message) {
        job.received(member, message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof Heartbeats.Lost) {
            why = cause.getMessage();
        } else if (!(cause instanceof IOException)) { // a reset is the end of a connection like any other
            job.broken(member, cause);
        }
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        job.disconnected(member, why);
    }
}
