package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.AtomicWords;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;
import org.pgas4j.fastpath.ring.RingSlot;
import org.pgas4j.os.trace.Trace;

/**
 * Serves the messages that peers send to one rank. Nothing here waits: a message that cannot be served yet stays at the
 * head of its ring, and the next call tries again. For the port's current owner.
 */
final class Server {

    private final int rank;
    private final LocalMemory memory;
    private final Conduit conduit;
    private final PortOptions options;
    private final RingLayout layout;
    private final Pairs pairs;
    private final Requests requests;
    private final Rendezvous rendezvous;
    private final MessageValidator checks;
    private final InFlightCopies copies = new InFlightCopies();
    private final DeviceAtomics atomics;
    private volatile NotificationSink sink = (block, tag, kind, value) -> {
        throw new IllegalStateException("this rank takes no notifications");
    };
    private volatile BlockSink blocks = (team, commands) -> {
        throw new IllegalStateException("this rank has no blocks");
    };

    Server(int rank, LocalMemory memory, Conduit conduit, PortOptions options, Pairs pairs, Requests requests,
           Rendezvous rendezvous, MessageValidator checks) {
        this.rank = rank;
        this.memory = memory;
        this.conduit = conduit;
        this.options = options;
        this.layout = options.ring();
        this.pairs = pairs;
        this.requests = requests;
        this.rendezvous = rendezvous;
        this.checks = checks;
        this.atomics = new DeviceAtomics(memory, layout);
    }

    void notifications(NotificationSink to) {
        sink = to;
    }

    void blocks(BlockSink to) {
        blocks = to;
    }

    /** Frees what device atomics have allocated. */
    void close() {
        atomics.close();
    }

    /** True if started copies are not complete. */
    boolean hasInFlight() {
        return !copies.isEmpty();
    }

    /** {@link Port#isCopying}. */
    boolean isCopying() {
        return hasInFlight() || rendezvous.isCopying();
    }

    /** {@link Port#progress}. */
    boolean progress(CopyStreams streams, Observer observer, long seenNs) {
        boolean any = conduit.needsProgress() && conduit.progress(rank);
        any |= pairs.adoptOffered();
        any |= completeCopies(observer);
        for (Pair pair : pairs.active()) {
            any |= receive(pair, streams, observer, seenNs);
        }
        copies.expectEnd();
        if (!rendezvous.isEmpty()) {
            any |= rendezvous.step(observer);
        }
        return any;
    }

    /** {@link Port#completeCopies}. */
    boolean completeCopies(Observer observer) {
        if (copies.isEmpty() || !copies.areComplete()) {
            return false;
        }
        long copiedNs = observer == null ? 0 : System.nanoTime();
        int count = copies.count();
        for (int i = 0; i < count; i++) {
            InFlightCopies.Copy copy = copies.get(i);
            Pair pair = copy.pair;
            pair.completed(copy.sequence);
            switch (copy.kind) {
                case InFlightCopies.ATOMIC -> {
                    atomics.answer(i, pair, copy.outSequence);
                    reply(pair, copy);
                }
                case InFlightCopies.REPLY_OUT -> reply(pair, copy);
                case InFlightCopies.REPLY_IN -> arrived(pair, copy.request, copy.requestId, copy.length);
                default -> pair.report();
            }
            if (copy.tracedNs != 0) {
                Trace.served(rank, pair.peer(), MessageHeader.name(copy.type), copy.served, copy.sequence, copy.tracedNs);
            }
            if (observer != null && copy.startNs != 0 && copy.kind != InFlightCopies.REPLY_IN) {
                observer.served(copy.sentNs, copy.seenNs, copy.startNs, copiedNs, System.nanoTime());
            }
        }
        copies.clear();
        for (Pair pair : pairs.active()) {
            pair.report();
        }
        return true;
    }

    private void reply(Pair pair, InFlightCopies.Copy copy) {
        pairs.send(pair, copy.outSequence, MessageHeader.GET_REPLY, copy.flags, copy.length, 0, copy.requestId, copy.length,
                copy.extra);
    }

    private void arrived(Pair pair, Request request, long id, int bytes) {
        pair.getAnswered();
        requests.arrived(request, id, bytes);
    }

    private boolean receive(Pair pair, CopyStreams streams, Observer observer, long seenNs) {
        boolean any = false;
        while (true) {
            long next = pair.taken() + 1;
            long header = layout.header(next);
            // acquire: pairs with the release in RingSlot.publish
            if (RingSlot.sequence(pair.in(), header + MessageHeader.SEQUENCE) != next
                    || !(Trace.isOn() ? takeTraced(pair, next, header, streams, observer, seenNs)
                            : take(pair, next, header, streams, observer, seenNs))) {
                break;
            }
            any = true;
        }
        pair.report();
        return any;
    }

    /** As {@link #take}, with the service on the timeline: here if it is done, else when its copy is complete. */
    private boolean takeTraced(Pair pair, long sequence, long header, CopyStreams streams, Observer observer, long seenNs) {
        long beginNs = System.nanoTime();
        int type = MessageHeader.type(pair.in(), header);
        int length = MessageHeader.length(pair.in(), header);
        int before = copies.count();
        if (!take(pair, sequence, header, streams, observer, seenNs)) {
            return false;
        }
        if (copies.count() > before) {
            InFlightCopies.Copy copy = copies.get(before);
            copy.tracedNs = beginNs;
            copy.type = type;
            copy.served = length;
        } else {
            Trace.served(rank, pair.peer(), MessageHeader.name(type), length, sequence, beginNs);
        }
        return true;
    }

    /** Serves one message; false if it has to wait. */
    private boolean take(Pair pair, long sequence, long header, CopyStreams streams, Observer observer, long seenNs) {
        MemorySegment in = pair.in();
        int type = MessageHeader.type(in, header);
        int length = MessageHeader.length(in, header);
        boolean toDevice = (MessageHeader.flags(in, header) & MessageHeader.DEVICE) != 0;
        if (MessageHeader.version(in, header) != MessageHeader.VERSION || length < 0 || length > layout.capacity()) {
            throw checks.violation(pair, sequence, type, "version " + MessageHeader.version(in, header) + ", length "
                    + length);
        }
        pair.credited(MessageHeader.field(in, header, MessageHeader.CREDIT));
        return switch (type) {
            case MessageHeader.PUT -> takePut(pair, sequence, header, toDevice, length, streams, observer, seenNs);
            case MessageHeader.GET -> takeGet(pair, sequence, header, toDevice, streams, observer, seenNs);
            case MessageHeader.GET_REPLY -> takeReply(pair, sequence, header, length, streams);
            case MessageHeader.SET -> takeSet(pair, sequence, header, toDevice, streams);
            case MessageHeader.FENCE -> takeFence(pair);
            case MessageHeader.RENDEZVOUS_PUT, MessageHeader.RENDEZVOUS_GET ->
                    rendezvous.take(pair, sequence, header, type, toDevice, length, streams, observer, seenNs);
            case MessageHeader.READY, MessageHeader.DONE -> rendezvous.takeCount(pair, sequence, header, type);
            case MessageHeader.FORGET -> rendezvous.takeForget(pair, header);
            case MessageHeader.NOTIFY -> takeNotification(pair, sequence, header);
            case MessageHeader.BLOCKS -> takeCommands(pair, sequence, header, length);
            case MessageHeader.ATOMIC -> takeAtomic(pair, sequence, header, toDevice, length, streams, observer, seenNs);
            default -> throw checks.violation(pair, sequence, type, "unknown type");
        };
    }

    private boolean takePut(Pair pair, long sequence, long header, boolean toDevice, int length, CopyStreams streams,
                            Observer observer, long seenNs) {
        if (pair.isBlocked()) {
            return false;
        }
        MemorySegment in = pair.in();
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        checks.range(pair, sequence, MessageHeader.PUT, toDevice, offset, length);
        long payload = RingLayout.payload(header, length);
        if (!toDevice) {
            if (pair.inFlight() > 0) {
                return false;
            }
            long startNs = observer == null ? 0 : System.nanoTime();
            Pair.copy(in, payload, memory.host(), memory.heapStart() + offset, length);
            long sentNs = MessageHeader.field(in, header, MessageHeader.SENT);
            pair.take(false);
            observeAtOnce(observer, sentNs, seenNs, startNs);
            return true;
        }
        AcceleratorStream stream = streams.stream();
        if (!copies.accepts(stream)) {
            return false;
        }
        stream.copyInWritten(memory.device(), memory.deviceOffset() + offset, in, payload, length);
        startedCopy(pair, sequence, header, stream, InFlightCopies.PUT, observer, seenNs);
        return true;
    }

    private InFlightCopies.Copy startedCopy(Pair pair, long sequence, long header, AcceleratorStream stream, int kind,
                                            Observer observer, long seenNs) {
        InFlightCopies.Copy copy = copies.add(stream, kind, pair, sequence);
        if (observer != null) {
            copy.sentNs = MessageHeader.field(pair.in(), header, MessageHeader.SENT);
            copy.seenNs = seenNs;
            copy.startNs = System.nanoTime();
        }
        pair.take(true);
        return copy;
    }

    private static void observeAtOnce(Observer observer, long sentNs, long seenNs, long startNs) {
        if (observer != null) {
            long nowNs = System.nanoTime();
            observer.served(sentNs, seenNs, startNs, nowNs, nowNs);
        }
    }

    private boolean takeGet(Pair pair, long sequence, long header, boolean fromDevice, CopyStreams streams, Observer observer,
                            long seenNs) {
        MemorySegment in = pair.in();
        AcceleratorStream stream = fromDevice ? streams.stream() : null;
        if (pair.isBlocked() || fromDevice && !copies.accepts(stream) || !fromDevice && pair.inFlight() > 0) {
            return false;
        }
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        long bytes = MessageHeader.field(in, header, MessageHeader.SIZE);
        long request = MessageHeader.field(in, header, MessageHeader.REQUEST);
        long extra = MessageHeader.field(in, header, MessageHeader.EXTRA);
        checks.range(pair, sequence, MessageHeader.GET, fromDevice, offset, bytes);
        if (bytes > layout.capacity()) {
            throw checks.violation(pair, sequence, MessageHeader.GET, "wants " + bytes + " bytes, a chunk holds "
                    + layout.capacity());
        }
        int length = (int) bytes;
        long answer = pair.claim(options.keptFromAnswers());
        if (answer == 0) {
            // Chunks are kept for answers, but credit for them may come late, here as at the peer: report now.
            pair.reportNow();
            return false;
        }
        long payload = RingLayout.payload(layout.header(answer), length);
        if (fromDevice) {
            stream.copyOut(pair.out(), payload, memory.device(), memory.deviceOffset() + offset, length);
            InFlightCopies.Copy copy = startedCopy(pair, sequence, header, stream, InFlightCopies.REPLY_OUT, observer, seenNs);
            copy.outSequence = answer;
            copy.length = length;
            copy.flags = 0;
            copy.requestId = request;
            copy.extra = extra;
            return true;
        }
        long startNs = observer == null ? 0 : System.nanoTime();
        Pair.copy(memory.host(), memory.heapStart() + offset, pair.out(), payload, length);
        long sentNs = MessageHeader.field(in, header, MessageHeader.SENT);
        pair.take(false);
        pairs.send(pair, answer, MessageHeader.GET_REPLY, 0, length, 0, request, length, extra);
        observeAtOnce(observer, sentNs, seenNs, startNs);
        return true;
    }

    private boolean takeReply(Pair pair, long sequence, long header, int length, CopyStreams streams) {
        MemorySegment in = pair.in();
        long id = MessageHeader.field(in, header, MessageHeader.REQUEST);
        long place = MessageHeader.field(in, header, MessageHeader.EXTRA);
        Request request = requests.find(id);
        if (request == null || place < 0 || place > request.bytes() - length) {
            throw checks.violation(pair, sequence, MessageHeader.GET_REPLY, "no such request: " + id + ", place " + place
                    + ", length " + length);
        }
        long payload = RingLayout.payload(header, length);
        if (request.device() == null) {
            if (!request.host().scope().isAlive()) {
                throw new IllegalStateException(request.describe() + ": " + HostBuffers.closed(request.host().byteSize()));
            }
            Pair.copy(in, payload, request.host(), request.offset() + place, length);
            pair.take(false);
            arrived(pair, request, id, length);
            return true;
        }
        AcceleratorStream stream = streams.stream();
        if (!copies.accepts(stream)) {
            return false;
        }
        stream.copyInWritten(request.device(), request.offset() + place, in, payload, length);
        InFlightCopies.Copy copy = copies.add(stream, InFlightCopies.REPLY_IN, pair, sequence);
        copy.request = request;
        copy.requestId = id;
        copy.length = length;
        pair.take(true);
        return true;
    }

    private boolean takeSet(Pair pair, long sequence, long header, boolean toDevice, CopyStreams streams) {
        AcceleratorStream stream = toDevice ? streams.stream() : null;
        if (pair.isBlocked() || toDevice && !copies.accepts(stream) || !toDevice && pair.inFlight() > 0) {
            return false;
        }
        MemorySegment in = pair.in();
        long offset = MessageHeader.field(in, header, MessageHeader.OFFSET);
        long bytes = MessageHeader.field(in, header, MessageHeader.SIZE);
        byte value = (byte) MessageHeader.field(in, header, MessageHeader.EXTRA);
        checks.range(pair, sequence, MessageHeader.SET, toDevice, offset, bytes);
        if (toDevice) {
            stream.fill(memory.device(), memory.deviceOffset() + offset, bytes, value);
            copies.add(stream, InFlightCopies.PUT, pair, sequence);
            pair.take(true);
        } else {
            memory.host().asSlice(memory.heapStart() + offset, bytes).fill(value);
            pair.take(false);
        }
        return true;
    }

    /** Performs an atomic operation, and answers with what was there if the peer asks for it. */
    private boolean takeAtomic(Pair pair, long sequence, long header, boolean onDevice, int length, CopyStreams streams,
                               Observer observer, long seenNs) {
        AcceleratorStream stream = onDevice ? streams.stream() : null;
        if (pair.isBlocked() || onDevice && !copies.accepts(stream) || !onDevice && pair.inFlight() > 0) {
            return false;
        }
        AtomicMessage message = checks.atomic(pair, sequence, header, onDevice, length);
        long answer = 0;
        if (message.request() != 0) {
            answer = pair.claim(options.keptFromAnswers());
            if (answer == 0) {
                pair.reportNow();
                return false;
            }
        }
        if (onDevice) {
            atomics.start(stream, message, copies.count(), answer != 0);
            InFlightCopies.Copy copy = startedCopy(pair, sequence, header, stream,
                    answer == 0 ? InFlightCopies.PUT : InFlightCopies.ATOMIC, observer, seenNs);
            copy.outSequence = answer;
            copy.length = Long.BYTES;
            copy.flags = 0;
            copy.requestId = message.request();
            copy.extra = 0;
            return true;
        }
        long startNs = observer == null ? 0 : System.nanoTime();
        long sentNs = MessageHeader.field(pair.in(), header, MessageHeader.SENT);
        long old = AtomicWords.apply(memory.host(), memory.heapStart() + message.offset(), message.type(), message.op(),
                message.operand(), message.comparand());
        pair.take(false);
        if (answer != 0) {
            pair.out().set(ValueLayout.JAVA_LONG, RingLayout.payload(layout.header(answer), Long.BYTES), old);
            pairs.send(pair, answer, MessageHeader.GET_REPLY, 0, Long.BYTES, 0, message.request(), Long.BYTES, 0);
        }
        observeAtOnce(observer, sentNs, seenNs, startNs);
        return true;
    }

    private boolean takeFence(Pair pair) {
        if (pair.isBlocked() || pair.inFlight() > 0) {
            return false;
        }
        pair.take(false);
        pair.reportNow();
        return true;
    }

    private boolean takeNotification(Pair pair, long sequence, long header) {
        if (pair.isBlocked() || pair.inFlight() > 0) {
            return false;
        }
        long extra = MessageHeader.field(pair.in(), header, MessageHeader.EXTRA);
        int tag = (int) (extra & 0xff);
        int kind = (int) (extra >>> 8 & 0xffffff);
        int block = (int) (extra >>> 32) - 1;
        if (kind > NotificationSink.WORD || kind == NotificationSink.WORD && block != NotificationSink.RANK
                || block < NotificationSink.RANK) {
            throw checks.violation(pair, sequence, MessageHeader.NOTIFY, "kind " + kind + ", block " + block);
        }
        boolean taken;
        try {
            taken = sink.signal(block, tag, kind, MessageHeader.field(pair.in(), header, MessageHeader.SIZE));
        } catch (IllegalStateException e) {
            throw checks.violation(pair, sequence, MessageHeader.NOTIFY, "block " + block + ", tag " + tag + ": "
                    + e.getMessage());
        }
        if (taken) {
            pair.take(false);
        }
        return taken;
    }

    private boolean takeCommands(Pair pair, long sequence, long header, int length) {
        if (pair.isBlocked() || pair.inFlight() > 0) {
            return false;
        }
        BlockSink.Commands commands = pair.commands();
        commands.begin(pair.in(), RingLayout.payload(header, length), length);
        long team = MessageHeader.field(pair.in(), header, MessageHeader.EXTRA);
        try {
            blocks.take(Math.toIntExact(team), commands);
        } catch (ArithmeticException | IllegalStateException | IndexOutOfBoundsException e) {
            throw checks.violation(pair, sequence, MessageHeader.BLOCKS, "blocks " + team + ": "
                    + (e instanceof ArithmeticException ? "this rank has no blocks" : e.getMessage()));
        }
        if (commands.left() != 0) {
            return false;
        }
        commands.end();
        pair.take(false);
        return true;
    }
}
