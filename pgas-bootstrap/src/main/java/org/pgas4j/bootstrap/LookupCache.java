package org.pgas4j.bootstrap;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers that never change, kept where they pass: of all who ask a coordinator the same, only the first asks further.
 * So what one JVM knows spreads along the tree of coordinators to those who want it. The least recently used go when
 * memory is short. Event loop only.
 */
final class LookupCache {

    static final long MAX_BYTES = 16L << 20;
    static final int MAX_QUESTIONS = 1 << 16;

    private static final int OVERHEAD_BYTES = 200;

    /** What is asked: a request of a service of a JVM. */
    private record Question(int process, int service, ByteBuffer request) {
    }

    /** Who asks: a JVM, by a call of its. */
    record Asker(int process, long id) {
    }

    private static final class Waiting {

        private final Question question;
        private final List<Asker> others = new ArrayList<>();

        Waiting(Question question) {
            this.question = question;
        }
    }

    private final LinkedHashMap<Question, byte[]> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Question, Waiting> underWay = new HashMap<>();
    private final Map<Asker, Waiting> askedFirst = new HashMap<>();
    private long bytes;

    /** The answer, or null. */
    byte[] find(Message.Call call) {
        return call.lasting() ? known.get(question(call)) : null;
    }

    /** True if another has asked the same before and has no answer yet: this one gets it too. Else the call must go on. */
    boolean waits(Message.Call call) {
        if (!call.lasting()) {
            return false;
        }
        Asker asker = new Asker(call.from(), call.id());
        Waiting waiting = underWay.get(question(call));
        if (waiting != null) {
            waiting.others.add(asker);
            return true;
        }
        if (underWay.size() < MAX_QUESTIONS && !askedFirst.containsKey(asker)) {
            waiting = new Waiting(question(call));
            underWay.put(waiting.question, waiting);
            askedFirst.put(asker, waiting);
        }
        return false;
    }

    /** Keeps an answer; returns who waits for it besides the one it goes to. */
    List<Asker> answered(Message.Reply reply) {
        Waiting waiting = askedFirst.get(new Asker(reply.to(), reply.id()));
        if (waiting == null || waiting.question.process() != reply.from()) {
            return List.of();
        }
        askedFirst.remove(new Asker(reply.to(), reply.id()));
        underWay.remove(waiting.question);
        if (reply.outcome() == Message.Outcome.ANSWERED) {
            keep(waiting.question, reply.answer());
        }
        return waiting.others;
    }

    /** Memory that is taken, about. */
    long bytes() {
        return bytes;
    }

    private void keep(Question question, byte[] answer) {
        if (size(question, answer) > MAX_BYTES) {
            return;
        }
        known.put(question, answer); // a question under way is not known yet: nothing is replaced
        bytes += size(question, answer);
        for (Iterator<Map.Entry<Question, byte[]>> oldest = known.entrySet().iterator(); bytes > MAX_BYTES;) {
            Map.Entry<Question, byte[]> entry = oldest.next();
            bytes -= size(entry.getKey(), entry.getValue());
            oldest.remove();
        }
    }

    private static long size(Question question, byte[] answer) {
        return (long) OVERHEAD_BYTES + question.request().capacity() + answer.length;
    }

    private static Question question(Message.Call call) {
        return new Question(call.to(), call.service(), ByteBuffer.wrap(call.request()));
    }
}
