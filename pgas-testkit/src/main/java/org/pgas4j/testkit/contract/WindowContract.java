package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.NotificationTimeoutException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.Team;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Tally;

/** Windows, teams and notifications of host code; then those of streams and those by source. */
final class WindowContract extends NeighbourContract {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final Duration SHORT = Duration.ofMillis(30);
    private static final int PART = 4096;
    private static final int COPIES = 60;

    WindowContract(Rank rank, Tally check) {
        super(rank, check);
    }

    @Override
    void run() {
        counters();
        values();
        timeouts();
        futures();
        for (MemoryKind kind : MemoryKind.values()) {
            moves(kind);
            behindCopies(kind);
            overlap(kind);
        }
        new WindowStreams(rank, check, rank.device()::newStream).run();
        new WindowStreams(rank, check, rank.device()::newLowLatencyStream).run();
        new WindowSources(rank, check).run();
        teams();
        programMemory();
        deviceMemory();
        refusals();
        slots();
    }

    /** A window over a Java array: of ranks that are threads of one JVM; refused on all where one is not. */
    private void programMemory() {
        long[] array = new long[2];
        MemorySegment memory = MemorySegment.ofArray(array);
        if (rank.processes() > 1) {
            check.refuses(UnsupportedOperationException.class, "of another process",
                    () -> rank.createWindow(rank.world(), memory), "memory of the program between processes");
            return;
        }
        try (Window window = rank.createWindow(rank.world(), memory)) {
            window.putNotify(next, Long.BYTES, MemorySegment.ofArray(new long[] {me + 1}), Long.BYTES, 5);
            notifications.await(5, 1);
            check.same(previous + 1L, array[1], "what was put into an array");
        }
    }

    /** A window over a range of memory that its owner has allocated on the device, by its address. */
    private void deviceMemory() {
        if (rank.processes() > 1) {
            return;
        }
        try (Buffer owner = rank.device().alloc(ElementType.LONG, 6)) {
            rank.stream().fill(owner, 0);
            rank.stream().sync();
            Buffer shown = PgasUnsafe.deviceBuffer(PgasUnsafe.address(owner.slice(2, 3)), ElementType.LONG, 3);
            try (Window window = rank.createWindow(rank.world(), shown)) {
                long[] seen = new long[3];
                window.putNotify(next, Long.BYTES, MemorySegment.ofArray(new long[] {me + 1}), Long.BYTES, 5);
                notifications.await(5, 1);
                window.put(next, 2L * Long.BYTES, owner.slice(3, 1));
                rank.barrier();
                window.get(MemorySegment.ofArray(seen), me, 0, shown.bytes());
                check.same(List.of(0L, previous + 1L, target(-2) + 1L), List.of(seen[0], seen[1], seen[2]),
                        "what was put into device memory by its address");
            } catch (UnsupportedOperationException e) {
                check.that(e.getMessage().contains("do not reach each other's memory"), "device memory is shown: " + e);
            }
        }
        if (rank.device().backend() != Backend.HOST) { // which does not know
            try (Arena arena = Arena.ofShared()) {
                Buffer wrong = PgasUnsafe.deviceBuffer(arena.allocate(LONG).address(), ElementType.LONG, 1);
                check.refuses(IllegalArgumentException.class, "no device memory", () -> rank.createWindow(rank.world(), wrong),
                        "host memory as device memory");
            }
        }
    }

    // ---- notifications alone

    private void counters() {
        for (int i = 0; i < 5; i++) {
            notifications.signal(next, 255);
        }
        notifications.signal(next, 0);
        notifications.await(255, 3);
        notifications.await(0, 1);
        notifications.await(255, 1, Duration.ofSeconds(20));
        await(() -> notifications.test(255, 1), "fifth notification");
        check.that(!notifications.test(255, 1), "five notifications are five");
        check.same(0L, notifications.available(255), "available after all are consumed");
        check.that(notifications.test(7, 0), "nothing is always there");
        rank.barrier();
        notifications.signal(me, 3);
        notifications.signal(me, 4);
        check.same(1L, notifications.available(3), "a rank notifies itself");
        check.same(4, notifications.awaitAny(new int[] {9, 4, 3}, SHORT), "awaitAny takes the first named");
        check.same(3, notifications.awaitAny(new int[] {9, 4, 3}, SHORT), "awaitAny takes the other");
        rank.barrier();
    }

    private void values() {
        check.same(-1, notifications.testSome(10, 20), "no value is set");
        rank.barrier();
        notifications.signalSet(next, 17, 1000 + me);
        check.same(17, notifications.awaitSome(10, 20, Duration.ofSeconds(20)), "awaitSome finds the value");
        check.same(17, notifications.testSome(17, 1), "it stays until it is taken");
        check.same(1000L + previous, notifications.reset(17), "the value is the sender's");
        check.same(0L, notifications.reset(17), "it is taken once");
        check.same(0L, notifications.available(17), "a value is no count");
        rank.barrier();
    }

    private void timeouts() {
        notifications.signal(me, 30);
        try {
            notifications.await(30, 3, SHORT);
            check.that(false, "await of what never comes returned");
        } catch (NotificationTimeoutException e) {
            check.same(me + " -1 -1 30 3 1", e.rank() + " " + e.block() + " " + e.window() + " " + e.tag() + " " + e.expected()
                    + " " + e.seen(), "fields of the exception");
            check.that(e.getMessage().contains("pgas.timeout"), "message: " + e.getMessage());
        }
        check.same(1L, notifications.available(30), "a wait that failed consumes nothing");
        check.that(notifications.test(30, 1), "what came can be consumed");
        check.refuses(NotificationTimeoutException.class, "tag=31 expected=1 seen=0",
                () -> notifications.awaitAny(new int[] {31, 32}, SHORT), "awaitAny");
        check.refuses(NotificationTimeoutException.class, "tag=40 expected=1 seen=0",
                () -> notifications.awaitSome(40, 2, SHORT), "awaitSome");
        rank.barrier();
    }

    private void futures() {
        CompletableFuture<Void> first = notifications.future(50, 2);
        CompletableFuture<Void> second = notifications.future(50, 1);
        rank.barrier();
        notifications.signal(next, 50);
        notifications.signal(next, 50);
        notifications.signal(next, 50);
        await(() -> first.isDone() && second.isDone(), "end of both futures");
        check.that(!first.isCompletedExceptionally() && !second.isCompletedExceptionally(), "futures complete well");
        check.same(0L, notifications.available(50), "futures consume");
        rank.barrier();
    }

    // ---- windows

    /** Bytes of each rank's part: they differ. */
    private long part(int of) {
        return PART + 512L * of;
    }

    private void moves(MemoryKind kind) {
        SharedPointer start = mine(kind, 256L * (me + 1) + part(me));
        SharedPointer base = start.plus(256L * me);
        try (Window window = rank.createWindow(rank.world(), base, part(me)); Arena arena = Arena.ofConfined();
             PatternMemory device = new PatternMemory(rank, MemoryKind.DEVICE, PART)) {
            check.same(part(next), window.bytes(next), "size of the next rank's part");
            check.same(kind, window.kind(next), "kind of the next rank's part");
            check.same(next, window.pointer(next, 8).rank(), "pointer into the next rank's part");
            long last = part(next) - 1000;
            for (int bytes : new int[] {0, 1, 8, 1000}) {
                window.putNotify(next, last, PatternMemory.patterned(arena, 100 + me, bytes), bytes, 60);
                notifications.await(60, 1);
                check.same(-1L, PatternMemory.mismatch(read(arena, base.plus(part(me) - 1000), bytes), 100 + previous, 0, bytes),
                        "notified put of " + bytes + " bytes to " + kind);
                rank.barrier();
            }
            device.fill(200 + me, 0, PART);
            window.put(next, 0, device.block().slice(0, 2048));
            window.putNotifySet(next, 2048, device.block().slice(2048, 2048), 61, 77 + me);
            check.same(61, notifications.awaitSome(61, 1, rank.timeout()), "put with a value");
            check.same(77L + previous, notifications.reset(61), "its value");
            check.same(-1L, PatternMemory.mismatch(read(arena, base, PART), 200 + previous, 0, PART),
                    "two puts from the device to " + kind);
            rank.barrier();
            MemorySegment got = arena.allocate(PART, 8);
            window.get(got, next, 0, PART);
            window.flush(next);
            check.same(-1L, PatternMemory.mismatch(got, 200 + me, 0, PART), "get from " + kind);
            rank.barrier();
            window.getNotify(device.block().slice(0, 1024), previous, 0, 62);
            notifications.await(62, 1); // the next rank has read: it may be overwritten
            rank.memset(base, 0, 1024);
            window.flush();
            check.same(-1L, PatternMemory.mismatch(device.read(0, 1024), 200 + (previous + rank.ranks() - 1) % rank.ranks(), 0,
                    1024), "notified get from " + kind);
            window.signal(next, 63);
            notifications.await(63, 1);
            check.refuses(IndexOutOfBoundsException.class, "target=" + next + " offset=" + part(next)
                    + " length=1 windowBytes=" + part(next), () -> window.put(next, part(next), got, 1), "put behind the end");
            check.refuses(IndexOutOfBoundsException.class, "offset=-1", () -> window.get(got, next, -1, 1),
                    "get before the start");
            check.refuses(IndexOutOfBoundsException.class, "memoryBytes=8", () -> window.put(next, 0, got.asSlice(0, 8), 9),
                    "put of more than there is");
            check.refuses(IndexOutOfBoundsException.class, "target=" + rank.ranks(), () -> window.signal(rank.ranks(), 1),
                    "wrong target");
            check.refuses(IllegalArgumentException.class, "tag=256", () -> window.putNotify(next, 0, got, 1, 256), "wrong tag");
            check.refuses(IllegalArgumentException.class, "value=0", () -> notifications.signalSet(next, 1, 0), "value 0");
            rank.barrier();
        }
        rank.free(start);
    }

    /** More copies than the device does at once, then counts and a value, which overtake neither bytes nor each other. */
    private void behindCopies(MemoryKind kind) {
        SharedPointer base = mine(kind, PART);
        try (Window window = rank.createWindow(rank.world(), base, PART); Arena arena = Arena.ofConfined();
             PatternMemory device = new PatternMemory(rank, MemoryKind.DEVICE, PART)) {
            for (int round = 0; round < 3; round++) {
                device.fill(400 + 10 * round + me, 0, PART);
                for (int i = 0; i < COPIES; i++) {
                    window.put(next, 0, device.block());
                }
                window.putNotify(next, 0, device.block(), 67);
                window.signal(next, 68);
                window.putNotifySet(next, 0, device.block().slice(0, 8), 69, 5 + round);
                notifications.await(68, 1);
                check.that(notifications.test(67, 1), "a count comes before one that was sent after it");
                check.same(69, notifications.awaitSome(69, 1, rank.timeout()), "a value behind copies");
                check.same(5L + round, notifications.reset(69), "which value");
                check.same(-1L, PatternMemory.mismatch(read(arena, base, PART), 400 + 10 * round + previous, 0, PART),
                        "bytes before their count, " + kind);
                rank.barrier();
                window.getNotify(device.block(), previous, 0, 67);
                notifications.await(67, 1);
                window.flush();
                rank.barrier();
            }
        }
        rank.free(base);
        rank.barrier();
    }

    /** Two windows over the same bytes, and one without any. */
    private void overlap(MemoryKind kind) {
        SharedPointer base = mine(kind, PART);
        Window whole = rank.createWindow(rank.world(), base, PART);
        Window half = rank.createWindow(rank.world(), base.plus(PART / 2), PART / 2);
        Window none = rank.createWindow(rank.world(), base, 0);
        try (Arena arena = Arena.ofConfined()) {
            half.putNotify(next, 8, PatternMemory.patterned(arena, me, 64), 64, 70);
            notifications.await(70, 1);
            MemorySegment seen = arena.allocate(64, 8);
            whole.get(seen, me, PART / 2 + 8, 64);
            whole.flush();
            check.same(-1L, PatternMemory.mismatch(seen, previous, 0, 64), "overlapping windows of " + kind);
            none.putNotify(next, 0, seen, 0, 71);
            notifications.await(71, 1);
            check.refuses(IndexOutOfBoundsException.class, "windowBytes=0", () -> none.put(next, 0, seen, 1), "empty window");
        }
        none.close();
        half.close();
        whole.close();
        check.refuses(IllegalStateException.class, "closed", () -> whole.signal(next, 1), "closed window");
        rank.free(base);
        rank.barrier();
    }

    // ---- teams

    private void teams() {
        Team world = rank.world();
        check.same(me, world.rank(), "rank in the world");
        check.same(rank.ranks(), world.ranks(), "ranks of the world");
        for (int round = 0; round < 2; round++) {
            Team team = rank.collectives().split(me % 2);
            check.same(me / 2, team.rank(), "rank in a half");
            check.same((rank.ranks() + 1 - me % 2) / 2, team.ranks(), "ranks of a half");
            check.same(me, team.worldRank(team.rank()), "number in the world");
            check.refuses(IndexOutOfBoundsException.class, "member=" + team.ranks(), () -> team.worldRank(team.ranks()),
                    "no such member");
            SharedPointer base = mine(MemoryKind.HOST, 64);
            try (Window window = rank.createWindow(team, base, 64); Arena arena = Arena.ofConfined()) {
                int target = (team.rank() + 1) % team.ranks();
                MemorySegment word = arena.allocate(8, 8);
                word.set(LONG, 0, 1000 * (round + 1) + me);
                window.putNotify(target, 8, word, 8, 120);
                notifications.await(120, 1);
                int from = team.worldRank((team.rank() + team.ranks() - 1) % team.ranks());
                check.same(1000L * (round + 1) + from, rank.local(base).get(LONG, 8), "put inside a team");
                for (int i = 0; i < 50; i++) {
                    team.barrier();
                }
            }
            rank.barrier();
            rank.free(base);
        }
        Team alone = rank.collectives().split(me);
        alone.barrier();
        check.same(1, alone.ranks(), "a team of one");
        rank.barrier();
    }

    private void refusals() {
        SharedPointer base = mine(MemoryKind.HOST, 64);
        boolean bad = me == rank.ranks() - 1;
        long size = rank.memory().stats(MemoryKind.HOST).capacityBytes();
        check.refuses(bad ? IndexOutOfBoundsException.class : PgasException.class, bad ? "length=" + (size + 1)
                : "rank " + (rank.ranks() - 1), () -> rank.createWindow(rank.world(), base, bad ? size + 1 : 64),
                "one member's part does not fit");
        if (rank.ranks() > 1) {
            check.refuses(bad ? IllegalArgumentException.class : PgasException.class,
                    "rank " + (bad ? previous : rank.ranks() - 1),
                    () -> rank.createWindow(rank.world(), bad ? base.cast(0, 1).onRank(previous) : base, 8),
                    "one member's part is another's");
        }
        check.refuses(IllegalArgumentException.class, "tag=256", () -> notifications.await(256, 1), "tag of a wait");
        check.refuses(IllegalArgumentException.class, "count=-1", () -> notifications.await(1, -1), "count of a wait");
        for (long count : new long[] {1L << 31, Long.MAX_VALUE}) {
            check.refuses(IllegalArgumentException.class, "count=" + count, () -> notifications.future(1, count), "count of a future");
            check.refuses(IllegalArgumentException.class, "count=" + count, () -> rank.stream().awaitNotifications(1, count),
                    "count of a stream's wait");
        }
        check.refuses(IllegalArgumentException.class, "first=250 count=7", () -> notifications.testSome(250, 7),
                "tags of awaitSome");
        check.refuses(IndexOutOfBoundsException.class, "rank=" + rank.ranks(), () -> notifications.signal(rank.ranks(), 1),
                "rank of a notification");
        rank.free(base);
        rank.barrier();
    }

    /** As many windows as a team may have, and again. */
    private void slots() {
        SharedPointer base = mine(MemoryKind.HOST, 64);
        Window[] windows = new Window[64];
        for (int i = 0; i < windows.length; i++) {
            windows[i] = rank.createWindow(rank.world(), base, i % 65);
        }
        check.refuses(IllegalStateException.class, "64 windows", () -> rank.createWindow(rank.world(), base, 1), "one more");
        windows[10].close();
        windows[10] = rank.createWindow(rank.world(), base, 33);
        check.same(33L, windows[10].bytes(next), "a number used again");
        check.same(63L, windows[63].bytes(next), "the last window");
        for (Window window : windows) {
            window.close();
        }
        rank.free(base);
        rank.barrier();
    }
}
