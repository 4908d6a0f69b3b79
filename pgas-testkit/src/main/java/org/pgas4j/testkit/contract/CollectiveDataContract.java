package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;
import org.pgas4j.Buffer;
import org.pgas4j.Collectives;
import org.pgas4j.ElementType;
import org.pgas4j.Handle;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.NonBlockingCollectives;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedPointer;
import org.pgas4j.Sync;
import org.pgas4j.Team;
import org.pgas4j.testkit.program.Tally;

/**
 * Collective operations on vectors: every one, with every type, operation and kind of memory, in teams of all and of some
 * ranks.
 */
final class CollectiveDataContract extends Contract {

    private static final long VECTOR_BYTES = 512 << 10;
    private static final long LONG_BYTES = (9 << 20) + 5000; // of three windows on a GPU, more on the host device
    private static final int SEED = 20;

    private final Random same = new Random(SEED); // gives all ranks the same
    private final VectorPlaces places;
    private final Vectors vectors;
    private long round;

    CollectiveDataContract(Rank rank, Tally check) {
        super(rank, check);
        this.places = new VectorPlaces(rank, VECTOR_BYTES);
        this.vectors = new Vectors(rank, check);
    }

    @Override
    void run() {
        try (places) {
            for (Team team : teams()) {
                for (VectorPlaces.Place place : VectorPlaces.Place.values()) {
                    operations(team, place);
                    sizes(team, place, place);
                }
                for (int i = 0; i < 6; i++) {
                    sizes(team, any(), any());
                }
                started(team);
                pointers(team);
            }
            inPlace(rank.world());
            windows(rank.world());
            functions(rank.world());
            misuse(rank.collectives());
        }
    }

    private VectorPlaces.Place any() {
        return VectorPlaces.Place.values()[same.nextInt(VectorPlaces.Place.values().length)];
    }

    /** All ranks, halves of alternating ranks, halves of those. */
    private List<Team> teams() {
        List<Team> teams = new ArrayList<>();
        teams.add(rank.world());
        if (rank.ranks() > 1) {
            Team half = rank.collectives().split(rank.rank() % 2);
            teams.add(half);
            if (rank.ranks() > 3) {
                teams.add(half.split(half.rank() % 2 == 0 ? 7 : -7));
            }
        }
        return teams;
    }

    private void operations(Team team, VectorPlaces.Place place) {
        for (ElementType type : ElementType.values()) {
            for (Reduction op : Vectors.operations(type)) {
                reductions(team, place, place, type, op, 37);
            }
        }
    }

    private void sizes(Team team, VectorPlaces.Place to, VectorPlaces.Place from) {
        ElementType type = ElementType.values()[same.nextInt(ElementType.values().length)];
        long most = VECTOR_BYTES / type.bytes() / team.ranks() / type.bytes() * type.bytes();
        for (long count : new long[] {0, 1, 3, 1000, same.nextLong(1, 20_000), most}) {
            long fits = Math.min(count, most);
            moves(team, to, from, type, fits);
            reductions(team, to, from, type, ReduceOp.SUM, fits);
        }
    }

    private void moves(Team team, VectorPlaces.Place to, VectorPlaces.Place from, ElementType type, long count) {
        int n = team.ranks();
        int me = team.rank();
        int root = same.nextInt(1 << 20) % n;
        String what = to + " from " + from + " " + type + " " + count + " of " + n + " root " + root;
        long seed = ++round * 1000;
        Buffer part = places.source(from, type, count);
        Buffer all = places.source(from, type, count * n);
        Buffer into = places.destination(to, type, count);
        Buffer intoAll = places.destination(to, type, count * n);
        Collectives collectives = team.collectives();

        Buffer sent = me == root && part.kind() == into.kind() ? part : into;
        vectors.fill(sent, seed + me, 0);
        collectives.broadcast(sent, root);
        vectors.check(sent, 0, count, seed + root, 0, "broadcast " + what);

        vectors.fill(all, seed + me, 0);
        collectives.scatter(into, me == root ? all : null, root);
        vectors.check(into, 0, count, seed + root, me * count, "scatter " + what);

        vectors.fill(part, seed + me, 5);
        collectives.gather(me == root ? intoAll : null, part, root);
        for (int member = 0; member < n && me == root; member++) {
            vectors.check(intoAll, member * count, count, seed + member, 5, "gather " + what);
        }
        vectors.fill(part, seed + me, 6);
        collectives.allGather(intoAll, part);
        for (int member = 0; member < n; member++) {
            vectors.check(intoAll, member * count, count, seed + member, 6, "allGather " + what);
        }
        vectors.fill(all, seed + me, 7);
        collectives.exchange(intoAll, all);
        for (int member = 0; member < n; member++) {
            vectors.check(intoAll, member * count, count, seed + member, 7 + me * count, "exchange " + what);
        }
        exchangeCounts(team, to, from, type, count, seed);
    }

    /** Member i has for member j as many elements as (i + 2 j) of a list says. */
    private void exchangeCounts(Team team, VectorPlaces.Place to, VectorPlaces.Place from, ElementType type, long count,
                                long seed) {
        int n = team.ranks();
        long[] lengths = {0, count, count / 2, count / 3, 0, count / 7};
        long[] out = new long[n];
        long[] in = new long[n];
        for (int member = 0; member < n; member++) {
            out[member] = lengths[(team.rank() + 2 * member) % lengths.length];
            in[member] = lengths[(member + 2 * team.rank()) % lengths.length];
        }
        Buffer src = places.source(from, type, count * n);
        Buffer dst = places.destination(to, type, count * n);
        vectors.fill(src, seed + team.rank(), 0);
        team.collectives().exchange(dst, in, src, out);
        long at = 0;
        for (int member = 0; member < n; member++) {
            long begin = 0;
            for (int before = 0; before < team.rank(); before++) {
                begin += lengths[(member + 2 * before) % lengths.length];
            }
            vectors.check(dst, at, in[member], seed + member, begin, "exchange with counts " + to + " from " + from + " " + type);
            at += in[member];
        }
    }

    private void reductions(Team team, VectorPlaces.Place to, VectorPlaces.Place from, ElementType type, Reduction op,
                            long count) {
        int n = team.ranks();
        int me = team.rank();
        int root = same.nextInt(1 << 20) % n;
        String what = to + " from " + from + " " + type + " " + op + " " + count + " of " + n + " root " + root;
        long seed = ++round * 1000;
        Collectives collectives = team.collectives();
        Buffer src = places.source(from, type, count);
        vectors.fill(src, seed + me, 0);

        Buffer dst = places.destination(to, type, count);
        collectives.allReduce(dst, src, op);
        vectors.checkCombined(dst, 0, count, seed, n, op, "allReduce " + what);

        vectors.fill(dst, 0, 0);
        collectives.reduce(me == root ? dst : null, src, op, root);
        if (me == root) {
            vectors.checkCombined(dst, 0, count, seed, n, op, "reduce " + what);
        }
        collectives.scan(dst, src, op);
        vectors.checkScan(dst, count, seed, me, op, "scan " + what);

        Buffer all = places.source(from, type, count * n);
        vectors.fill(all, seed + me, 0);
        collectives.reduceScatter(dst, all, op);
        vectors.checkCombined(dst, me * count, count, seed, n, op, "reduceScatter " + what);
    }

    // ---- in place

    private void inPlace(Team team) {
        int n = team.ranks();
        int me = team.rank();
        for (VectorPlaces.Place place : VectorPlaces.Place.values()) {
            for (long count : new long[] {5, 3000, VECTOR_BYTES / Double.BYTES / n}) {
                long seed = ++round * 1000;
                Buffer whole = places.destination(place, ElementType.DOUBLE, count * n);
                Buffer mine = whole.slice(me * count, count);
                vectors.fill(mine, seed + me, 0);
                team.collectives().allGather(whole, mine);
                for (int member = 0; member < n; member++) {
                    vectors.check(whole, member * count, count, seed + member, 0, "allGather in place " + place);
                }
                vectors.fill(whole, seed + me, 0);
                team.collectives().allReduce(whole, whole, ReduceOp.SUM);
                vectors.checkCombined(whole, 0, count * n, seed, n, ReduceOp.SUM, "allReduce in place " + place);
                vectors.fill(whole, seed + me, 0);
                team.collectives().scan(whole, whole, ReduceOp.SUM);
                vectors.checkScan(whole, count * n, seed, me, ReduceOp.SUM, "scan in place " + place);
                vectors.fill(whole, seed + me, 0);
                team.collectives().reduceScatter(mine, whole, ReduceOp.SUM);
                vectors.checkCombined(mine, me * count, count, seed, n, ReduceOp.SUM, "reduceScatter in place " + place);
            }
        }
    }

    /** Private device memory of several windows, whose last one is not full, blocking and not, in place and not. */
    private void windows(Team team) {
        int n = team.ranks();
        int me = team.rank();
        Collectives collectives = team.collectives();
        for (ElementType type : new ElementType[] {ElementType.DOUBLE, ElementType.HALF}) {
            long part = LONG_BYTES / type.bytes() / n;
            long count = part * n;
            long seed = ++round * 1000;
            String what = " of private device memory, " + count + " " + type;
            try (Buffer src = rank.device().alloc(type, count); Buffer dst = rank.device().alloc(type, count)) {
                vectors.fill(src, seed + me, 0);
                collectives.nonBlocking().allReduce(dst, src, ReduceOp.SUM).sync();
                vectors.checkCombined(dst, 0, count, seed, n, ReduceOp.SUM, "started allReduce" + what);
                vectors.fill(dst, 0, 0);
                collectives.reduce(me == n - 1 ? dst : null, src, ReduceOp.MAX, n - 1);
                if (me == n - 1) {
                    vectors.checkCombined(dst, 0, count, seed, n, ReduceOp.MAX, "reduce" + what);
                }
                collectives.scan(dst, src, ReduceOp.SUM);
                vectors.checkScan(dst, count, seed, me, ReduceOp.SUM, "scan" + what);
                collectives.reduceScatter(dst.slice(0, part), src, ReduceOp.SUM);
                vectors.checkCombined(dst.slice(0, part), me * part, part, seed, n, ReduceOp.SUM, "reduceScatter" + what);
                vectors.check(src, 0, count, seed + me, 0, "source" + what);
                collectives.allReduce(src, src, ReduceOp.SUM);
                vectors.checkCombined(src, 0, count, seed, n, ReduceOp.SUM, "allReduce in place" + what);
            }
        }
    }

    /**
     * Functions of the program on device memory, with values of theirs and of every type; one that no device can run, and objects
     * that are no lambda expressions. Values differ from one call to the next at the same place of the program.
     */
    private void functions(Team team) {
        Map<Long, Long> table = Map.of(0L, 7L);
        for (VectorPlaces.Place place : List.of(VectorPlaces.Place.SHARED_DEVICE, VectorPlaces.Place.PRIVATE_DEVICE)) {
            for (int round = 0; round < 2; round++) {
                long factor = 3 + round;
                double share = 0.5 + round;
                float scale = 0.25f * (round + 1);
                boolean swaps = round > 0;
                List<Reduction> integral = List.of(Reduction.ofLongs((a, b) -> swaps ? factor * b - a : factor * a - b),
                        Reduction.ofLongs(CollectiveDataContract::mix), Reduction.ofLongs(Math::max),
                        Reduction.ofLongs((a, b) -> a ^ b ^ table.get(0L)), Reduction.ofLongs((LongBinaryOperator) Long::sum));
                List<Reduction> floating = List.of(Reduction.ofDoubles((a, b) -> share * a - b * scale),
                        Reduction.ofDoubles((a, b) -> Math.max(a, b) / (Math.abs(b) + 1)),
                        Reduction.ofDoubles((a, b) -> a + b + table.get(0L)),
                        Reduction.ofDoubles((DoubleBinaryOperator) Double::sum));
                for (ElementType type : ElementType.values()) {
                    for (Reduction function : type.isFloatingPoint() ? floating : integral) {
                        reductions(team, place, place, type, function, 1003);
                    }
                }
            }
        }
    }

    private static long mix(long a, long b) {
        long sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += a >> 8 * i ^ b << i;
        }
        return sum;
    }

    // ---- not waited for

    /** Several in flight, synchronised in another order on each rank, with barriers and other teams in between. */
    private void started(Team team) {
        int n = team.ranks();
        NonBlockingCollectives starts = team.collectives().nonBlocking();
        for (VectorPlaces.Place place : VectorPlaces.Place.values()) {
            long count = VECTOR_BYTES / Double.BYTES / (2 * n + 4) / 16 * 16;
            long seed = ++round * 1000;
            Buffer source = places.source(place, ElementType.DOUBLE, count * n);
            Buffer target = places.destination(place, ElementType.DOUBLE, count * (2 * n + 2));
            Buffer sum = target.slice(0, count);
            Buffer gathered = target.slice(count, count * n);
            Buffer exchanged = target.slice(count * (n + 1), count * n);
            Buffer received = target.slice(count * (2 * n + 1), count);
            vectors.fill(source, seed + team.rank(), 0);
            vectors.fill(received, seed + team.rank(), 3);
            List<Handle> handles = new ArrayList<>(List.of(
                    starts.allReduce(sum, source.slice(0, count), ReduceOp.SUM),
                    starts.allGather(gathered, source.slice(0, count)),
                    starts.exchange(exchanged, source),
                    starts.broadcast(received, n - 1)));
            if (team.rank() % 2 == 0) {
                handles = handles.reversed();
            }
            if (round % 2 == 0) {
                rank.barrier();
            }
            for (Handle handle : handles) {
                if (rank.rank() % 3 == 0) {
                    askFor(handle);
                }
                handle.sync();
            }
            vectors.checkCombined(sum, 0, count, seed, n, ReduceOp.SUM, "started allReduce " + place);
            for (int member = 0; member < n; member++) {
                vectors.check(gathered, member * count, count, seed + member, 0, "started allGather " + place);
                vectors.check(exchanged, member * count, count, seed + member, team.rank() * count, "started exchange " + place);
            }
            vectors.check(received, 0, count, seed + n - 1, 3, "started broadcast " + place);
        }
        Handle left = starts.allReduce(places.destination(VectorPlaces.Place.PRIVATE_HOST, ElementType.LONG, 1000),
                places.source(VectorPlaces.Place.PRIVATE_HOST, ElementType.LONG, 1000), ReduceOp.MAX);
        team.collectives().allReduce(1L, ReduceOp.SUM); // completes it
        check.same(true, left.trySync(), "started before a blocking operation of the team");
    }

    // ---- pointers

    private void pointers(Team team) {
        int n = team.ranks();
        int me = team.rank();
        Collectives collectives = team.collectives();
        for (MemoryKind kind : MemoryKind.values()) {
            for (int bytes : new int[] {0, 8, 1001, (int) (VECTOR_BYTES / rank.ranks() / 2)}) {
                SharedPointer src = allocate(kind, Math.max(1, (long) bytes * rank.ranks()));
                SharedPointer dst = allocate(kind, Math.max(1, (long) bytes * rank.ranks()));
                Buffer source = mine(src, (long) bytes * n);
                Buffer target = mine(dst, (long) bytes * n);
                int root = same.nextInt(1 << 20) % n;
                int on = team.worldRank(root);
                long seed = ++round * 1000;
                String what = kind + " " + bytes + " of " + n + " root " + root;
                for (Sync sync : new Sync[] {Sync.ALL, Sync.MY, Sync.NO}) {
                    vectors.fill(source, seed + me, 0);
                    rank.barrier();
                    collectives.scatter(dst, src.onRank(on), bytes, sync);
                    team.barrier();
                    vectors.check(target, 0, bytes, seed + root, (long) me * bytes, "scatter " + what);
                    collectives.allGather(dst, src, bytes, sync);
                    team.barrier();
                    for (int member = 0; member < n; member++) {
                        vectors.check(target, (long) member * bytes, bytes, seed + member, 0, "allGather " + what);
                    }
                    team.barrier();
                    collectives.exchange(dst, src, bytes, sync);
                    team.barrier();
                    for (int member = 0; member < n; member++) {
                        vectors.check(target, (long) member * bytes, bytes, seed + member, (long) me * bytes, "exchange " + what);
                    }
                    team.barrier();
                    permute(team, dst, src, bytes, sync);
                    vectors.check(target, 0, bytes, seed + (me + n - 1) % n, 0, "permute " + what);
                    rank.barrier();
                }
                rank.allFree(dst);
                rank.allFree(src);
            }
        }
    }

    private void permute(Team team, SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        SharedInts next = rank.allAllocInts(Layout.cyclic(), rank.ranks());
        if (rank.rank() == 0) {
            for (int member = 0; member < team.ranks(); member++) {
                next.put(member, (member + 1) % team.ranks());
            }
        }
        rank.barrier();
        // Teams of other sizes have another permutation: each uses its own ranks' part, and sizes are the same but for the last.
        long sizes = rank.allReduce((long) team.ranks(), ReduceOp.MIN);
        if (sizes == team.ranks() && rank.allReduce((long) team.ranks(), ReduceOp.MAX) == sizes) {
            team.collectives().permute(dst, src, next.pointer(), bytes, sync);
        } else {
            if (sizes != team.ranks()) {
                rank.allReduce((long) team.ranks(), ReduceOp.MAX);
            }
            shift(team, dst, src, bytes);
        }
        team.barrier();
        rank.barrier();
        rank.allFree(next);
    }

    private void shift(Team team, SharedPointer dst, SharedPointer src, long bytes) {
        rank.memcpy(dst.onRank(team.worldRank((team.rank() + 1) % team.ranks())), src.onRank(rank.rank()), bytes);
        rank.barrier();
    }

    // ---- misuse

    private void misuse(Collectives collectives) {
        Buffer floats = places.source(VectorPlaces.Place.PRIVATE_HOST, ElementType.FLOAT, 8);
        Buffer doubles = places.destination(VectorPlaces.Place.PRIVATE_HOST, ElementType.DOUBLE, 8);
        Buffer many = Buffer.ofHost(MemorySegment.ofArray(new float[80]), ElementType.FLOAT);
        check.refuses(IllegalArgumentException.class, "is not defined for FLOAT",
                () -> collectives.allReduce(many.slice(0, 8), floats, ReduceOp.AND), "AND of floats");
        check.refuses(IllegalArgumentException.class, "is not defined for double", () -> rank.allReduce(1.0, ReduceOp.XOR),
                "XOR of doubles");
        check.refuses(IllegalArgumentException.class, "differ in type or length",
                () -> collectives.allReduce(doubles, floats, ReduceOp.SUM), "two types");
        check.refuses(IllegalArgumentException.class, "overlap",
                () -> collectives.scan(many.slice(1, 8), many.slice(0, 8), ReduceOp.SUM), "memory that overlaps");
        check.refuses(IllegalArgumentException.class, "parts",
                () -> collectives.allGather(many.slice(0, 3 * rank.ranks() + 1), floats.slice(0, 3)),
                "a destination of another length");
        check.refuses(IndexOutOfBoundsException.class, "root=" + rank.ranks(), () -> collectives.broadcast(floats, rank.ranks()),
                "a root out of range");
    }
}
