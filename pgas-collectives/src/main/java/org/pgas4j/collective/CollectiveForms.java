package org.pgas4j.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.SharedPointer;
import org.pgas4j.Sync;

/**
 * Makes the operations of a team from the calls of {@link org.pgas4j.Collectives}, and checks their arguments. Used by
 * the rank's thread.
 */
public final class CollectiveForms {

    private static final int FUNCTION = 255; // in place of an operation's code

    private final Group group;
    private final MemberAccess access;
    private final int rank;
    private final int members;
    private final List<Runnable> checks = new ArrayList<>();

    CollectiveForms(Group group, MemberAccess access) {
        this.group = group;
        this.access = access;
        this.rank = group.world(group.index());
        this.members = group.size();
    }

    // ---- on shared pointers

    /** Memory that is checked later: a call that differs from those of others is the first to be reported. */
    private GivenMemory shared(String call, SharedPointer pointer, long bytes) {
        SharedPointer mine = pointer.onRank(rank);
        checks.add(() -> GivenMemory.check(call, access.self(), mine, bytes));
        return GivenMemory.of(access.self(), mine, bytes);
    }

    private CollectiveOperation checked(CollectiveOperation operation) {
        CollectiveOperation result = operation.checks(List.copyOf(checks));
        checks.clear();
        return result;
    }

    private long all(String call, long bytes) {
        if (bytes < 0 || bytes > Long.MAX_VALUE / members) {
            throw new IllegalArgumentException(call + " of rank " + rank + ": bytes=" + bytes + " (expected: 0.."
                    + Long.MAX_VALUE / members + " for " + members + " members)");
        }
        return bytes * members;
    }

    private CollectiveOperation move(String call, SharedPointer dst, SharedPointer src, long bytes, Sync sync, GivenMemory to,
                               GivenMemory from, MoveOperation.Movement movement, SmallPayload small, long root) {
        return checked(new MoveOperation(group, access, sync, to, from, movement, small, null, call,
                () -> "dst=" + dst + ", src=" + src + ", " + bytes + " bytes" + text(sync),
                dst.kind().code(), dst.addrField(), src.kind().code(), src.addrField(), bytes, root, code(sync)));
    }

    static String text(Sync sync) {
        return sync.equals(Sync.ALL) ? "" : ", " + sync;
    }

    static long code(Sync sync) {
        return code(sync.in()) * 4 + code(sync.out());
    }

    private static long code(Sync.Mode mode) {
        return switch (mode) {
            case NO -> 0;
            case MY -> 1;
            case ALL -> 2;
        };
    }

    /** See {@link org.pgas4j.Collectives#broadcast(SharedPointer, SharedPointer, long, Sync)}. */
    public CollectiveOperation broadcast(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        int root = group.member("broadcast", src.rank());
        return move("broadcast", dst, src, bytes, sync, shared("broadcast", dst, bytes),
                root == group.index() ? shared("broadcast", src, bytes) : null, broadcast(root, bytes, false),
                smallFromRoot(dst.kind(), root, bytes), src.rank());
    }

    /** See {@link org.pgas4j.Collectives#scatter(SharedPointer, SharedPointer, long, Sync)}. */
    public CollectiveOperation scatter(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        int root = group.member("scatter", src.rank());
        long all = all("scatter", bytes);
        return move("scatter", dst, src, bytes, sync, shared("scatter", dst, bytes),
                root == group.index() ? shared("scatter", src, all) : null, scatter(root, bytes),
                smallFromRoot(dst.kind(), root, all), src.rank());
    }

    /** See {@link org.pgas4j.Collectives#gather(SharedPointer, SharedPointer, long, Sync)}. */
    public CollectiveOperation gather(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        int root = group.member("gather", dst.rank());
        long all = all("gather", bytes);
        return move("gather", dst, src, bytes, sync, root == group.index() ? shared("gather", dst, all) : null,
                shared("gather", src, bytes), gather(root, bytes), smallFromAll(src.kind(), bytes, root), dst.rank());
    }

    /** See {@link org.pgas4j.Collectives#allGather(SharedPointer, SharedPointer, long, Sync)}. */
    public CollectiveOperation allGather(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        return move("allGather", dst, src, bytes, sync, shared("allGather", dst, all("allGather", bytes)),
                shared("allGather", src, bytes), allGather(bytes), smallFromAll(src.kind(), bytes, null), 0);
    }

    /** See {@link org.pgas4j.Collectives#exchange(SharedPointer, SharedPointer, long, Sync)}. */
    public CollectiveOperation exchange(SharedPointer dst, SharedPointer src, long bytes, Sync sync) {
        long all = all("exchange", bytes);
        return move("exchange", dst, src, bytes, sync, shared("exchange", dst, all), shared("exchange", src, all),
                exchange(bytes), smallFromAll(src.kind(), all, null), 0);
    }

    /** See {@link org.pgas4j.Collectives#permute(SharedPointer, SharedPointer, SharedPointer, long, Sync)}. */
    public CollectiveOperation permute(SharedPointer dst, SharedPointer src, SharedPointer permutation, long bytes, Sync sync) {
        GivenMemory to = shared("permute", dst, bytes);
        GivenMemory from = shared("permute", src, bytes);
        return checked(new PermuteOperation(group, access, sync, to.place(), from, permutation, "permute",
                () -> "dst=" + dst + ", src=" + src + ", permutation=" + permutation + ", " + bytes + " bytes", dst.kind().code(),
                dst.addrField(), src.kind().code(), src.addrField(), bytes, permutation.kind().code(), permutation.addrField(),
                code(sync)));
    }

    /** See {@link org.pgas4j.Collectives#reduce(SharedPointer, SharedPointer, ElementType, long, Reduction, Sync)}. */
    public CollectiveOperation reduce(SharedPointer dst, SharedPointer src, ElementType type, long count, Reduction op,
                                      Sync sync) {
        require("reduce", op, type);
        int root = group.member("reduce", dst.rank());
        long bytes = type.bytes(count);
        GivenMemory to = root == group.index() ? shared("reduce", dst, bytes) : null;
        GivenMemory from = shared("reduce", src, bytes);
        checks.add(() -> requireApart("reduce", to, from, 0));
        return checked(new ReduceOperation(group, access, sync, ReduceOperation.Result.ROOT, to, from, type, op, root,
                "reduce", () -> "dst=" + dst + ", src=" + src + ", " + type + ", " + count + " elements, " + op + text(sync),
                dst.kind().code(), dst.addrField(), src.kind().code(), src.addrField(), bytes, dst.rank(), type.code(),
                code(op), code(sync)));
    }

    /** See {@link org.pgas4j.NonBlockingCollectives#barrier}. */
    public CollectiveOperation barrier() {
        return new BarrierOperation(group, access);
    }

    // ---- ranges and small data

    private MoveOperation.Movement broadcast(int root, long bytes, boolean inPlace) {
        boolean isRoot = root == group.index();
        return new MoveOperation.Movement(ranges(member -> member == root ? bytes : 0, _ -> 0, _ -> 0),
                ranges(member -> isRoot && !(inPlace && member == root) ? bytes : 0, _ -> 0, _ -> 0), root, false);
    }

    private MoveOperation.Movement scatter(int root, long bytes) {
        boolean isRoot = root == group.index();
        return new MoveOperation.Movement(ranges(member -> member == root ? bytes : 0, _ -> group.index() * bytes, _ -> 0),
                ranges(_ -> isRoot ? bytes : 0, member -> member * bytes, _ -> 0), -1, false);
    }

    /** Members put: the root alone would take as many times as long. */
    private MoveOperation.Movement gather(int root, long bytes) {
        return new MoveOperation.Movement(ranges(_ -> bytes, _ -> 0, member -> member * bytes),
                ranges(member -> member == root ? bytes : 0, _ -> 0, _ -> group.index() * bytes), -1, true);
    }

    private MoveOperation.Movement allGather(long bytes) {
        return new MoveOperation.Movement(ranges(_ -> bytes, _ -> 0, member -> member * bytes),
                ranges(_ -> bytes, _ -> 0, _ -> group.index() * bytes), -1, false);
    }

    private MoveOperation.Movement exchange(long bytes) {
        return new MoveOperation.Movement(ranges(_ -> bytes, _ -> group.index() * bytes, member -> member * bytes),
                ranges(_ -> bytes, member -> member * bytes, _ -> group.index() * bytes), -1, false);
    }

    private static MoveOperation.Ranges ranges(IntToLongFunction bytes, IntToLongFunction from,
                                               IntToLongFunction to) {
        return new MoveOperation.Ranges() {
            @Override
            public long bytes(int member) {
                return bytes.applyAsLong(member);
            }

            @Override
            public long from(int member) {
                return from.applyAsLong(member);
            }

            @Override
            public long to(int member) {
                return to.applyAsLong(member);
            }
        };
    }

    private SmallPayload smallFromRoot(MemoryKind kind, int root, long total) {
        return kind != MemoryKind.HOST || total > group.smallBytes() ? null
                : SmallPayload.sideBySide(group, total, member -> member <= root ? 0 : total, null);
    }

    private SmallPayload smallFromAll(MemoryKind kind, long each, Integer only) {
        return kind != MemoryKind.HOST || each > group.smallBytes() / members ? null
                : SmallPayload.sideBySide(group, each * members, member -> member * each, only);
    }

    // ---- on buffers

    GivenMemory given(String call, Buffer buffer) {
        return GivenMemory.of(call, access.self(), buffer);
    }

    int root(String call, int root) {
        if (root < 0 || root >= members) {
            throw new IndexOutOfBoundsException(call + " of rank " + rank + ": member out of range: root=" + root + " ranks="
                    + members);
        }
        return root;
    }

    void requireParts(String call, Buffer whole, Buffer part) {
        if (whole.type() != part.type() || part.length() > Long.MAX_VALUE / members
                || whole.length() != part.length() * members) {
            throw new IllegalArgumentException(call + " of rank " + rank + ": " + whole + " does not have " + members
                    + " parts as " + part);
        }
    }

    void requireAlike(String call, Buffer dst, Buffer src) {
        if (dst.type() != src.type() || dst.length() != src.length()) {
            throw new IllegalArgumentException(call + " of rank " + rank + ": dst=" + dst + " and src=" + src
                    + " differ in type or length");
        }
    }

    /** @param at byte of {@code whole} at which {@code part} may be */
    void requireApart(String call, GivenMemory part, GivenMemory whole, long at) {
        if (part != null && whole != null && part.overlaps(whole) && !part.startsAt(whole, at)) {
            throw new IllegalArgumentException(call + " of rank " + rank
                    + ": source and destination overlap and are not the same");
        }
    }

    void require(String call, Reduction op, ElementType type) {
        if (!op.isDefinedFor(type)) {
            throw new IllegalArgumentException(call + " of rank " + rank + ": " + op + " is not defined for " + type);
        }
    }

    private static long code(Reduction op) {
        return op instanceof ReduceOp known ? known.code() : FUNCTION;
    }

    private MoveOperation move(String call, GivenMemory to, GivenMemory from, MoveOperation.Movement movement, SmallPayload small,
                               Buffer buffer, int root) {
        return new MoveOperation(group, access, Sync.MY, to, from, movement, small, null, call,
                () -> buffer + (root < 0 ? "" : ", root " + root), buffer.kind().code(), buffer.bytes(), root);
    }

    /** See {@link org.pgas4j.Collectives#broadcast(Buffer, int)}. */
    public CollectiveOperation broadcast(Buffer buffer, int root) {
        boolean isRoot = root("broadcast", root) == group.index();
        GivenMemory memory = given("broadcast", buffer);
        return move("broadcast", isRoot ? null : memory, isRoot ? memory : null, broadcast(root, memory.bytes(), true),
                smallFromRoot(buffer.kind(), root, memory.bytes()), buffer, root);
    }

    /** See {@link org.pgas4j.Collectives#scatter(Buffer, Buffer, int)}. */
    public CollectiveOperation scatter(Buffer dst, Buffer src, int root) {
        boolean isRoot = root("scatter", root) == group.index();
        if (isRoot) {
            requireParts("scatter", src, dst);
        }
        GivenMemory to = given("scatter", dst);
        GivenMemory from = isRoot ? given("scatter", src) : null;
        requireApart("scatter", to, from, group.index() * to.bytes());
        return move("scatter", to, from, scatter(root, to.bytes()),
                smallFromRoot(dst.kind(), root, all("scatter", to.bytes())), dst, root);
    }

    /** See {@link org.pgas4j.Collectives#gather(Buffer, Buffer, int)}. */
    public CollectiveOperation gather(Buffer dst, Buffer src, int root) {
        boolean isRoot = root("gather", root) == group.index();
        if (isRoot) {
            requireParts("gather", dst, src);
        }
        GivenMemory from = given("gather", src);
        GivenMemory to = isRoot ? given("gather", dst) : null;
        requireApart("gather", from, to, group.index() * from.bytes());
        return move("gather", to, from, gather(root, from.bytes()), smallFromAll(src.kind(), from.bytes(), root), src, root);
    }

    /** See {@link org.pgas4j.Collectives#allGather(Buffer, Buffer)}. */
    public CollectiveOperation allGather(Buffer dst, Buffer src) {
        requireParts("allGather", dst, src);
        GivenMemory to = given("allGather", dst);
        GivenMemory from = given("allGather", src);
        requireApart("allGather", from, to, group.index() * from.bytes());
        return move("allGather", to, from, allGather(from.bytes()), smallFromAll(src.kind(), from.bytes(), null), src, -1);
    }

    /** See {@link org.pgas4j.Collectives#exchange(Buffer, Buffer)}. */
    public CollectiveOperation exchange(Buffer dst, Buffer src) {
        requireAlike("exchange", dst, src);
        requireEqualParts("exchange", src);
        GivenMemory to = given("exchange", dst);
        GivenMemory from = given("exchange", src);
        requireDisjoint("exchange", to, from);
        long part = from.bytes() / members;
        return move("exchange", to, from, exchange(part), smallFromAll(src.kind(), from.bytes(), null), src, -1);
    }

    void requireEqualParts(String call, Buffer src) {
        if (src.length() % members != 0) {
            throw new IllegalArgumentException(call + " of rank " + rank + ": " + src + " does not have " + members
                    + " equal parts");
        }
    }

    void requireDisjoint(String call, GivenMemory to, GivenMemory from) {
        if (to.overlaps(from)) {
            throw new IllegalArgumentException(call + " of rank " + rank + ": source and destination overlap");
        }
    }

    /** See {@link org.pgas4j.Collectives#exchange(Buffer, long[], Buffer, long[])}. */
    public CollectiveOperation exchange(Buffer dst, long[] dstCounts, Buffer src, long[] srcCounts) {
        if (dst.type() != src.type()) {
            throw new IllegalArgumentException("exchange of rank " + rank + ": dst=" + dst + " and src=" + src
                    + " differ in type");
        }
        long[] to = table("dst", dst, dstCounts);
        long[] from = table("src", src, srcCounts);
        GivenMemory target = given("exchange", dst);
        GivenMemory source = given("exchange", src);
        requireDisjoint("exchange", target, source);
        return new MoveOperation(group, access, Sync.MY, target, source,
                new MoveOperation.Movement(ranges(member -> to[2 * member + 1], _ -> 0, member -> to[2 * member]), null, -1,
                        false),
                null, from, "exchange with counts",
                () -> src.type().toString(), src.type().code());
    }

    /** Offset and bytes of each part. */
    private long[] table(String name, Buffer buffer, long[] counts) {
        if (counts.length != members) {
            throw new IllegalArgumentException("exchange of rank " + rank + ": " + counts.length + " counts of " + name + " for "
                    + members + " members");
        }
        long[] table = new long[2 * members];
        long begin = 0;
        for (int member = 0; member < members; member++) {
            if (counts[member] < 0 || counts[member] > buffer.length() - begin) {
                throw new IndexOutOfBoundsException("exchange of rank " + rank + ": count " + counts[member] + " of " + name
                        + " for member " + member + " from element " + begin + " on (expected: 0.."
                        + (buffer.length() - begin) + ")");
            }
            table[2 * member] = buffer.type().bytes(begin);
            table[2 * member + 1] = buffer.type().bytes(counts[member]);
            begin += counts[member];
        }
        return table;
    }

    private ReduceOperation reduce(String call, ReduceOperation.Result result, GivenMemory to, GivenMemory from, Buffer src,
                                   Reduction op, int root) {
        require(call, op, src.type());
        return new ReduceOperation(group, access, Sync.MY, result, to, from, src.type(), op, root, call,
                () -> src + ", " + op + (root < 0 ? "" : ", root " + root), src.kind().code(), src.bytes(), src.type().code(),
                code(op), root);
    }

    /** See {@link org.pgas4j.Collectives#reduce(Buffer, Buffer, Reduction, int)}. */
    public CollectiveOperation reduce(Buffer dst, Buffer src, Reduction op, int root) {
        boolean isRoot = root("reduce", root) == group.index();
        if (isRoot) {
            requireAlike("reduce", dst, src);
        }
        GivenMemory to = isRoot ? given("reduce", dst) : null;
        GivenMemory from = given("reduce", src);
        requireApart("reduce", to, from, 0);
        return reduce("reduce", ReduceOperation.Result.ROOT, to, from, src, op, root);
    }

    /** See {@link org.pgas4j.Collectives#allReduce(Buffer, Buffer, Reduction)}. */
    public CollectiveOperation allReduce(Buffer dst, Buffer src, Reduction op) {
        return elementwise("allReduce", ReduceOperation.Result.ALL, dst, src, op);
    }

    /** See {@link org.pgas4j.Collectives#scan(Buffer, Buffer, Reduction)}. */
    public CollectiveOperation scan(Buffer dst, Buffer src, Reduction op) {
        return elementwise("scan", ReduceOperation.Result.SCAN, dst, src, op);
    }

    private CollectiveOperation elementwise(String call, ReduceOperation.Result result, Buffer dst, Buffer src, Reduction op) {
        requireAlike(call, dst, src);
        GivenMemory to = given(call, dst);
        GivenMemory from = given(call, src);
        requireApart(call, to, from, 0);
        return reduce(call, result, to, from, src, op, -1);
    }

    /** See {@link org.pgas4j.Collectives#reduceScatter(Buffer, Buffer, Reduction)}. */
    public CollectiveOperation reduceScatter(Buffer dst, Buffer src, Reduction op) {
        requireParts("reduceScatter", src, dst);
        GivenMemory to = given("reduceScatter", dst);
        GivenMemory from = given("reduceScatter", src);
        requireApart("reduceScatter", to, from, group.index() * to.bytes());
        return reduce("reduceScatter", ReduceOperation.Result.PARTS, to, from, src, op, -1);
    }
}
