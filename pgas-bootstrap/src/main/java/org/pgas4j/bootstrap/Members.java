package org.pgas4j.bootstrap;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Members of a job that are connected to a coordinator, and state of all its JVMs: joined, left or lost. Event loop
 * only.
 */
final class Members {

    private final ProcessLayout layout;
    private final int first;
    private final int end;
    private final Set<Member> connected = new LinkedHashSet<>();
    private final Member[] memberOf;
    private final boolean[] everJoined;
    private final boolean[] left;
    private final Losses lost = new Losses();
    private Uplink uplink;

    /**
     * @param first of the JVMs that may connect here
     * @param end   of them
     */
    Members(ProcessLayout layout, int first, int end) {
        this.layout = layout;
        this.first = first;
        this.end = end;
        this.memberOf = new Member[layout.processes()];
        this.everJoined = new boolean[layout.processes()];
        this.left = new boolean[layout.processes()];
    }

    /** Before any member joins. */
    void uplink(Uplink above) {
        uplink = above;
    }

    /** Connection to the coordinator above; null at the top. */
    Uplink uplink() {
        return uplink;
    }

    ProcessLayout layout() {
        return layout;
    }

    /** True if this coordinator is not one of a node, or is that of the only node. */
    boolean areAll() {
        return end - first == layout.processes();
    }

    /** Reason why a member that has proved the secret cannot join; null if it can. */
    Refusal check(Identity member) {
        if (member.processes() != layout.processes() || member.ranks() != layout.ranks()) {
            return Refusal.SIZE;
        }
        if (member.process() < first || member.process() >= end || member.endProcess() <= member.process()
                || member.endProcess() > end) {
            return Refusal.RANGE;
        }
        for (int process = member.process(); process < member.endProcess(); process++) {
            if (everJoined[process]) {
                return Refusal.DUPLICATE;
            }
        }
        return null;
    }

    void add(Member member) {
        connected.add(member);
        for (int process = member.first(); process < member.end(); process++) {
            everJoined[process] = true;
            memberOf[process] = member;
        }
    }

    /** Its connection has ended. */
    void remove(Member member) {
        connected.remove(member);
        for (int process = member.first(); process < member.end(); process++) {
            memberOf[process] = null;
        }
    }

    boolean has(Member member) {
        return connected.contains(member);
    }

    /** A JVM has left the job in order. */
    void left(int process) {
        left[process] = true;
    }

    /** JVMs are lost, and the job goes on. */
    void lost(Losses.Loss loss) {
        lost.add(loss);
    }

    boolean isLost(int process) {
        return lost.has(process);
    }

    boolean hasLeft(int process) {
        return left[process];
    }

    /** True if these JVMs have left in order or are known to be lost. */
    boolean haveLeft(int from, int to) {
        for (int process = from; process < to; process++) {
            if (!left[process] && !isLost(process)) {
                return false;
            }
        }
        return true;
    }

    /** True if all JVMs that may connect here have left in order or are known to be lost. */
    boolean haveAllLeft() {
        return haveLeft(first, end);
    }

    boolean hasEverJoined(int process) {
        return everJoined[process];
    }

    /** True if a message for a JVM has a way: down to a member, or up. */
    boolean isReachable(int process) {
        return memberOf[process] != null || isAbove(process);
    }

    private boolean isAbove(int process) {
        return uplink != null && !isHere(process);
    }

    private boolean isHere(int process) {
        return process >= first && process < end;
    }

    /** Sends a message to a JVM if it {@link #isReachable}. */
    void send(int process, Message message) {
        if (memberOf[process] != null) {
            memberOf[process].send(message);
        } else if (isAbove(process)) {
            uplink.send(message);
        }
    }

    /** Sends a message to all members but one, or to all. */
    void sendAll(Member except, Message message) {
        for (Member member : new ArrayList<>(connected)) { // a write that fails may end a connection at once
            if (member != except) {
                member.send(message);
            }
        }
    }

    /** Sends a new member the JVMs that have left or were lost before. */
    void sendLeft(Member member) {
        for (int process = 0; process < left.length; process++) {
            if (left[process]) {
                member.send(new Message.Left(process));
            }
        }
        lost.all().forEach(loss -> member.send(new Message.Lost(loss.first(), loss.end(), loss.cause())));
    }

    /** {@code rank 3} or {@code ranks 2-3} of the JVMs that may connect here. */
    String ranksHere() {
        return layout.ranksOf(first, end);
    }

    String describe() {
        return layout.processes() + " processes, " + layout.ranks() + " ranks"
                + (areAll() ? "" : ", here processes " + first + ".." + (end - 1));
    }

    void requireSender(Member from, int process) {
        if (!from.speaksFor(process)) {
            throw new ProtocolException(from + " sends as process " + process);
        }
    }

    void requireProcess(int process) {
        if (process < 0 || process >= memberOf.length) {
            throw new ProtocolException("process " + process + " (expected: 0.." + (memberOf.length - 1) + ")");
        }
    }

    void requireHere(int process) {
        if (!isHere(process)) {
            throw new ProtocolException("process " + process + " (expected: " + first + ".." + (end - 1) + ")");
        }
    }
}
