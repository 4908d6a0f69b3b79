package org.pgas4j.bootstrap.trace;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgas4j.os.trace.TraceKind;

/**
 * Joins events that belong together: a message and its service by the number that the message has in its pair, the queueing of a
 * stream's work and its run, notifications that add by what they made of the counter, values by tag and value in the order of
 * their times. A flow has both ends; what lacks one is counted, which the rings may have dropped or nobody has waited for.
 */
final class Flows {

    /**
     * Two events that belong together.
     *
     * @param from cause
     * @param to   effect, in another thread or the same
     */
    record Flow(Slice from, Slice to) {
    }

    private record Message(int run, int from, int to, long sequence) {
    }

    private record Work(int run, int process, long link) {
    }

    private record Counter(int run, int rank, int tag) {
    }

    private record Value(int run, int rank, int tag, long value) {
    }

    private final List<Flow> found = new ArrayList<>();
    private final Map<Message, Slice> sent = new HashMap<>();
    private final Map<Work, Slice> queued = new HashMap<>();
    private final Map<Work, Slice> runs = new HashMap<>();
    private final Map<Counter, TreeMap<Long, Slice>> signals = new HashMap<>();
    private final Map<Value, Deque<Slice>> values = new HashMap<>();
    private long lost;

    /** @param slices all events, in the order of their begin in the job's time */
    Flows(Iterable<Slice> slices) {
        for (Slice slice : slices) {
            addCause(slice);
        }
        for (Slice slice : slices) {
            join(slice);
        }
        lost += sent.size() + queued.keySet().stream().filter(work -> !runs.containsKey(work)).count();
        signals.values().forEach(left -> lost += left.size());
        values.values().forEach(left -> lost += left.size());
    }

    /** Flows, in the order of the begin of their effects. */
    List<Flow> all() {
        return found;
    }

    /** Number of ends without the other one. */
    long lost() {
        return lost;
    }

    private void add(Slice from, Slice to) {
        if (to != null) {
            found.add(new Flow(from, to));
        }
    }

    private void addCause(Slice slice) {
        int run = slice.part().run();
        switch (slice.kind()) {
            case SEND -> {
                if (slice.rank() != slice.peer()) { // a rank's messages to itself calibrate: two pairs have the same numbers
                    sent.put(new Message(run, slice.rank(), slice.peer(), slice.link()), slice);
                }
            }
            case SUBMIT -> {
                if (slice.link() != 0) {
                    queued.put(new Work(run, slice.part().process(), slice.link()), slice);
                }
            }
            case RUN -> runs.put(new Work(run, slice.part().process(), slice.link()), slice);
            case SIGNAL -> signals.computeIfAbsent(new Counter(run, slice.peer(), slice.tag()), _ -> new TreeMap<>())
                    .put(slice.link(), slice);
            case SIGNAL_SET -> values.computeIfAbsent(new Value(run, slice.peer(), slice.tag(), slice.link()),
                    _ -> new ArrayDeque<>()).add(slice);
            default -> { }
        }
    }

    private void join(Slice slice) {
        int run = slice.part().run();
        switch (slice.kind()) {
            case SERVE -> {
                if (slice.rank() != slice.peer()) {
                    join(sent.remove(new Message(run, slice.peer(), slice.rank(), slice.link())), slice);
                }
            }
            case RUN -> join(queued.get(new Work(run, slice.part().process(), slice.link())), slice);
            case SEEN -> joinCounter(slice, slice);
            case SEEN_BY_STREAM -> joinCounter(slice, runOf(slice));
            case SEEN_SET -> {
                Deque<Slice> set = values.get(new Value(run, slice.rank(), slice.tag(), slice.link()));
                join(set == null ? null : set.poll(), slice);
            }
            default -> { }
        }
    }

    private void join(Slice from, Slice to) {
        if (from == null) {
            lost++;
        } else {
            found.add(new Flow(from, to));
        }
    }

    /** Run of the wait that is queued inside of an event: the one before it in its track; null if it is not there. */
    private Slice runOf(Slice seen) {
        if (seen.index() == 0) {
            return null;
        }
        Slice before = new Slice(seen.part(), seen.track(), seen.index() - 1);
        return before.kind() != TraceKind.SUBMIT || before.beginNs() < seen.beginNs() ? null
                : runs.get(new Work(seen.part().run(), seen.part().process(), before.link()));
    }

    /**
     * Leads from each notification of which the rank has consumed a part to {@code to}.
     *
     * @param to null if the timeline does not have it: notifications that a GPU waits for
     */
    private void joinCounter(Slice seen, Slice to) {
        TreeMap<Long, Slice> arrived = signals.get(new Counter(seen.part().run(), seen.rank(), seen.tag()));
        long before = seen.link() - seen.bytes();
        long counted = 0;
        while (arrived != null && !arrived.isEmpty()) {
            Slice signal = arrived.firstEntry().getValue();
            if (signal.link() > seen.link()) {
                break;
            }
            arrived.pollFirstEntry();
            add(signal, to);
            counted += signal.link() - Math.max(before, signal.link() - signal.bytes());
        }
        if (arrived != null && !arrived.isEmpty()) { // one that added more than was consumed
            Slice signal = arrived.firstEntry().getValue();
            long first = signal.link() - signal.bytes();
            if (first < seen.link()) {
                add(signal, to);
                counted += seen.link() - Math.max(before, first);
            }
        }
        if (counted < seen.bytes()) {
            lost++;
        }
    }
}
