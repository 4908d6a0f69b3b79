package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.pgas4j.AtomicDomain;
import org.pgas4j.AtomicOp;
import org.pgas4j.Atomics;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedArray;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.testkit.program.Mixer;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.Tally;

/** Atomic operations of host code on words of host and device memory: each against a model, and all ranks on one word at once. */
final class AtomicContract extends Contract {

    private static final long BYTES = 256;
    private static final ElementType[] TYPES = {ElementType.INT, ElementType.LONG, ElementType.FLOAT, ElementType.DOUBLE};

    private final Atomics atomics;

    AtomicContract(Rank rank, Tally check) {
        super(rank, check);
        this.atomics = rank.atomics();
    }

    private static Set<AtomicOp> all(ElementType type) {
        EnumSet<AtomicOp> ops = EnumSet.allOf(AtomicOp.class);
        ops.removeIf(op -> !op.isOf(type));
        return ops;
    }

    @Override
    void run() {
        for (MemoryKind kind : MemoryKind.values()) {
            SharedPointer words = allocate(kind, BYTES);
            for (int distance : new int[] {0, 1, rank.ranks() - 1}) {
                shortForms(words, distance);
                for (ElementType type : TYPES) {
                    sequence(words, type, distance);
                }
                unsigned(words, ElementType.INT, distance);
                unsigned(words, ElementType.LONG, distance);
            }
            sum(words, kind == MemoryKind.HOST ? 2000 : 50);
            tickets(words, kind == MemoryKind.HOST ? 500 : 20);
            floats(words, kind == MemoryKind.HOST ? 300 : 10);
            startedSwaps(words, kind == MemoryKind.HOST ? 300 : 10);
            message(words);
            streams(words);
            refusals(words);
            rank.barrier();
            rank.allFree(words);
            extremes(kind, kind == MemoryKind.HOST ? 500 : 20);
            arrays(kind, kind == MemoryKind.HOST ? 300 : 12);
        }
    }

    /** A word of each rank's, of which only the rank {@code -distance} further uses this part. */
    private SharedPointer word(SharedPointer words, int distance, long offset) {
        return words.onRank(target(distance)).resetPhase().plus(offset);
    }

    private void shortForms(SharedPointer words, int distance) {
        SharedPointer word = word(words, distance, 8);
        rank.barrier();
        atomics.set(word, 100);
        rank.fence();
        check.same(100L, atomics.get(word), "get after set");
        check.same(100L, atomics.fetchAdd(word, 7), "fetchAdd");
        check.same(107L, atomics.swap(word, 0b1100), "swap");
        check.same(0b1100L, atomics.fetchAnd(word, 0b0110), "fetchAnd");
        check.same(0b0100L, atomics.fetchOr(word, 0b0011), "fetchOr");
        check.same(0b0111L, atomics.fetchXor(word, 0b0101), "fetchXor");
        check.same(0b0010L, atomics.compareSwap(word, 3, 9), "compareSwap that fails");
        check.same(0b0010L, atomics.compareSwap(word, 2, 9), "compareSwap");
        atomics.add(word, -1);
        atomics.or(word, 0x10);
        atomics.and(word, 0x18);
        atomics.xor(word, 1);
        rank.fence();
        check.same(0x19L, atomics.get(word), "what add, or, and, xor have left");
        rank.barrier();
    }

    /** A random sequence of operations on one word, compared with the same on a number. */
    private void sequence(SharedPointer words, ElementType type, int distance) {
        AtomicDomain domain = atomics.domain(type, all(type));
        SharedPointer word = word(words, distance, 16 + 4L * (type.bytes() == 4 ? 1 : 2));
        SharedPointer neighbour = word(words, distance, 16);
        atomics.set(neighbour, 0x0123456789abcdefL);
        rank.fence();
        boolean integers = type == ElementType.INT || type == ElementType.LONG;
        List<AtomicOp> ops = List.copyOf(all(type));
        long seed = type.bytes() * 31L + rank.rank();
        double model = 3;
        if (integers) {
            domain.apply(AtomicOp.SET, word, 3L);
        } else {
            domain.apply(AtomicOp.SET, word, 3.0);
        }
        for (int i = 0; i < 60; i++) {
            AtomicOp op = ops.get((int) Math.floorMod(Mixer.mix(seed + 2 * i * Mixer.STEP), (long) ops.size()));
            long operand = Math.floorMod(Mixer.mix(seed + (2 * i + 1) * Mixer.STEP), 9L) - 4;
            double before = integers ? integer(domain, word, op, operand, (long) model) : real(domain, word, op, operand, model);
            check.same(model, before, op + " " + i + " of " + type + " at distance " + distance);
            model = next(op, model, operand) + (integers ? 0.0 : -0.0); // integers have no negative zero
            if (Math.abs(model) > 1e6) {
                model = reset(domain, word, integers);
            }
        }
        long left = atomics.get(neighbour);
        check.same(0x89abcdefL, left & 0xffffffffL, "bytes before a word of " + type);
        rank.barrier();
    }

    /** Unsigned minima and maxima of numbers with all bits, each compared with big integers. */
    private void unsigned(SharedPointer words, ElementType type, int distance) {
        AtomicDomain domain = atomics.domain(type,
                EnumSet.of(AtomicOp.SET, AtomicOp.GET, AtomicOp.UNSIGNED_MIN, AtomicOp.UNSIGNED_MAX));
        SharedPointer word = word(words, distance, 40);
        BigInteger range = BigInteger.ONE.shiftLeft(type.bytes() * Byte.SIZE);
        long seed = type.bytes() * 131L + rank.rank();
        BigInteger model = BigInteger.ZERO;
        domain.apply(AtomicOp.SET, word, 0L);
        for (int i = 0; i < 40; i++) {
            long operand = Mixer.mix(seed + i * Mixer.STEP);
            BigInteger value = BigInteger.valueOf(operand).mod(range);
            AtomicOp op = i % 3 == 0 ? AtomicOp.SET : i % 2 == 0 ? AtomicOp.UNSIGNED_MIN : AtomicOp.UNSIGNED_MAX;
            if (op == AtomicOp.SET) {
                domain.apply(op, word, operand);
            } else {
                BigInteger before = BigInteger.valueOf(domain.fetch(op, word, operand)).mod(range);
                check.same(model, before, op + " " + i + " of " + type + " at distance " + distance);
            }
            model = op == AtomicOp.SET ? value : op == AtomicOp.UNSIGNED_MIN ? model.min(value) : model.max(value);
        }
        check.same(model, BigInteger.valueOf(domain.fetch(AtomicOp.GET, word, 0L)).mod(range), "unsigned " + type + " at the end");
        rank.barrier();
    }

    private double reset(AtomicDomain domain, SharedPointer word, boolean integers) {
        if (integers) {
            domain.apply(AtomicOp.SET, word, 1L);
        } else {
            domain.apply(AtomicOp.SET, word, 1.0);
        }
        return 1;
    }

    private static double integer(AtomicDomain domain, SharedPointer word, AtomicOp op, long operand, long expected) {
        return op == AtomicOp.COMPARE_SWAP ? domain.compareSwap(word, expected, operand) : domain.fetch(op, word, operand);
    }

    private static double real(AtomicDomain domain, SharedPointer word, AtomicOp op, double operand, double expected) {
        return op == AtomicOp.COMPARE_SWAP ? domain.compareSwap(word, expected, operand) : domain.fetch(op, word, operand);
    }

    private static double next(AtomicOp op, double a, long b) {
        return switch (op) {
            case GET -> a;
            case SET, SWAP, COMPARE_SWAP -> b;
            case ADD -> a + b;
            case MULTIPLY -> a * b;
            case MIN -> Math.min(a, b);
            case MAX -> Math.max(a, b);
            case AND -> (long) a & b;
            case OR -> (long) a | b;
            case XOR -> (long) a ^ b;
            case UNSIGNED_MIN -> Long.compareUnsigned((long) a, b) < 0 ? a : b;
            case UNSIGNED_MAX -> Long.compareUnsigned((long) a, b) > 0 ? a : b;
        };
    }

    /** All ranks add to one word at once, and to the halves of another. */
    private void sum(SharedPointer words, int rounds) {
        SharedPointer word = words.resetPhase().plus(64);
        AtomicDomain ints = atomics.domain(ElementType.INT, Set.of(AtomicOp.ADD, AtomicOp.GET, AtomicOp.SET));
        if (rank.rank() == 0) {
            atomics.set(word, 0);
            atomics.set(word.plus(8), 0);
        }
        rank.barrier();
        for (int i = 0; i < rounds; i++) {
            atomics.add(word, rank.rank() + 1);
            ints.apply(AtomicOp.ADD, word.plus(8 + 4L * (i % 2)), 1L);
        }
        rank.barrier();
        long n = rank.ranks();
        check.same(rounds * n * (n + 1) / 2, atomics.get(word), "sum of all ranks");
        check.same(rounds / 2 * n, ints.fetch(AtomicOp.GET, word.plus(8), 0L), "lower half");
        check.same(rounds / 2 * n, ints.fetch(AtomicOp.GET, word.plus(12), 0L), "upper half");
        rank.barrier();
    }

    /** All ranks look for the least and the greatest of their numbers without a sign, some of which have the upper bit. */
    private void extremes(MemoryKind kind, int rounds) {
        SharedInts ints;
        try (Scope _ = Program.in(rank, kind)) {
            ints = rank.allAllocInts(Layout.onRank(rank.ranks() - 1), 2);
        }
        AtomicDomain domain = atomics.domain(ElementType.INT, EnumSet.of(AtomicOp.UNSIGNED_MIN, AtomicOp.UNSIGNED_MAX));
        if (rank.rank() == 0) {
            ints.put(0, -1);
            ints.put(1, 0);
        }
        rank.barrier();
        int least = -1;
        int greatest = 0;
        for (int i = 0; i < rounds; i++) {
            int number = (int) Mixer.mix((long) rounds * rank.rank() + i);
            domain.apply(AtomicOp.UNSIGNED_MIN, ints.pointer(0), number);
            domain.apply(AtomicOp.UNSIGNED_MAX, ints.pointer(1), number);
        }
        for (int i = 0; i < rounds * rank.ranks(); i++) {
            int number = (int) Mixer.mix(i);
            least = Integer.compareUnsigned(number, least) < 0 ? number : least;
            greatest = Integer.compareUnsigned(number, greatest) > 0 ? number : greatest;
        }
        rank.barrier();
        check.same(least, ints.get(0), "least number of all ranks");
        check.same(greatest, ints.get(1), "greatest number of all ranks");
        check.that(least >= 0 && greatest < 0, "numbers on both sides of the sign: " + least + ", " + greatest);
        rank.barrier();
        rank.allFree(ints);
    }

    /** All ranks add to all elements of arrays of each type, and to slices of them. */
    private void arrays(MemoryKind kind, int rounds) {
        int n = rank.ranks();
        SharedInts ints;
        SharedLongs longs;
        SharedFloats floats;
        SharedDoubles doubles;
        try (Scope _ = Program.in(rank, kind)) {
            ints = rank.allAllocInts(Layout.cyclic(), n + 1);
            longs = rank.allAllocLongs(Layout.cyclic(), n + 1);
            floats = rank.allAllocFloats(Layout.cyclic(), n + 1);
            doubles = rank.allAllocDoubles(Layout.cyclic(), n + 1);
        }
        for (SharedArray array : List.of(ints, longs, floats, doubles)) {
            rank.stream().fill(array.local(), 0);
        }
        rank.stream().sync();
        rank.barrier();
        SharedInts tail = ints.slice(1, n);
        int last = -1;
        boolean rising = true;
        for (int i = 0; i < rounds; i++) {
            for (int at = 0; at < n; at++) {
                ints.addTo(at, -3);
                longs.addTo(at, -3L << 40);
                floats.addTo(at, 0.5f);
                doubles.addTo(at, -0.25);
            }
            int seen = tail.getAndAdd(n - 1, 2); // element n of the whole
            rising &= seen > last;
            last = seen;
            rising &= floats.getAndAdd(n, 2) >= 2f * i && doubles.getAndAdd(n, 2) >= 2.0 * i && longs.getAndAdd(n, 2) >= 2L * i;
        }
        check.that(rising, "what was there before additions to elements of rank " + rank.rank() + " rises");
        rank.barrier();
        long sums = (long) rounds * n;
        for (int at = 0; at < n; at++) {
            check.same((int) (-3 * sums), ints.get(at), "sum of ints at " + at);
            check.same((-3L << 40) * sums, longs.get(at), "sum of longs at " + at);
            check.same(0.5f * sums, floats.get(at), "sum of floats at " + at);
            check.same(-0.25 * sums, doubles.get(at), "sum of doubles at " + at);
        }
        check.same((int) (2 * sums), ints.get(n), "sum of ints of a slice");
        check.same(2 * sums, longs.get(n), "sum of longs behind");
        check.same(2f * sums, floats.get(n), "sum of floats behind");
        check.same(2.0 * sums, doubles.get(n), "sum of doubles behind");
        rank.barrier();
        check.same(ints.get(rank.rank()), ints.getAndAdd(rank.rank(), Integer.MIN_VALUE), "what was there before an int wraps");
        check.same((int) (-3 * sums) + Integer.MIN_VALUE, ints.get(rank.rank()), "an int that wraps");
        check.refuses(IndexOutOfBoundsException.class, "index=" + (n + 1), () -> floats.addTo(n + 1, 1), "an element outside");
        rank.barrier();
        List.of(ints, longs, floats, doubles).forEach(rank::allFree);
    }

    /** Each ticket goes to one rank. */
    private void tickets(SharedPointer words, int rounds) {
        SharedPointer word = words.onRank(rank.ranks() - 1).resetPhase().plus(80);
        if (rank.rank() == 0) {
            atomics.set(word, 0);
        }
        rank.barrier();
        long sum = 0;
        long last = -1;
        boolean rising = true;
        for (int i = 0; i < rounds; i++) {
            long ticket;
            if (i % 2 == 0) {
                ticket = atomics.fetchAdd(word, 1);
            } else {
                ticket = atomics.get(word);
                for (long seen; (seen = atomics.compareSwap(word, ticket, ticket + 1)) != ticket; ticket = seen) {
                    rank.progress();
                }
            }
            rising &= ticket > last;
            last = ticket;
            sum += ticket;
        }
        check.that(rising, "tickets of rank " + rank.rank() + " rise");
        long all = (long) rounds * rank.ranks();
        check.same(all * (all - 1) / 2, rank.allReduce(sum, ReduceOp.SUM), "sum of all tickets");
        check.same(all, atomics.get(word), "next ticket");
        rank.barrier();
    }

    private void floats(SharedPointer words, int rounds) {
        SharedPointer word = words.resetPhase().plus(96);
        AtomicDomain doubles = atomics.domain(ElementType.DOUBLE, Set.of(AtomicOp.ADD, AtomicOp.MAX, AtomicOp.GET));
        if (rank.rank() == 0) {
            atomics.set(word, 0);
            atomics.set(word.plus(8), 0);
        }
        rank.barrier();
        try (Arena arena = Arena.ofConfined()) {
            List<Handle> started = new ArrayList<>();
            MemorySegment results = arena.allocate(8L * rounds, 8);
            for (int i = 0; i < rounds; i++) {
                started.add(doubles.start(AtomicOp.ADD, word, 0.25, results.asSlice(8L * i, 8)));
                doubles.apply(AtomicOp.MAX, word.plus(8), rank.rank() * 1000.0 + i);
            }
            started.forEach(Handle::sync);
            double last = -1;
            for (int i = 0; i < rounds; i++) {
                double now = results.get(ValueLayout.JAVA_DOUBLE, 8L * i);
                double before = last;
                check.that(now > before, "results of started additions rise: " + before + ", " + now);
                last = now;
            }
        }
        rank.barrier();
        check.same(0.25 * rounds * rank.ranks(), doubles.fetch(AtomicOp.GET, word, 0.0), "sum of doubles");
        check.same((rank.ranks() - 1) * 1000.0 + rounds - 1, doubles.fetch(AtomicOp.GET, word.plus(8), 0.0), "largest double");
        rank.barrier();
    }

    /** Of started compare-and-swaps of one word from one value, one takes place, and all others find what it wrote. */
    private void startedSwaps(SharedPointer words, int rounds) {
        SharedPointer word = words.onRank(rank.ranks() - 1).resetPhase().plus(112);
        AtomicDomain longs = atomics.domain(ElementType.LONG, Set.of(AtomicOp.COMPARE_SWAP, AtomicOp.GET));
        AtomicDomain floats = atomics.domain(ElementType.FLOAT, Set.of(AtomicOp.COMPARE_SWAP, AtomicOp.GET));
        if (rank.rank() == 0) {
            atomics.set(word, 0);
            atomics.set(word.plus(8), 0);
        }
        rank.barrier();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(16, 8);
            long won = 0;
            for (int round = 0; round < rounds; round++) {
                long next = round + 1L;
                Handle ofLong = longs.startCompareSwap(word, round, next, result);
                Handle ofFloat = floats.startCompareSwap(word.plus(8), (double) round, (double) next, result.asSlice(8, 8));
                ofFloat.sync();
                ofLong.sync();
                long found = result.get(ValueLayout.JAVA_LONG, 0);
                float foundFloat = result.get(ValueLayout.JAVA_FLOAT, 8);
                check.that(found == round || found == next, "long of round " + round + ": " + found);
                check.that(foundFloat == round || foundFloat == next, "float of round " + round + ": " + foundFloat);
                won += (found == round ? 1 : 0) + (foundFloat == round ? 1 << 20 : 0);
                rank.barrier();
            }
            check.same(rounds + ((long) rounds << 20), rank.allReduce(won, ReduceOp.SUM), "swaps that took place");
        }
        check.same((long) rounds, longs.fetch(AtomicOp.GET, word, 0), "long at the end");
        check.same((double) rounds, floats.fetch(AtomicOp.GET, word.plus(8), 0.0), "float at the end");
        rank.barrier();
    }

    /** A rank that sees an atomic flag sees what was put before the fence before it. */
    private void message(SharedPointer words) {
        SharedPointer flag = words.onRank(rank.rank()).resetPhase().plus(128);
        SharedPointer theirFlag = words.onRank(target(1)).resetPhase().plus(128);
        SharedPointer theirData = words.onRank(target(1)).resetPhase().plus(136);
        atomics.set(flag, 0);
        rank.barrier();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(64, 8);
            for (int round = 1; round <= 20; round++) {
                data.fill((byte) (round + rank.rank()));
                rank.memput(theirData, data, 64);
                rank.fence();
                atomics.fetchAdd(theirFlag, 1);
                int next = round;
                await(() -> atomics.get(flag) >= next, "flag of rank " + target(-1));
                rank.memget(data, flag.plus(8), 64);
                for (int i = 0; i < 64; i++) {
                    check.same((byte) (round + target(-1)), data.get(ValueLayout.JAVA_BYTE, i), "byte behind a flag");
                }
                rank.barrier();
            }
        }
    }

    /** Operations of streams, behind what is queued before them, on the same word as hosts' and, where a device does them, in a graph. */
    private void streams(SharedPointer words) {
        SharedPointer word = words.onRank(target(1)).resetPhase().plus(200);
        atomics.set(words.onRank(rank.rank()).resetPhase().plus(200), 0);
        rank.barrier();
        try (Buffer results = rank.device().alloc(ElementType.LONG, 4)) {
            Stream stream = rank.stream();
            stream.fill(results, 0x11);
            for (int i = 0; i < 3; i++) {
                stream.atomic(word, AtomicOp.ADD, 5, 0, results.slice(i, 1));
            }
            stream.atomic(word, AtomicOp.COMPARE_SWAP, 100, 15, results.slice(3, 1));
            stream.atomic(word, AtomicOp.ADD, 1);
            rank.fence();
            check.same(101L, atomics.get(word), "word after operations of a stream");
            try (Arena arena = Arena.ofShared()) {
                MemorySegment seen = arena.allocate(32, 8);
                stream.copy(Buffer.ofHost(seen, ElementType.LONG), results);
                stream.sync();
                for (int i = 0; i < 4; i++) {
                    check.same(5L * i, seen.getAtIndex(ValueLayout.JAVA_LONG, i), "result " + i + " of a stream's operation");
                }
            }
            check.refuses(IllegalArgumentException.class, "8 bytes of this rank's device",
                    () -> stream.atomic(word, AtomicOp.ADD, 1, 0, Buffer.ofHost(MemorySegment.ofArray(new byte[8]), ElementType.LONG)),
                    "a result in host memory");
            check.refuses(IllegalArgumentException.class, "not aligned", () -> stream.atomic(word.plus(4), AtomicOp.ADD, 1),
                    "a stream's word that is not aligned");
        }
        rank.barrier();
    }

    private void refusals(SharedPointer words) {
        SharedPointer mine = words.onRank(rank.rank()).resetPhase();
        check.refuses(IllegalArgumentException.class, "not aligned to the 8 bytes of LONG", () -> atomics.fetchAdd(mine.plus(4), 1),
                "a word that is not aligned");
        check.refuses(IndexOutOfBoundsException.class, "atomic out of bounds", () -> atomics.get(mine.cast(0, 1).plus(BYTES)), "a word outside");
        check.refuses(IllegalArgumentException.class, "there is no XOR of it",
                () -> atomics.domain(ElementType.DOUBLE, Set.of(AtomicOp.XOR)), "a domain with an operation that is none");
        AtomicDomain gets = atomics.domain(ElementType.LONG, Set.of(AtomicOp.GET));
        check.refuses(IllegalArgumentException.class, "ADD of a long", () -> gets.fetch(AtomicOp.ADD, mine, 1L),
                "an operation outside the domain");
        check.refuses(IllegalArgumentException.class, "GET of a double", () -> gets.fetch(AtomicOp.GET, mine, 1.0),
                "a value of the other kind");
        String text = gets.explain(mine);
        check.that(text.contains("LONG words in the " + mine.kind()), "explanation: " + text);
        check.same(mine.kind() == MemoryKind.HOST, gets.isFast(mine), "own words of host memory are fast");
    }
}
