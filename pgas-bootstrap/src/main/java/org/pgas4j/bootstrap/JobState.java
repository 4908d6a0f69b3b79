package org.pgas4j.bootstrap;

import java.util.List;
import org.pgas4j.ExitCode;

/**
 * State of a job at one of its coordinators: dispatches the messages of its members, and of the coordinator above, to
 * {@link Members}, {@link CoordinatorExchanges} and {@link CoordinatorCalls}. Event loop only, except where a method
 * is marked. Connections without a proof reach {@link #halfOpen} and {@link #refused} only. A node's coordinator
 * has an {@link Uplink}: messages for JVMs of other nodes go there, and the one at the top decides which failure was
 * the first.
 */
final class JobState {

    private final JobSecret secret;
    private final String job;
    private final long build;
    private final ProcessLayout layout;
    private final Coordinator.Listener listener;
    private final RefusalLog refusals;
    private final boolean goesOn;
    private final HalfOpenConnections halfOpen = new HalfOpenConnections();
    private final Members members;
    private final CoordinatorExchanges exchanges;
    private final CoordinatorCalls calls;
    private final AbortState aborts = new AbortState();

    JobState(JobSecret secret, String job, ProcessLayout layout, long build, Coordinator.Listener listener,
             RefusalLog refusals, boolean goesOn) {
        this(secret, job, layout, build, 0, layout.processes(), listener, refusals, goesOn);
    }

    /**
     * @param first  of the JVMs that may connect here
     * @param end    of them
     * @param goesOn true if the job goes on when a JVM is lost
     */
    JobState(JobSecret secret, String job, ProcessLayout layout, long build, int first, int end,
             Coordinator.Listener listener, RefusalLog refusals, boolean goesOn) {
        this.goesOn = goesOn;
        this.secret = secret;
        this.job = job;
        this.build = build;
        this.layout = layout;
        this.listener = listener;
        this.refusals = refusals;
        this.members = new Members(layout, first, end);
        this.exchanges = new CoordinatorExchanges(members);
        this.calls = new CoordinatorCalls(members);
    }

    /** Before any member joins. */
    void uplink(Uplink above) {
        members.uplink(above);
    }

    JobSecret secret() {
        return secret;
    }

    String describe() {
        return "job " + job + ", " + members.describe();
    }

    /** Any thread. */
    AbortState aborts() {
        return aborts;
    }

    HalfOpenConnections halfOpen() {
        return halfOpen;
    }

    void refused(Refusal reason, Object from) {
        refusals.refused(reason, from, System.nanoTime());
    }

    /** Reason why a member that has proved the secret cannot join; null if it can. */
    Refusal check(Identity member) {
        if (!member.job().equals(job)) {
            return Refusal.JOB;
        }
        return member.build() != build ? Refusal.BUILD : members.check(member);
    }

    void joined(Member member) {
        members.add(member);
        if (aborts.first() != null) {
            member.send(new Message.Failed(aborts.first()));
        }
        exchanges.send(member);
        members.sendLeft(member);
        if (member.isRelay()) {
            listener.nodeJoined(member.first(), member.end(), member.place());
        } else {
            listener.joined(member.first(), member.place());
        }
    }

    /** @throws ProtocolException if the member may not send this */
    void received(Member from, Message message) {
        switch (message) {
            case Message.Gather gather -> {
                members.requireSender(from, gather.process());
                exchanges.received(from, new Message.Shares(gather.key(),
                        List.of(new Message.Share(gather.process(), gather.value()))));
            }
            case Message.Shares shares -> {
                requireRelay(from, message);
                shares.shares().forEach(share -> members.requireSender(from, share.process()));
                exchanges.received(from, shares);
            }
            case Message.Call call -> {
                members.requireSender(from, call.from());
                members.requireProcess(call.to());
                calls.call(call);
            }
            case Message.Reply reply -> {
                members.requireSender(from, reply.from());
                members.requireProcess(reply.to());
                calls.reply(reply);
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
                    from.send(new Message.Failed(aborts.first())); // the sender waits for the first failure
                }
            }
            case Message.Leave _ -> {
                if (!from.isRelay()) {
                    left(from.first(), from);
                }
                from.close(); // the sender waits for this
            }
            case Message.Left gone -> {
                requireRelay(from, message);
                members.requireSender(from, gone.process());
                left(gone.process(), from);
            }
            case Message.Heartbeat _ -> requireRelay(from, message);
            case Message.Lost _ -> throw new ProtocolException("only a coordinator sends Lost, and down");
        }
    }

    /** From the coordinator above. */
    void fromAbove(Message message) {
        switch (message) {
            case Message.Shares shares -> exchanges.receivedFromAbove(shares);
            case Message.Call call -> {
                members.requireHere(call.to());
                members.requireProcess(call.from());
                calls.call(call);
            }
            case Message.Reply reply -> {
                members.requireHere(reply.to());
                calls.reply(reply);
            }
            case Message.Failed failed -> settle(failed.cause());
            case Message.Left gone -> {
                members.requireProcess(gone.process());
                members.left(gone.process());
                members.sendAll(null, gone);
            }
            case Message.Lost lost -> {
                members.requireProcess(lost.first());
                members.requireProcess(lost.end() - 1);
                lose(new Losses.Loss(lost.first(), lost.end(), lost.cause()));
            }
            case Message.Heartbeat _ -> { } // any message counts as a sign of life
            case Message.Gather _, Message.Leave _ -> throw new ProtocolException("a coordinator does not send "
                    + message.getClass().getSimpleName());
        }
    }

    /** The connection to the coordinator above has ended. Without it the node's JVMs have no job, unless they are done. */
    void lostAbove(String why) {
        if (aborts.first() == null && !members.haveAllLeft()) {
            settle(new Abort(-1, Place.here(members.ranksHere()), Phase.RUNNING, why + "; is it gone?",
                    ExitCode.PEER_LOST.number(), true));
        }
    }

    private void left(int process, Member through) {
        members.left(process);
        if (!through.isRelay()) {
            members.remove(through);
        }
        listener.left(process);
        members.sendAll(through, new Message.Left(process));
        if (members.uplink() != null) {
            members.uplink().flush();
            members.uplink().send(new Message.Left(process));
        }
    }

    /** A failure: decided here at the top, passed on from below. */
    void report(Abort cause) {
        int process = cause.rank() < 0 ? 0 : layout.processOf(cause.rank());
        report(process, process + 1, cause);
    }

    /** The same; if a loss, then of JVMs {@code first..end-1}. */
    private void report(int first, int end, Abort cause) {
        Uplink uplink = members.uplink();
        if (aborts.first() == null && uplink != null && uplink.isConnected()) {
            uplink.flush(); // all JVMs see the shares of a JVM that is lost, or none does
            uplink.send(new Message.Failed(cause));
        } else if (goesOn && cause.peerLost() && uplink == null && aborts.first() == null && first > 0
                && members.hasEverJoined(first)) {
            lose(new Losses.Loss(first, end, cause));
        } else {
            settle(cause);
        }
    }

    /** JVMs are lost, and the job goes on. */
    private void lose(Losses.Loss loss) {
        if (!members.haveLeft(loss.first(), loss.end())) {
            members.lost(loss);
            exchanges.lost();
            members.sendAll(null, new Message.Lost(loss.first(), loss.end(), loss.cause()));
            if (members.uplink() == null) {
                listener.lost(loss.cause());
            }
        }
    }

    /** The first failure wins and reaches every member that is or will be connected. */
    void settle(Abort cause) {
        if (aborts.set(cause)) {
            members.sendAll(null, new Message.Failed(cause));
            listener.aborted(cause);
        }
    }

    /** A member of the job has violated the protocol. */
    void broken(Member member, Throwable cause) {
        if (members.has(member) && aborts.first() == null) {
            listener.broken(member.first(), "protocol violation: " + Message.oneLine(String.valueOf(cause.getMessage())));
        }
    }

    void disconnected(Member member, String why) {
        members.remove(member);
        if (!member.isRelay()) {
            listener.disconnected(member.first());
            return;
        }
        listener.nodeLeft(member.first(), member.end(), member.place());
        if (aborts.first() == null && !members.haveLeft(member.first(), member.end())) {
            report(member.first(), member.end(), new Abort(layout.firstRank(member.first()), member.place() + " "
                    + layout.ranksOf(member.first(), member.end()), Phase.RUNNING, "the node was lost: " + why,
                    ExitCode.PEER_LOST.number(), true));
        }
    }

    private static void requireRelay(Member from, Message message) {
        if (!from.isRelay()) {
            throw new ProtocolException("only a coordinator sends " + message.getClass().getSimpleName());
        }
    }
}
