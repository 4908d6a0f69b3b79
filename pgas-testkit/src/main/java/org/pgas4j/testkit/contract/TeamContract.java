package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.Collectives;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.Tally;

/** Teams by colour and key and of lists: their members, the order of these, and that all operations follow that order. */
final class TeamContract extends Contract {

    private static final int LONG = 3000; // too many elements to travel with an exchange
    private static final int TAG = 3;
    private static final long BYTES = (long) LONG * Long.BYTES; // of each rank, for each rank
    private static final long OF_RANK = 1L << 32;

    private final SharedPointer src;
    private final SharedPointer dst;

    TeamContract(Rank rank, Tally check) {
        super(rank, check);
        this.src = allocate(MemoryKind.HOST, BYTES * rank.ranks());
        this.dst = allocate(MemoryKind.HOST, BYTES * rank.ranks());
    }

    @Override
    void run() {
        long before = used();
        int n = rank.ranks();
        int[] all = IntStream.range(0, n).toArray();
        int[] backward = IntStream.range(0, n).map(i -> n - 1 - i).toArray();

        try (Team team = rank.world().split(0, -rank.rank())) {
            operations(team, backward, "by descending key");
            try (Team again = team.split(-1, 1)) {
                operations(again, backward, "of equal keys, in the order of the team that was split");
            }
            try (Team forward = team.split(7, rank.rank())) {
                operations(forward, all, "by ascending key");
            }
        }
        // Keys 1, 0, 1, 0 ... of the two colours below and above the middle.
        int[] half = Arrays.stream(all).filter(other -> 2 * other < n == 2 * rank.rank() < n).boxed()
                .sorted(Comparator.comparingInt(other -> 1 - other % 2)).mapToInt(Integer::intValue).toArray();
        try (Team team = rank.world().split(2 * rank.rank() < n ? 5 : -5, 1 - rank.rank() % 2)) {
            operations(team, half, "of a colour, by keys of which some are equal");
        }
        lists(backward);
        misuse();
        check.same(before, used(), "bytes of the host heap after all teams were closed");
        rank.allFree(dst);
        rank.allFree(src);
    }

    private long used() {
        rank.barrier();
        long used = rank.memory().stats(MemoryKind.HOST).usedBytes();
        rank.barrier();
        return used;
    }

    private void lists(int[] backward) {
        int n = rank.ranks();
        int me = rank.rank();
        try (Team team = rank.world().team(backward)) {
            operations(team, backward, "of all, backward");
            int[] odd = IntStream.range(0, n).filter(member -> member % 2 == 1).toArray();
            if (odd.length > 0) {
                try (Team part = team.team(odd)) { // numbers in the team that lists them
                    int[] expected = Arrays.stream(odd).map(member -> backward[member]).toArray();
                    boolean isIn = Arrays.stream(expected).anyMatch(member -> member == me);
                    check.same(isIn, part != null, "the team of those that are listed");
                    if (part != null) {
                        operations(part, expected, "of a list");
                    }
                }
            }
        }
        try (Team last = rank.collectives().team(n - 1)) {
            check.same(me == n - 1, last != null, "the team of one");
            if (last != null) {
                operations(last, new int[] {me}, "of one");
            }
        }
    }

    private void operations(Team team, int[] members, String what) {
        int[] are = IntStream.range(0, team.ranks()).map(team::worldRank).toArray();
        check.same(Arrays.toString(members), Arrays.toString(are), "members of a team " + what);
        check.same(rank.rank(), team.worldRank(team.rank()), "own number in a team " + what);
        String of = " in a team " + what;
        for (int root = 0; root < team.ranks(); root++) {
            check.same((long) members[root], team.collectives().broadcast((long) rank.rank(), root), "broadcast" + of);
        }
        check.same(Arrays.stream(members).asLongStream().sum(), team.collectives().allReduce((long) rank.rank(), ReduceOp.SUM),
                "allReduce" + of);
        for (int count : new int[] {1, LONG}) {
            buffers(team, members, count, of);
            pointers(team, members, count, of);
        }
        window(team, members, of);
    }

    private static Buffer longs(long[] values) {
        return Buffer.ofHost(MemorySegment.ofArray(values), ElementType.LONG);
    }

    private void buffers(Team team, int[] members, int count, String what) {
        Collectives collectives = team.collectives();
        long[] mine = LongStream.range(0, count).map(i -> rank.rank() * 1000L + i).toArray();
        long[] gathered = new long[count * members.length];
        collectives.allGather(longs(gathered), longs(mine));
        for (int i = 0; i < gathered.length; i++) {
            check.same(members[i / count] * 1000L + i % count, gathered[i], "allGather" + what);
        }
        // Not commutative: the results show the order of the members.
        Reduction first = Reduction.ofLongs((a, b) -> a);
        long[] combined = new long[count];
        collectives.scan(longs(combined), longs(mine), first);
        check.same(members[0] * 1000L + count - 1, combined[count - 1], "scan" + what);
        collectives.allReduce(longs(combined), longs(mine), Reduction.ofLongs((a, b) -> b));
        check.same(members[members.length - 1] * 1000L, combined[0], "allReduce of the last" + what);
    }

    /** Pointers name ranks of the job: the root is found among the members. Teams use their own ranks' parts. */
    private void pointers(Team team, int[] members, int count, String what) {
        long bytes = (long) count * Long.BYTES;
        SharedPointer root = src.onRank(members[members.length - 1]);
        fill();
        team.collectives().scatter(dst, root, bytes);
        check.same(root.rank() * OF_RANK + team.rank() * bytes, read(dst, 0), "scatter" + what);
        team.barrier();
        team.collectives().gather(dst.onRank(root.rank()), src, bytes);
        for (int member = 0; member < members.length && rank.rank() == root.rank(); member++) {
            check.same(members[member] * OF_RANK, read(dst, member * bytes), "gather" + what);
        }
        team.barrier();
    }

    private void window(Team team, int[] members, String what) {
        fill();
        try (Window window = rank.createWindow(team, dst.onRank(rank.rank()), Long.BYTES)) {
            int next = (team.rank() + 1) % members.length;
            window.putNotify(next, 0, mine(src, Long.BYTES), TAG);
            rank.notifications().await(TAG, 1);
            int previous = members[Math.floorMod(team.rank() - 1, members.length)];
            check.same(previous * OF_RANK, read(dst, 0), "a put of the member before" + what);
        }
    }

    /** Sets each word of the own source to the rank and the word's offset. */
    private void fill() {
        MemorySegment own = mine(src, BYTES * rank.ranks()).segment();
        for (long at = 0; at < own.byteSize(); at += Long.BYTES) {
            own.set(ElementType.LAYOUT_LONG, at, rank.rank() * OF_RANK + at);
        }
    }

    private long read(SharedPointer shared, long at) {
        return mine(shared, BYTES * rank.ranks()).segment().get(ElementType.LAYOUT_LONG, at);
    }

    private void misuse() {
        int n = rank.ranks();
        check.refuses(IllegalArgumentException.class, "no members", () -> rank.world().team(), "an empty list");
        check.refuses(IllegalArgumentException.class, "member 0 is twice", () -> rank.world().team(0, 0), "a member twice");
        check.refuses(IndexOutOfBoundsException.class, "member=" + n, () -> rank.world().team(0, n), "a member out of range");
        check.refuses(IndexOutOfBoundsException.class, "member=-1", () -> rank.world().team(-1), "a negative member");
        SharedLongs array = rank.allAllocLongs(Layout.even(), n);
        try (Team team = rank.world().split(0, -rank.rank())) {
            check.refuses(UnsupportedOperationException.class, "use rank.collectives()", () -> team.collectives().sort(array),
                    "an array in a team of another order");
        }
        rank.allFree(array);
        if (n > 1) {
            int[] list = rank.rank() == 0 ? new int[] {0, 1} : new int[] {1, 0};
            check.refuses(CollectiveMismatchException.class, "members=[1, 0]", () -> rank.world().team(list), "two lists");
        }
    }
}
