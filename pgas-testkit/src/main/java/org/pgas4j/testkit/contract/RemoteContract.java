package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Rank;
import org.pgas4j.RemoteCall;
import org.pgas4j.RemoteCallException;
import org.pgas4j.RemoteCalls;
import org.pgas4j.RemoteFunctions;
import org.pgas4j.Scope;
import org.pgas4j.SharedLongs;
import org.pgas4j.testkit.program.Tally;

/** Functions run once on the rank they are called on, in order, with the bytes that were given, and their results come back. */
final class RemoteContract extends Contract {

    private static final int MAX_BYTES = 200;
    private static final int CAPACITY = 4; // so that rings and slots of results are full all the time
    private static final int ROUNDS = 50;
    private static final int WORDS = 100;
    private static final int DONE = 5; // a tag

    private final int me;
    private final int ranks;
    private final long[] lastFrom;
    private long ran;
    private RemoteCalls calls;

    RemoteContract(Rank rank, Tally check) {
        super(rank, check);
        this.me = rank.rank();
        this.ranks = rank.ranks();
        this.lastFrom = new long[ranks];
    }

    @Override
    void run() {
        RemoteFunctions functions = new RemoteFunctions().maxBytes(MAX_BYTES).capacity(CAPACITY)
                .add("echo", (from, arguments, result) -> {
                    result.copyFrom(arguments);
                    return arguments.byteSize();
                })
                .add("in order", (from, arguments, _) -> inOrder(from, arguments.get(ElementType.LAYOUT_LONG, 0)))
                .add("hop", (_, arguments, _) -> hop(arguments.get(ElementType.LAYOUT_LONG, 0)))
                .add("fail", (from, _, _) -> {
                    throw new IllegalArgumentException("asked by " + from);
                });
        try (RemoteCalls made = rank.remote(functions)) {
            calls = made;
            echoes();
            order();
            hops();
            orderedMemory();
            launches();
            failures();
        }
    }

    /** Results of every size, several calls open at a time. */
    private void echoes() {
        for (int target = 0; target < ranks; target++) {
            List<RemoteCall> open = new ArrayList<>();
            for (int bytes = 0; bytes <= MAX_BYTES; bytes += 25) {
                open.add(calls.call(target, "echo", pattern(bytes)));
            }
            for (int i = 0; i < open.size(); i++) {
                MemorySegment result = open.get(i).result();
                check.same(25L * i, result.byteSize(), "bytes of a result");
                check.same(-1L, result.mismatch(pattern(25 * i)), "first wrong byte of a result");
            }
            check.same(7L + me, calls.call(target, "echo", 7 + me).longResult(), "a long");
        }
        calls.quiesce();
    }

    private MemorySegment pattern(int bytes) {
        MemorySegment pattern = MemorySegment.ofArray(new byte[bytes]);
        for (int i = 0; i < bytes; i++) {
            pattern.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + bytes + me));
        }
        return pattern;
    }

    private long inOrder(int from, long number) {
        check.same(lastFrom[from] + 1, number, "calls of rank " + from + " come in order");
        lastFrom[from] = number;
        ran++;
        return 0;
    }

    /** Every rank floods every other one. */
    private void order() {
        for (int i = 1; i <= ROUNDS; i++) {
            for (int target = 0; target < ranks; target++) {
                calls.send(target, "in order", i);
            }
        }
        calls.quiesce();
        check.same((long) ROUNDS * ranks, ran, "calls that were sent to this rank have run");
    }

    private long hop(long left) {
        ran++;
        if (left > 0) {
            calls.send((me + 1) % ranks, "hop", left - 1);
        }
        return 0;
    }

    /** Functions send on: quiescence counts those calls, too. */
    private void hops() {
        ran = 0;
        calls.quiesce();
        for (int i = 0; i < 3; i++) {
            calls.send((me + 1) % ranks, "hop", ROUNDS * ranks - 1);
        }
        calls.quiesce();
        check.same(3L * ROUNDS * ranks, ran, "hops on this rank");
    }

    /** Bytes that a rank has put before a call are there for the function. */
    private void orderedMemory() {
        SharedLongs words = rank.allAllocLongs(Layout.cyclic(), ranks);
        try (RemoteCalls readers = rank.remote(new RemoteFunctions().add("read", (_, arguments, result) -> {
            result.set(ElementType.LAYOUT_LONG, 0, words.get(arguments.get(ElementType.LAYOUT_LONG, 0)));
            return Long.BYTES;
        }))) {
            int next = (me + 1) % ranks;
            for (int i = 0; i < ROUNDS; i++) {
                words.put(next, 1000L * me + i);
                check.same(1000L * me + i, readers.call(next, "read", next).longResult(), "a word that was put before");
            }
        }
        rank.allFree(words);
    }

    /** A function launches kernels in its rank's stream, which tells the caller when they are done. */
    private void launches() {
        SharedLongs words;
        try (Scope _ = rank.onDevice()) {
            words = rank.allAllocLongs(Layout.even(), (long) ranks * WORDS);
        }
        rank.stream().forAll(words, 0, words.length(), 1, i -> words.put(i, i));
        rank.stream().sync();
        try (RemoteCalls launchers = rank.remote(new RemoteFunctions().add("launch", (from, arguments, _) -> {
            long summand = arguments.get(ElementType.LAYOUT_LONG, 0);
            rank.stream().forAll(words, 0, words.length(), 1, i -> words.put(i, words.get(i) + summand));
            rank.stream().signal(from, DONE);
            return 0;
        }))) {
            int next = (me + 1) % ranks;
            for (int i = 1; i <= 3; i++) {
                launchers.send(next, "launch", 1000L * i * (1 + me));
            }
            rank.notifications().await(DONE, 3);
            long[] seen = new long[WORDS];
            words.get((long) next * WORDS, WORDS, MemorySegment.ofArray(seen));
            for (int i = 0; i < WORDS; i++) {
                check.same((long) next * WORDS + i + 6000L * (1 + me), seen[i], "what kernels of " + next + " have written");
            }
        }
        rank.allFree(words);
    }

    private void failures() {
        int target = ranks - 1;
        check.refuses(RemoteCallException.class, "call of fail by rank " + me + " on rank " + target
                + " failed: java.lang.IllegalArgumentException: asked by " + me, () -> calls.call(target, "fail").sync(),
                "a function that throws");
        check.refuses(IllegalArgumentException.class, "there are: [echo, fail, hop, in order]", () -> calls.send(0, "nothing"),
                "no such function");
        check.refuses(IllegalArgumentException.class, "arguments of 201 bytes",
                () -> calls.send(0, "echo", pattern(MAX_BYTES + 1)), "too many bytes");
        check.refuses(IndexOutOfBoundsException.class, "target=" + ranks, () -> calls.send(ranks, "echo"), "no such rank");
        calls.quiesce();
    }
}
