package org.pgas4j.bootstrap;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cache of lasting answers at a coordinator. Of several calls with the same request only the first is forwarded, and
 * its answer serves the others, so that an answer spreads along the tree of coordinators. The least recently used
 * answers are evicted when memory is short. Event loop only.
 */
final class LookupCache {

    static final long MAX_BYTES = 16L << 20;
    static final int MAX_REQUESTS = 1 << 16;
    private static final int OVERHEAD_BYTES = 200;

    /** A request to a service of a JVM. */
    private record Request(int process, int service, ByteBuffer body) {
    }

    /** A JVM, and the call of it that waits for an answer. */
    record Caller(int process, long id) {
    }

    private static final class Waiting {

        private final Request request;
        private final List<Caller> others = new ArrayList<>();

        Waiting(Request request) {
            this.request = request;
        }
    }

    private final LinkedHashMap<Request, byte[]> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Request, Waiting> underWay = new HashMap<>();
    private final Map<Caller, Waiting> forwarded = new HashMap<>();
    private long bytes;

    /** The answer, or null. */
    byte[] find(Message.Call call) {
        return call.lasting() ? known.get(request(call)) : null;
    }

    /** True if the same request is under way: the call gets its answer too. Else the call must be forwarded. */
    boolean joins(Message.Call call) {
        if (!call.lasting()) {
            return false;
        }
        Caller caller = new Caller(call.from(), call.id());
        Waiting waiting = underWay.get(request(call));
        if (waiting != null) {
            waiting.others.add(caller);
            return true;
        }
        if (underWay.size() < MAX_REQUESTS && !forwarded.containsKey(caller)) {
            waiting = new Waiting(request(call));
            underWay.put(waiting.request, waiting);
            forwarded.put(caller, waiting);
        }
        return false;
    }

    /** Keeps an answer; returns the callers that wait for it besides the one it goes to. */
    List<Caller> answered(Message.Reply reply) {
        Waiting waiting = forwarded.get(new Caller(reply.to(), reply.id()));
        if (waiting == null || waiting.request.process() != reply.from()) {
            return List.of();
        }
        forwarded.remove(new Caller(reply.to(), reply.id()));
        underWay.remove(waiting.request);
        if (reply.outcome() == Message.Outcome.ANSWERED) {
            keep(waiting.request, reply.answer());
        }
        return waiting.others;
    }

    /** Memory in use, approximately. */
    long bytes() {
        return bytes;
    }

    private void keep(Request request, byte[] answer) {
        if (size(request, answer) > MAX_BYTES) {
            return;
        }
        known.put(request, answer); // a request under way has no answer yet: nothing is replaced
        bytes += size(request, answer);
        for (Iterator<Map.Entry<Request, byte[]>> oldest = known.entrySet().iterator(); bytes > MAX_BYTES;) {
            Map.Entry<Request, byte[]> entry = oldest.next();
            bytes -= size(entry.getKey(), entry.getValue());
            oldest.remove();
        }
    }

    private static long size(Request request, byte[] answer) {
        return (long) OVERHEAD_BYTES + request.body().capacity() + answer.length;
    }

    private static Request request(Message.Call call) {
        return new Request(call.to(), call.service(), ByteBuffer.wrap(call.request()));
    }
}
