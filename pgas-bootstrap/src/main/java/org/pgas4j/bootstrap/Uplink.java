package org.pgas4j.bootstrap;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Connection of a node's coordinator to the one above it. Shares of an exchange go up in one message when all of the
 * node's JVMs have given theirs, or after {@link #GATHER_MS}, so that a timeout elsewhere names only those that are
 * missing. Event loop only.
 */
final class Uplink extends SimpleChannelInboundHandler<Message> {

    private static final long GATHER_MS = 100;
    private static final int MAX_WAITING_BYTES = 8 << 20;

    private final MeetingPoint above;
    private final JobState job;
    private final int processes;
    private final CoordinatorOptions options;
    private final Map<String, Waiting> waiting = new HashMap<>();
    private ChannelHandlerContext context;
    private String why;

    /** Shares of one exchange that have not been sent yet. */
    private static final class Waiting {

        private final List<Message.Share> shares = new ArrayList<>();
        private long bytes;
        private int sent;
    }

    /** @param processes JVMs of the node */
    Uplink(MeetingPoint above, JobState job, int processes, CoordinatorOptions options) {
        super(Message.class);
        this.above = above;
        this.job = job;
        this.processes = processes;
        this.options = options;
        this.why = "the connection to " + above.name() + " at " + above + " ended";
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
        Heartbeats.addTo(added.pipeline(), JvmHandshake.FRAMES, options);
    }

    boolean isConnected() {
        return context != null && context.channel().isActive();
    }

    void send(Message message) {
        if (isConnected()) {
            context.writeAndFlush(Message.encode(message));
        }
    }

    /** Adds a share of a JVM of the node. */
    void share(String key, int process, byte[] value) {
        Waiting shares = waiting.get(key);
        if (shares == null) {
            shares = new Waiting();
            waiting.put(key, shares);
        }
        if (shares.shares.isEmpty() && processes > 1) {
            context.executor().schedule(() -> flush(key), GATHER_MS, TimeUnit.MILLISECONDS);
        }
        shares.shares.add(new Message.Share(process, value));
        shares.bytes += value.length;
        if (shares.sent + shares.shares.size() == processes || shares.bytes > MAX_WAITING_BYTES) {
            flush(key);
        }
    }

    /** Sends the shares that wait: what tells of an end goes after them. */
    void flush() {
        List.copyOf(waiting.keySet()).forEach(this::flush);
    }

    private void flush(String key) {
        Waiting shares = waiting.get(key);
        if (shares == null || shares.shares.isEmpty()) {
            return; // sent meanwhile
        }
        send(new Message.Shares(key, List.copyOf(shares.shares)));
        shares.sent += shares.shares.size();
        shares.shares.clear();
        shares.bytes = 0;
        if (shares.sent == processes) {
            waiting.remove(key);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext from, Message message) {
        job.fromAbove(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
        why = "the connection to " + above.name() + " at " + above + " failed: "
                + Message.oneLine(String.valueOf(cause.getMessage()));
        from.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext from) {
        job.lostAbove(why);
    }

    /** Leaves the job in order; the other side closes. */
    void leave() {
        send(new Message.Leave());
    }
}
