package org.pgas4j.runtime.bootstrap;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * What the coordinator knows of its job. Event loop only, except where a method says otherwise. Connections without a
 * proof reach {@link #halfOpen}, {@link #noLongerHalfOpen} and {@link #refused} only.
 */
final class JobState {

    static final int MAX_HALF_OPEN = 64;
    static final int MAX_EXCHANGES = 4096;

    private final JobSecret secret;
    private final String job;
    private final ProcessLayout layout;
    private final long build;
    private final Coordinator.Listener listener;
    private final RefusalLog refusals;
    private final Set<ChannelHandlerContext> halfOpen = new LinkedHashSet<>();
    private final Channel[] members;
    private final boolean[] everJoined;
    private final boolean[] left;
    private final Map<String, byte[][]> exchanges = new HashMap<>();
    private volatile Abort aborted;

    JobState(JobSecret secret, String job, ProcessLayout layout, long build, Coordinator.Listener listener,
             RefusalLog refusals) {
        this.secret = secret;
        this.job = job;
        this.layout = layout;
        this.build = build;
        this.listener = listener;
        this.refusals = refusals;
        this.members = new Channel[layout.processes()];
        this.everJoined = new boolean[layout.processes()];
        this.left = new boolean[layout.processes()];
    }

    JobSecret secret() {
        return secret;
    }

    String describe() {
        return "job " + job + ", " + layout.processes() + " processes, " + layout.ranks() + " ranks";
    }

    /** Any thread. */
    Abort aborted() {
        return aborted;
    }

    /** Remembers a connection without proof; returns the oldest if there are too many. */
    ChannelHandlerContext halfOpen(ChannelHandlerContext context) {
        halfOpen.add(context);
        return halfOpen.size() > MAX_HALF_OPEN ? halfOpen.iterator().next() : null;
    }

    void noLongerHalfOpen(ChannelHandlerContext context) {
        halfOpen.remove(context);
    }

    void refused(Refusal reason, Object from) {
        refusals.refused(reason, from, System.nanoTime());
    }

    /** Why a JVM that has proved the secret cannot join; null if it can. */
    Refusal check(Identity jvm) {
        if (!jvm.job().equals(job)) {
            return Refusal.JOB;
        }
        if (jvm.build() != build) {
            return Refusal.BUILD;
        }
        if (jvm.processes() != layout.processes() || jvm.ranks() != layout.ranks()) {
            return Refusal.SIZE;
        }
        if (jvm.process() < 0 || jvm.process() >= layout.processes()) {
            return Refusal.RANGE;
        }
        return everJoined[jvm.process()] ? Refusal.DUPLICATE : null;
    }

    void joined(int process, Channel channel) {
        everJoined[process] = true;
        members[process] = channel;
        if (aborted != null) {
            send(process, new Message.Failed(aborted));
        }
        exchanges.forEach((key, values) -> {
            for (int from = 0; from < values.length; from++) {
                if (values[from] != null) {
                    send(process, new Message.Gather(key, from, values[from]));
                }
            }
        });
        for (int other = 0; other < left.length; other++) {
            if (left[other]) {
                send(process, new Message.Left(other));
            }
        }
        listener.joined(process);
    }

    /** @throws ProtocolException if the JVM may not say this */
    void received(int from, Message message) {
        switch (message) {
            case Message.Gather gather -> gather(from, gather);
            case Message.Call call -> {
                requireSender(from, call.from());
                requireProcess(call.to());
                if (members[call.to()] == null) {
                    String why = left[call.to()] ? " has ended" : everJoined[call.to()] ? " is lost"
                            : " has not started yet";
                    send(from, new Message.Reply(call.id(), call.to(), from, false,
                            (layout.describe(call.to()) + why).getBytes(StandardCharsets.UTF_8)));
                } else {
                    send(call.to(), call);
                }
            }
            case Message.Reply reply -> {
                requireSender(from, reply.from());
                requireProcess(reply.to());
                send(reply.to(), reply);
            }
            case Message.Failed failed -> {
                int rank = failed.cause().rank();
                if (rank < 0 || rank >= layout.ranks()) {
                    throw new ProtocolException("abort of rank " + rank + " (expected: 0.." + (layout.ranks() - 1)
                            + ")");
                }
                if (aborted == null) {
                    abort(failed.cause());
                } else {
                    send(from, new Message.Failed(aborted)); // who reports waits for the winner
                }
            }
            case Message.Goodbye _ -> {
                left[from] = true;
                listener.left(from);
                members[from].close(); // a JVM that says goodbye waits for this
                broadcast(new Message.Left(from));
            }
            case Message.Left _ -> throw new ProtocolException("only the coordinator tells who has left");
        }
    }

    private void gather(int from, Message.Gather gather) {
        requireSender(from, gather.process());
        byte[][] values = exchanges.get(gather.key());
        if (values == null) {
            if (exchanges.size() == MAX_EXCHANGES) {
                throw new ProtocolException("more than " + MAX_EXCHANGES + " exchanges under way");
            }
            values = new byte[layout.processes()][];
            exchanges.put(gather.key(), values);
        }
        if (values[from] != null) {
            throw new ProtocolException("second value for exchange " + gather.key());
        }
        values[from] = gather.value();
        broadcast(gather);
        for (byte[] value : values) {
            if (value == null) {
                return;
            }
        }
        exchanges.remove(gather.key());
    }

    /** The first failure wins and reaches everybody who is or will be connected. */
    Abort abort(Abort cause) {
        if (aborted == null) {
            aborted = cause;
            broadcast(new Message.Failed(cause));
            listener.aborted(cause);
        }
        return aborted;
    }

    /** A JVM of the job sent rubbish. */
    void broken(int process, Throwable cause) {
        if (members[process] != null && !left[process] && aborted == null) {
            listener.broken(process, "protocol violation: " + Message.oneLine(String.valueOf(cause.getMessage())));
        }
    }

    void disconnected(int process) {
        members[process] = null;
        listener.disconnected(process);
    }

    private void requireSender(int from, int said) {
        if (said != from) {
            throw new ProtocolException("process " + from + " speaks as process " + said);
        }
    }

    private void requireProcess(int process) {
        if (process < 0 || process >= members.length) {
            throw new ProtocolException("process " + process + " (expected: 0.." + (members.length - 1) + ")");
        }
    }

    private void broadcast(Message message) {
        for (int process = 0; process < members.length; process++) {
            send(process, message);
        }
    }

    private void send(int process, Message message) {
        if (members[process] != null && !left[process]) {
            members[process].writeAndFlush(Message.encode(message));
        }
    }
}
