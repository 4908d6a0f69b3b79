package org.pgas4j.bootstrap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Exchanges under way at a coordinator; {@link Exchanges} is the JVM's side. Event loop only. */
final class CoordinatorExchanges {

    static final int MAX = 4096;

    private final Members members;
    private final Map<String, byte[][]> underWay = new HashMap<>();

    CoordinatorExchanges(Members members) {
        this.members = members;
    }

    /** Sends a new member the shares that have come before. */
    void send(Member member) {
        underWay.forEach((key, values) -> {
            for (int from = 0; from < values.length; from++) {
                if (values[from] != null) {
                    member.send(new Message.Shares(key, List.of(new Message.Share(from, values[from]))));
                }
            }
        });
    }

    /** @throws ProtocolException if a JVM has given its share before, or if there are too many exchanges */
    void received(Member from, Message.Shares shares) {
        if (underWay.size() == MAX && !underWay.containsKey(shares.key())) {
            throw new ProtocolException("more than " + MAX + " exchanges under way");
        }
        byte[][] values = values(shares.key());
        for (Message.Share share : shares.shares()) {
            if (values[share.process()] != null) {
                throw new ProtocolException("second value for exchange " + shares.key() + " of process "
                        + share.process());
            }
            values[share.process()] = share.value();
            if (members.uplink() != null) {
                members.uplink().share(shares.key(), share.process(), share.value());
            }
        }
        members.sendAll(from.isRelay() ? from : null, shares); // a node's coordinator has sent them to its JVMs itself
        forgetIfComplete(shares.key());
    }

    void receivedFromAbove(Message.Shares shares) {
        byte[][] values = values(shares.key());
        for (Message.Share share : shares.shares()) {
            members.requireProcess(share.process());
            values[share.process()] = share.value();
        }
        members.sendAll(null, shares);
        forgetIfComplete(shares.key());
    }

    private byte[][] values(String key) {
        return underWay.computeIfAbsent(key, _ -> new byte[members.layout().processes()][]);
    }

    /** A JVM is lost: exchanges that waited for it alone are complete. */
    void lost() {
        underWay.values().removeIf(this::isComplete);
    }

    private void forgetIfComplete(String key) {
        if (isComplete(underWay.get(key))) {
            underWay.remove(key);
        }
    }

    private boolean isComplete(byte[][] values) {
        for (int process = 0; process < values.length; process++) {
            if (values[process] == null && !members.isLost(process)) {
                return false;
            }
        }
        return true;
    }
}
