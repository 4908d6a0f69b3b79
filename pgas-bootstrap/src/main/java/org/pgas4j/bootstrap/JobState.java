package org.pgas4j.bootstrap;

import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a coordinator knows of its job. Event loop only, except where a method says otherwise. Connections without a
 * proof reach {@link #halfOpen}, {@link #greeted}, {@link #noLongerHalfOpen} and {@link #refused} only. A node's coordinator has an
 * {@link Uplink}: what concerns JVMs of other nodes goes there, and the one at the top decides which failure was the first.
 */
final class JobState {

    static final int MAX_HALF_OPEN = 64;
    static final int MAX_EXCHANGES = 4096;

    private final JobSecret secret;
    private final String job;
    private final ProcessLayout layout;
    private final long build;
    private final int first;
    private final int end;
    private final Coordinator.Listener listener;
    private final RefusalLog refusals;
    private final Set<ChannelHandlerContext> silent = new LinkedHashSet<>();
    private final Set<ChannelHandlerContext> greeted = new LinkedHashSet<>();
    private final Set<Member> members = new LinkedHashSet<>();
    private final Member[] memberOf;
    private final boolean[] everJoined;
    private final boolean[] left;
    private final Map<String, byte[][]> exchanges = new HashMap<>();
    private final LookupCache answers = new LookupCache();
    private final AbortState aborts = new AbortState();
    private Uplink uplink;

    JobState(JobSecret secret, String job, ProcessLayout layout, long build, Coordinator.Listener listener,
             RefusalLog refusals) {
        this(secret, job, layout, build, 0, layout.processes(), listener, refusals);
    }

    /**
     * @param first of the JVMs that may connect here
     * @param end   of them
     */
    JobState(JobSecret secret, String job, ProcessLayout layout, long build, int first, int end,
             Coordinator.Listener listener, RefusalLog refusals) {
        this.secret = secret;
        this.job = job;
        this.layout = layout;
        this.build = build;
        this.first = first;
        this.end = end;
        this.listener = listener;
        this.refusals = refusals;
        this.memberOf = new Member[layout.processes()];
        this.everJoined = new boolean[layout.processes()];
        this.left = new boolean[layout.processes()];
    }

    /** Before anybody is let in. */
    void uplink(Uplink above) {
        uplink = above;
    }

    JobSecret secret() {
        return secret;
    }

    String describe() {
        return "job " + job + ", " + layout.processes() + " processes, " + layout.ranks() + " ranks"
                + (end - first == layout.processes() ? "" : ", here processes " + first + ".." + (end - 1));
    }

    /** Any thread. */
    AbortState aborts() {
        return aborts;
    }

    /**
     * Remembers a connection without proof. If there are too many, returns the one to drop: the oldest that has not said
     * hello, which no JVM of the job is for long; without such, the oldest.
     */
    ChannelHandlerContext halfOpen(ChannelHandlerContext context) {
        ChannelHandlerContext oldest = silent.isEmpty() ? null : silent.iterator().next();
        silent.add(context);
        if (silent.size() + greeted.size() <= MAX_HALF_OPEN) {
            return null;
        }
        return oldest != null ? oldest : greeted.iterator().next();
    }

    /** It has said hello. */
    void greeted(ChannelHandlerContext context) {
        silent.remove(context);
        greeted.add(context);
    }

    void noLongerHalfOpen(ChannelHandlerContext context) {
        silent.remove(context);
        greeted.remove(context);
    }

    void refused(Refusal reason, Object from) {
        refusals.refused(reason, from, System.nanoTime());
    }

    /** Why a member that has proved the secret cannot join; null if it can. */
    Refusal check(Identity who) {
        if (!who.job().equals(job)) {
            return Refusal.JOB;
        }
        if (who.build() != build) {
            return Refusal.BUILD;
        }
        if (who.processes() != layout.processes() || who.ranks() != layout.ranks()) {
            return Refusal.SIZE;
        }
        if (who.process() < first || who.process() >= end || who.endProcess() <= who.process()
                || who.endProcess() > end) {
            return Refusal.RANGE;
        }
        for (int process = who.process(); process < who.endProcess(); process++) {
            if (everJoined[process]) {
                return Refusal.DUPLICATE;
            }
        }
        return null;
    }

    void joined(Member member) {
        members.add(member);
        for (int process = member.first(); process < member.end(); process++) {
            everJoined[process] = true;
            memberOf[process] = member;
        }
        if (aborts.first() != null) {
            member.send(new Message.Failed(aborts.first()));
        }
        exchanges.forEach((key, values) -> {
            for (int from = 0; from < values.length; from++) {
                if (values[from] != null) {
                    member.send(new Message.Shares(key, List.of(new Message.Share(from, values[from]))));
                }
            }
        });
        for (int other = 0; other < left.length; other++) {
            if (left[other]) {
                member.send(new Message.Left(other));
            }
        }
        if (member.isRelay()) {
            listener.nodeJoined(member.first(), member.end(), member.place());
        } else {
            listener.joined(member.first(), member.place());
        }
    }

    /** @throws ProtocolException if the member may not say this */
    void received(Member from, Message message) {
        switch (message) {
            case Message.Gather gather -> {
                requireSender(from, gather.process());
                shares(from, new Message.Shares(gather.key(),
                        List.of(new Message.Share(gather.process(), gather.value()))));
            }
            case Message.Shares shares -> {
                requireRelay(from, "shares of others");
                shares.shares().forEach(share -> requireSender(from, share.process()));
                shares(from, shares);
            }
            case Message.Call call -> {
                requireSender(from, call.from());
                requireProcess(call.to());
                call(call);
            }
            case Message.Reply reply -> {
                requireSender(from, reply.from());
                requireProcess(reply.to());
                reply(reply);
            }
            case Message.Failed failed -> {
                int rank = failed.cause().rank();
                boolean ofNode = from.isRelay() && rank == -1; // the coordinator's own
                if (!ofNode && (rank < 0 || rank >= layout.ranks())) {
                    throw new ProtocolException("abort of rank " + rank + " (expected: 0.." + (layout.ranks() - 1)
                            + ")");
                }
                if (aborts.first() == null) {
                    report(failed.cause());
                } else {
                    from.send(new Message.Failed(aborts.first())); // who reports waits for the winner
                }
            }
            case Message.Goodbye _ -> {
                if (!from.isRelay()) {
                    left(from.first(), from);
                }
                from.close(); // who says goodbye waits for this
            }
            case Message.Left gone -> {
                requireRelay(from, "who has left");
                requireSender(from, gone.process());
                left(gone.process(), from);
            }
            case Message.Heartbeat _ -> requireRelay(from, "heartbeats");
        }
    }

    /** From the coordinator above. */
    void fromAbove(Message message) {
        switch (message) {
            case Message.Shares shares -> {
                byte[][] values = exchange(shares.key());
                for (Message.Share share : shares.shares()) {
                    requireProcess(share.process());
                    values[share.process()] = share.value();
                }
                toMembers(null, shares);
                forgetIfComplete(shares.key());
            }
            case Message.Call call -> {
                requireHere(call.to());
                requireProcess(call.from());
                call(call);
            }
            case Message.Reply reply -> {
                requireHere(reply.to());
                reply(reply);
            }
            case Message.Failed failed -> settle(failed.cause());
            case Message.Left gone -> {
                requireProcess(gone.process());
                left[gone.process()] = true;
                toMembers(null, gone);
            }
            case Message.Heartbeat _ -> { } // it was sent to be noticed, and it was
            case Message.Gather _, Message.Goodbye _ -> throw new ProtocolException("a coordinator does not say "
                    + message.getClass().getSimpleName());
        }
    }

    /** The connection to the coordinator above has ended. Without it the node's JVMs have no job, unless they are done. */
    void lostAbove(String why) {
        if (aborts.first() == null && !allLeft(first, end)) {
            settle(new Abort(-1, Place.here(ranksOf(first, end)), "running", why + "; is it gone?",
                    Abort.PEER_LOST, true));
        }
    }

    private void shares(Member from, Message.Shares shares) {
        byte[][] values = exchanges.get(shares.key());
        if (values == null && exchanges.size() == MAX_EXCHANGES) {
            throw new ProtocolException("more than " + MAX_EXCHANGES + " exchanges under way");
        }
        values = exchange(shares.key());
        for (Message.Share share : shares.shares()) {
            if (values[share.process()] != null) {
                throw new ProtocolException("second value for exchange " + shares.key() + " of process "
                        + share.process());
            }
            values[share.process()] = share.value();
            if (uplink != null) {
                uplink.share(shares.key(), share.process(), share.value());
            }
        }
        toMembers(from.isRelay() ? from : null, shares); // a node has told its JVMs itself
        forgetIfComplete(shares.key());
    }

    private byte[][] exchange(String key) {
        return exchanges.computeIfAbsent(key, _ -> new byte[layout.processes()][]);
    }

    private void forgetIfComplete(String key) {
        for (byte[] value : exchanges.get(key)) {
            if (value == null) {
                return;
            }
        }
        exchanges.remove(key);
    }

    private void call(Message.Call call) {
        if (memberOf[call.to()] != null || uplink != null && !isHere(call.to())) {
            byte[] known = left[call.to()] ? null : answers.find(call);
            if (known != null) {
                route(call.from(), new Message.Reply(call.id(), call.to(), call.from(), Message.Outcome.ANSWERED, known));
            } else if (!answers.waits(call)) {
                route(call.to(), call);
            }
            return;
        }
        String why = left[call.to()] ? " has ended" : everJoined[call.to()] ? " is lost" : " has not started yet";
        boolean lost = left[call.to()] || everJoined[call.to()];
        route(call.from(), new Message.Reply(call.id(), call.to(), call.from(),
                lost ? Message.Outcome.LOST : Message.Outcome.FAILED,
                (layout.describe(call.to()) + why).getBytes(StandardCharsets.UTF_8)));
    }

    private void reply(Message.Reply reply) {
        route(reply.to(), reply);
        for (LookupCache.Asker asker : answers.answered(reply)) {
            route(asker.process(), new Message.Reply(asker.id(), reply.from(), asker.process(), reply.outcome(),
                    reply.answer()));
        }
    }

    private void route(int process, Message message) {
        if (memberOf[process] != null) {
            memberOf[process].send(message);
        } else if (uplink != null && !isHere(process)) {
            uplink.send(message);
        }
    }

    private void left(int process, Member through) {
        left[process] = true;
        if (!through.isRelay()) {
            memberOf[process] = null;
            members.remove(through);
        }
        listener.left(process);
        toMembers(through, new Message.Left(process));
        if (uplink != null) {
            uplink.send(new Message.Left(process));
        }
    }

    /** A failure: decided here at the top, passed on from below. */
    void report(Abort cause) {
        if (aborts.first() == null && uplink != null && uplink.isConnected()) {
            uplink.send(new Message.Failed(cause));
        } else {
            settle(cause);
        }
    }

    /** The first failure wins and reaches everybody who is or will be connected. */
    void settle(Abort cause) {
        if (aborts.set(cause)) {
            toMembers(null, new Message.Failed(cause));
            listener.aborted(cause);
        }
    }

    /** A member of the job sent rubbish. */
    void broken(Member member, Throwable cause) {
        if (members.contains(member) && aborts.first() == null) {
            listener.broken(member.first(), "protocol violation: " + Message.oneLine(String.valueOf(cause.getMessage())));
        }
    }

    void disconnected(Member member, String why) {
        members.remove(member);
        for (int process = member.first(); process < member.end(); process++) {
            memberOf[process] = null;
        }
        if (!member.isRelay()) {
            listener.disconnected(member.first());
            return;
        }
        listener.nodeLeft(member.first(), member.end(), member.place());
        if (aborts.first() == null && !allLeft(member.first(), member.end())) {
            report(new Abort(layout.firstRank(member.first()), member.place() + " " + ranksOf(member.first(), member.end()),
                    "running", "the node was lost: " + why, Abort.PEER_LOST, true));
        }
    }

    private boolean allLeft(int from, int to) {
        for (int process = from; process < to; process++) {
            if (!left[process]) {
                return false;
            }
        }
        return true;
    }

    private String ranksOf(int from, int to) {
        int last = layout.firstRank(to) - 1;
        return layout.firstRank(from) == last ? "rank " + last : "ranks " + layout.firstRank(from) + "-" + last;
    }

    private boolean isHere(int process) {
        return process >= first && process < end;
    }

    private void requireSender(Member from, int said) {
        if (!from.speaksFor(said)) {
            throw new ProtocolException(from + " speaks as process " + said);
        }
    }

    private static void requireRelay(Member from, String what) {
        if (!from.isRelay()) {
            throw new ProtocolException("only a coordinator tells " + what);
        }
    }

    private void requireProcess(int process) {
        if (process < 0 || process >= memberOf.length) {
            throw new ProtocolException("process " + process + " (expected: 0.." + (memberOf.length - 1) + ")");
        }
    }

    private void requireHere(int process) {
        if (!isHere(process)) {
            throw new ProtocolException("process " + process + " (expected: " + first + ".." + (end - 1) + ")");
        }
    }

    private void toMembers(Member except, Message message) {
        for (Member member : new ArrayList<>(members)) { // a write that fails may end a connection at once
            if (member != except) {
                member.send(message);
            }
        }
    }
}
