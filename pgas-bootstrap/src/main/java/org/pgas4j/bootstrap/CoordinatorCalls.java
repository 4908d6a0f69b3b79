package org.pgas4j.bootstrap;

import java.nio.charset.StandardCharsets;

/** Forwards calls between JVMs, and their replies; lasting answers come from its cache. Event loop only. */
final class CoordinatorCalls {

    private final Members members;
    private final LookupCache answers = new LookupCache();

    CoordinatorCalls(Members members) {
        this.members = members;
    }

    void call(Message.Call call) {
        int target = call.to();
        if (members.isReachable(target)) {
            byte[] known = members.hasLeft(target) ? null : answers.find(call);
            if (known != null) {
                members.send(call.from(), new Message.Reply(call.id(), target, call.from(),
                        Message.Outcome.ANSWERED, known));
            } else if (!answers.joins(call)) {
                members.send(target, call);
            }
            return;
        }
        boolean lost = members.hasEverJoined(target) || members.hasLeft(target);
        String why = members.hasLeft(target) ? " has ended" : lost ? " is lost" : " has not started yet";
        members.send(call.from(), new Message.Reply(call.id(), target, call.from(),
                lost ? Message.Outcome.LOST : Message.Outcome.FAILED,
                (members.layout().describe(target) + why).getBytes(StandardCharsets.UTF_8)));
    }

    void reply(Message.Reply reply) {
        members.send(reply.to(), reply);
        for (LookupCache.Caller caller : answers.answered(reply)) {
            members.send(caller.process(), new Message.Reply(caller.id(), reply.from(), caller.process(),
                    reply.outcome(), reply.answer()));
        }
    }
}
