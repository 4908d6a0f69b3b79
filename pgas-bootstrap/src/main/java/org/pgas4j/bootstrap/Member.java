package org.pgas4j.bootstrap;

import io.netty.channel.Channel;

/**
 * Member of a job that is connected to a coordinator: a JVM, or the coordinator of a node for its JVMs. Event loop
 * only.
 */
final class Member {

    private final Identity identity;
    private final Channel channel;

    Member(Identity identity, Channel channel) {
        this.identity = identity;
        this.channel = channel;
    }

    boolean isRelay() {
        return identity.isRelay();
    }

    int first() {
        return identity.process();
    }

    int end() {
        return identity.endProcess();
    }

    boolean speaksFor(int process) {
        return process >= first() && process < end();
    }

    /** Host and process id. */
    String place() {
        return identity.place();
    }

    void send(Message message) {
        if (channel.isActive()) {
            channel.writeAndFlush(Message.encode(message));
        }
    }

    void close() {
        channel.close();
    }

    @Override
    public String toString() {
        return isRelay() ? "the node of processes " + first() + ".." + (end() - 1) : "process " + first();
    }
}
