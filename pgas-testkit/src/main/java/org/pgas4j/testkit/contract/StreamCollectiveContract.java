package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.HeapStats;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.StreamCollectives;
import org.pgas4j.StreamForm;
import org.pgas4j.StreamGraph;
import org.pgas4j.Team;
import org.pgas4j.testkit.program.Tally;

/** Collective operations on streams, of all ranks and of halves of them, queued and captured. */
final class StreamCollectiveContract extends Contract {

    private static final long BYTES = 1 << 18;
    private static final int SEED = 7;
    private static final int LAUNCHES = 20;
    private static final int FORCED_LAUNCHES = 6;
    private static final int ROUNDS = 10;
    private static final int FORCED_ROUNDS = 3;
    /** Sizes around which forms change on GPUs. */
    private static final long[] EDGES = {8 << 10, 64 << 10, 128 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20};

    /** Longer than what members read of each other in the form DIRECT. */
    private static final long LONG_VECTOR = 9 << 20;

    private final Random same = new Random(SEED); // gives all ranks the same
    private final Vectors vectors;
    private long round;

    StreamCollectiveContract(Rank rank, Tally check) {
        super(rank, check);
        this.vectors = new Vectors(rank, check);
    }

    @Override
    void run() {
        long bytes = isHost() ? BYTES : Math.max(BYTES, Math.min(EDGES[EDGES.length - 1] * (rank.ranks() + 1), room() / 3));
        SharedPointer source = allocate(MemoryKind.DEVICE, bytes);
        SharedPointer target = allocate(MemoryKind.DEVICE, bytes);
        Buffer from = mine(source, bytes);
        Buffer into = mine(target, bytes);
        for (Team team : teams()) {
            for (StreamForm form : StreamForm.values()) {
                if (form != StreamForm.WORDS || !isHost()) { // there AUTO takes it
                    inForm(team, form, from, into);
                }
            }
        }
        rank.barrier();
        rank.allFree(target);
        rank.allFree(source);
    }

    /** Bytes that every rank's device heap has free. */
    private long room() {
        HeapStats heap = rank.memory().stats(MemoryKind.DEVICE);
        return rank.collectives().allReduce(heap.largestFreeBytes() >> 12, ReduceOp.MIN) << 12;
    }

    private boolean isHost() {
        return rank.device().backend() == Backend.HOST;
    }

    private void inForm(Team team, StreamForm form, Buffer from, Buffer into) {
        StreamCollectives made = make(team, form);
        if (made == null) {
            return;
        }
        check.same(true, made.explain().contains("form"), "explanation of " + form);
        try (StreamCollectives all = made; Stream stream = rank.device().newStream()) {
            for (int i = 0; i < (form == StreamForm.AUTO ? ROUNDS : FORCED_ROUNDS); i++) {
                operations(team, all, stream, from, into, form);
            }
            if (form == StreamForm.AUTO && !isHost()) {
                edges(team, all, stream, from, into);
            }
            if (form == StreamForm.DIRECT && !isHost()) {
                longVector(team, all, stream, from, into);
            }
            int steps = form == StreamForm.AUTO ? LAUNCHES : FORCED_LAUNCHES;
            chain(team, all, stream, from, into, steps);
            captured(team, all, stream, from, into, steps);
            if (team == rank.world()) {
                misuse(all, stream, from);
            }
            stream.sync();
        }
        check.refuses(IllegalStateException.class, "closed", () -> made.barrier(rank.stream()), "closed operations");
        if (team.ranks() > 1) {
            differing(team, form, from, into);
        }
    }

    /** Calls that differ are noticed by all members where they synchronise, queued or launched, and where they close. */
    private void differing(Team team, StreamForm form, Buffer from, Buffer into) {
        ReduceOp op = team.rank() == 0 ? ReduceOp.MIN : ReduceOp.MAX;
        Buffer one = typed(from, ElementType.LONG, 16);
        Buffer oneInto = typed(into, ElementType.LONG, 16);
        for (boolean isCaptured : new boolean[] {false, true}) {
            StreamCollectives all = make(team, form);
            if (all == null) { // other teams have taken the memory meanwhile
                return;
            }
            try (Stream stream = rank.device().newStream();
                    StreamGraph graph = stream.capture(s -> all.allReduce(s, oneInto, one, op))) {
                all.barrier(stream);
                stream.sync();
                if (isCaptured) {
                    stream.launch(graph);
                } else {
                    all.allReduce(stream, oneInto, one, op);
                }
                check.refuses(CollectiveMismatchException.class, "call 2, allReduce(16 elements of LONG, MIN)", stream::sync,
                        "another operation at another member, captured " + isCaptured);
                // A stream that is closed before it is through stops the others' waits for it.
                check.refuses(CollectiveMismatchException.class, "call 2", () -> passThrough(stream),
                        "a stream that is through");
            }
            check.refuses(CollectiveMismatchException.class, "call 2, allReduce(16 elements of LONG, MAX)", all::close,
                    "calls that differ, where they are closed");
        }
    }

    private void passThrough(Stream stream) {
        await(stream::isIdle, "end of what is queued on a stream");
    }

    /** Null where devices do not reach each other, or do not have the form, on all members. */
    private StreamCollectives make(Team team, StreamForm form) {
        try {
            return team.collectives().onStreams(form);
        } catch (UnsupportedOperationException e) {
            boolean some = e.getMessage().contains("reaches") || form != StreamForm.AUTO && form != StreamForm.WORDS;
            check.same(true, some, "operations on streams refused: " + e.getMessage());
            return null;
        }
    }

    private List<Team> teams() {
        List<Team> teams = new ArrayList<>(List.of(rank.world()));
        if (rank.ranks() > 2) {
            teams.add(rank.collectives().split(rank.rank() % 2));
        }
        return teams;
    }

    private static Buffer typed(Buffer memory, ElementType type, long count) {
        return Buffer.ofDevice(memory.deviceMemory(), memory.deviceOffset(), type, count);
    }

    private void operations(Team team, StreamCollectives all, Stream stream, Buffer from, Buffer into, StreamForm form) {
        ElementType type = ElementType.values()[same.nextInt(ElementType.values().length)];
        long most = BYTES / type.bytes() / team.ranks() / 16 * 16;
        long count = switch (same.nextInt(4)) {
            case 0 -> 1;
            case 1 -> most;
            default -> same.nextLong(1, most);
        };
        operations(team, all, stream, from, into, type, count, form);
    }

    /**
     * Sums that several members write to each other in parts, the last of which ends within a word of 16 bytes; with a device heap
     * of 256 MiB (pgas.heap.device), which the program does not ask for.
     */
    private void longVector(Team team, StreamCollectives all, Stream stream, Buffer from, Buffer into) {
        long count = LONG_VECTOR / Float.BYTES + 5;
        if (count * Float.BYTES > from.bytes()) {
            return;
        }
        Buffer one = typed(from, ElementType.FLOAT, count);
        Buffer oneInto = typed(into, ElementType.FLOAT, count);
        long seed = ++round * 1000;
        for (Buffer result : new Buffer[] {oneInto, one, one}) {
            vectors.fill(one, seed + team.rank(), 0);
            all.allReduce(stream, result, one, ReduceOp.SUM);
            stream.sync();
            vectors.checkCombined(result, 0, count, seed, team.ranks(), ReduceOp.SUM, "allReduce of " + count + " of "
                    + team.ranks());
        }
    }

    /** Parts just below, at and above the sizes at which forms change. */
    private void edges(Team team, StreamCollectives all, Stream stream, Buffer from, Buffer into) {
        for (long edge : EDGES) {
            long each = edge / Math.max(1, team.ranks() - 1) / Float.BYTES;
            for (long count : new long[] {each - 1, each, each + 1}) {
                if (count * Float.BYTES * team.ranks() <= from.bytes()) {
                    operations(team, all, stream, from, into, ElementType.FLOAT, count, StreamForm.AUTO);
                }
            }
        }
    }

    private void operations(Team team, StreamCollectives all, Stream stream, Buffer from, Buffer into, ElementType type,
                            long count, StreamForm form) {
        int n = team.ranks();
        int me = team.rank();
        int root = same.nextInt(1 << 20) % n;
        String what = type + " " + count + " of " + n + " on a stream, " + form;
        long seed = ++round * 1000;
        Buffer one = typed(from, type, count);
        Buffer whole = typed(from, type, count * n);
        Buffer oneInto = typed(into, type, count);
        Buffer wholeInto = typed(into, type, count * n);

        vectors.fill(one, seed + me, 0);
        all.broadcast(stream, one, root);
        stream.sync();
        vectors.check(one, 0, count, seed + root, 0, "broadcast " + what);

        vectors.fill(one, seed + me, 1);
        all.allGather(stream, wholeInto, one);
        stream.sync();
        for (int member = 0; member < n; member++) {
            vectors.check(wholeInto, member * count, count, seed + member, 1, "allGather " + what);
        }
        vectors.fill(whole, seed + me, 2);
        all.exchange(stream, wholeInto, whole);
        stream.sync();
        for (int member = 0; member < n; member++) {
            vectors.check(wholeInto, member * count, count, seed + member, 2 + me * count, "exchange " + what);
        }
        vectors.fill(whole, seed + me, 0);
        all.reduceScatter(stream, oneInto, whole, ReduceOp.SUM);
        all.allReduce(stream, wholeInto.slice(count * (n - 1), count), one, ReduceOp.SUM);
        stream.sync();
        if (n > 1) {
            vectors.checkCombined(oneInto, me * count, count, seed, n, ReduceOp.SUM, "reduceScatter " + what);
        }
        vectors.checkCombined(wholeInto.slice(count * (n - 1), count), 0, count, seed, n, ReduceOp.SUM, "allReduce " + what);
        vectors.fill(one, seed + me, 0);
        all.allReduce(stream, one, one, ReduceOp.SUM);
        stream.sync();
        vectors.checkCombined(one, 0, count, seed, n, ReduceOp.SUM, "allReduce in place " + what);
        vectors.fill(whole.slice(me * count, count), seed + me, 0);
        all.allGather(stream, whole, whole.slice(me * count, count));
        stream.sync();
        for (int member = 0; member < n; member++) {
            vectors.check(whole, member * count, count, seed + member, 0, "allGather in place " + what);
        }
        boolean differs = form == StreamForm.AUTO || form == StreamForm.COPIES; // the others are the same for these
        if (same.nextBoolean() && differs) {
            rooted(team, all, stream, from, into, type, count, what);
            scans(team, all, stream, one, oneInto, what);
        }
    }

    /** Operations whose parts are at one member. Others read or write its memory: nobody fills any before they have ended. */
    private void rooted(Team team, StreamCollectives all, Stream stream, Buffer from, Buffer into, ElementType type, long count,
                        String on) {
        int n = team.ranks();
        int me = team.rank();
        int root = same.nextInt(1 << 20) % n;
        String what = on + ", root " + root;
        long seed = ++round * 1000;
        Buffer one = typed(from, type, count);
        Buffer whole = typed(from, type, count * n);
        Buffer oneInto = typed(into, type, count);
        Buffer wholeInto = typed(into, type, count * n);

        vectors.fill(whole, seed + me, 3);
        vectors.fill(oneInto, seed + 500 + me, 0);
        all.scatter(stream, oneInto, whole, root);
        stream.sync();
        vectors.check(oneInto, 0, count, seed + root, 3 + me * count, "scatter " + what);

        vectors.fill(one, seed + me, 4);
        vectors.fill(wholeInto, seed + 500 + me, 0);
        all.gather(stream, wholeInto, one, root);
        stream.sync();
        for (int member = 0; member < n; member++) {
            vectors.check(wholeInto, member * count, count, me == root ? seed + member : seed + 500 + me,
                    me == root ? 4 : member * count, "gather " + what);
        }
        Buffer result = wholeInto.slice(0, count);
        vectors.fill(one, seed + me, 0);
        vectors.fill(result, seed + 500 + me, 0);
        all.reduce(stream, result, one, ReduceOp.SUM, root);
        stream.sync();
        if (me == root) {
            vectors.checkCombined(result, 0, count, seed, n, ReduceOp.SUM, "reduce " + what);
        } else {
            vectors.check(result, 0, count, seed + 500 + me, 0, "reduce, untouched " + what);
        }
        Buffer part = whole.slice(root * count, count);
        vectors.fill(whole, seed + me, 3);
        all.scatter(stream, part, whole, root);
        stream.sync();
        vectors.check(part, 0, count, seed + root, 3 + me * count, "scatter in place " + what);

        Buffer mine = wholeInto.slice(me * count, count);
        vectors.fill(mine, seed + me, 0);
        all.gather(stream, wholeInto, mine, root);
        stream.sync();
        for (int member = 0; member < n && me == root; member++) {
            vectors.check(wholeInto, member * count, count, seed + member, 0, "gather in place " + what);
        }
    }

    private void scans(Team team, StreamCollectives all, Stream stream, Buffer one, Buffer oneInto, String what) {
        long seed = ++round * 1000;
        vectors.fill(one, seed + team.rank(), 0);
        all.scan(stream, oneInto, one, ReduceOp.SUM);
        all.scan(stream, one, one, ReduceOp.SUM);
        stream.sync();
        vectors.checkScan(oneInto, one.length(), seed, team.rank(), ReduceOp.SUM, "scan " + what);
        vectors.checkScan(one, one.length(), seed, team.rank(), ReduceOp.SUM, "scan in place " + what);
    }

    /** Operations behind each other on two streams, without a host between them. */
    private void chain(Team team, StreamCollectives all, Stream stream, Buffer from, Buffer into, int steps) {
        Buffer value = typed(from, ElementType.LONG, 100);
        Buffer sum = typed(into, ElementType.LONG, 100);
        start(team, value);
        try (Stream other = rank.device().newStream()) {
            for (int i = 0; i < steps / 2; i++) {
                step(all, stream, value, sum);
                Event first = stream.record();
                other.await(first);
                all.barrier(other);
                step(all, other, value, sum);
                stream.await(other.record());
            }
            stream.sync();
            other.sync();
        }
        checkSteps(team, value, steps / 2 * 2, "chain");
    }

    private void captured(Team team, StreamCollectives all, Stream stream, Buffer from, Buffer into, int launches) {
        Buffer value = typed(from, ElementType.LONG, 100);
        Buffer sum = typed(into, ElementType.LONG, 100);
        start(team, value);
        try (StreamGraph graph = stream.capture(s -> {
            step(all, s, value, sum);
            all.barrier(s);
        })) {
            for (int i = 0; i < launches; i++) {
                stream.launch(graph);
            }
            stream.sync();
        }
        checkSteps(team, value, launches, "captured");
    }

    private static void step(StreamCollectives all, Stream stream, Buffer value, Buffer sum) {
        all.allReduce(stream, sum, value, ReduceOp.SUM);
        stream.copy(value, sum);
    }

    private void start(Team team, Buffer value) {
        long[] ones = new long[(int) value.length()];
        Arrays.fill(ones, team.rank() + 1);
        write(value, ones);
    }

    private void checkSteps(Team team, Buffer value, int steps, String what) {
        long n = team.ranks();
        long expected = n * (n + 1) / 2;
        for (int i = 1; i < steps; i++) {
            expected *= n; // wraps as the sums do
        }
        long[] found = read(value);
        check.same(expected, found[0], what + ", first of " + n);
        check.same(expected, found[found.length - 1], what + ", last of " + n);
    }

    private void write(Buffer device, long[] values) {
        try (Arena arena = Arena.ofShared(); Stream stream = rank.device().newStream()) {
            stream.copy(device, Buffer.ofHost(arena.allocateFrom(ElementType.LAYOUT_LONG, values), ElementType.LONG));
            stream.sync();
        }
    }

    private long[] read(Buffer device) {
        try (Arena arena = Arena.ofShared(); Stream stream = rank.device().newStream()) {
            Buffer host = Buffer.ofHost(arena.allocate(device.bytes(), Long.BYTES), ElementType.LONG);
            stream.copy(host, device);
            stream.sync();
            return host.segment().toArray(ElementType.LAYOUT_LONG);
        }
    }

    private void misuse(StreamCollectives all, Stream stream, Buffer from) {
        try (Buffer own = rank.device().alloc(ElementType.LONG, 16)) {
            check.refuses(IllegalArgumentException.class, "shared memory of the device",
                    () -> all.broadcast(stream, own, 0), "private memory of the device");
        }
        Buffer longs = typed(from, ElementType.LONG, 16);
        check.refuses(IllegalArgumentException.class, "differ in type or length",
                () -> all.allReduce(stream, longs, typed(from, ElementType.INT, 16), ReduceOp.SUM), "two types");
        check.refuses(IndexOutOfBoundsException.class, "root=" + rank.ranks(),
                () -> all.broadcast(stream, longs, rank.ranks()), "a root out of range");
        check.refuses(IndexOutOfBoundsException.class, "root=-1",
                () -> all.reduce(stream, longs, longs, ReduceOp.SUM, -1), "a root below all");
    }
}
