package org.pgas4j.bootstrap;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;

/** A JVM's side of its connection after the handshake. Event loop only. */
final class CoordinatorConnection extends SimpleChannelInboundHandler<Message> {

    private final NettyBootstrap owner;
    private final MeetingPoint at;
    private String why;

    CoordinatorConnection(NettyBootstrap owner, MeetingPoint at) {
        super(Message.class);
        this.owner = owner;
        this.at = at;
        this.why = "the connection to " + at.name() + " ended";
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, Message message) {
        owner.received(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        why = "the connection to " + at.name() + " failed: " + Message.oneLine(String.valueOf(cause.getMessage()));
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        owner.disconnected(why);
    }
}
