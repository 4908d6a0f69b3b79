package org.pgas4j.testkit.campaign;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.UsageException;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Mixer;
import org.pgas4j.testkit.program.Program;
import org.pgas4j.testkit.program.SharedOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Rank 0 sends, rank 1 calls nothing. Put i goes to slot i mod {@value #SLOTS} of rank 1's memory, 8 to 512 bytes that
 * depend on i; a word in rank 1's host memory marks the end. Either all arrive, or rank 0's wait ends with an exception that
 * names rank 1; what was accepted until then must arrive once rank 1 calls again. The process must not have grown meanwhile:
 * resident memory is most telling where the Java heap does not grow, with {@code -Xms} as {@code -Xmx} and {@code
 * -XX:+AlwaysPreTouch}.
 */
@Command(name = "back-pressure", description = "Rank 0 puts to rank 1, which calls nothing. All puts arrive, or rank 0 gets an"
        + " exception that names rank 1.")
public final class BackPressure implements Program {

    private static final int SLOTS = 1024;
    private static final int SLOT_BYTES = 512;
    private static final int WARM_UP_PUTS = 16_384;
    private static final int WARM_UP_BURST = 32;
    private static final int SAMPLE_EVERY = 1 << 13;
    private static final long MAX_GROWTH = 64L << 20;
    private static final long NAP_NS = 50_000;
    private static final double DELIVERY_SECONDS = 250;
    private static final long[] ROUTED_SIZES = {8, SLOT_BYTES};
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle WORD = LONG.varHandle();
    private static final Pattern NAMES_RANK_1 = Pattern.compile("\\brank 1\\b|\\branks \\[1\\]");

    private enum Ending { TIMEOUT, DELIVERY }

    @InRange(min = 1)
    @Option(names = "--puts", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    private long puts = 1_000_000;

    @Option(names = "--kind", paramLabel = "KIND", description = "Memory that is put to: host (default) or device.")
    private MemoryKind kind = MemoryKind.HOST;

    @Option(names = "--expect", paramLabel = "END", description = "Ending that passes: timeout or delivery (default).")
    private Ending expected = Ending.DELIVERY;

    @Option(names = "--busy", description = "Rank 1 is in a busy section.")
    private boolean busy;

    @Option(names = "--spin", description = "Rank 1 spins instead of sleeping.")
    private boolean spin;

    @Option(names = "--seconds", paramLabel = "S", description = "Rank 1 calls nothing for so long at most; default: "
            + DELIVERY_SECONDS + ", or more than twice pgas.timeout if a timeout is expected.")
    private Double limit;

    @Mixin
    private SharedOptions shared;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment source = arena.allocate(SLOT_BYTES, 8);
    private final MemorySegment model = arena.allocate((long) SLOTS * SLOT_BYTES, 8);
    private final SharedPointer[] slots = new SharedPointer[SLOTS];
    private Rank rank;
    private long seed;
    private SharedPointer memory;
    private SharedPointer last;
    private long accepted;
    private long residentBefore;
    private long residentMax;
    private PgasTimeoutException timeout;

    @Override
    public PgasConfig config() {
        return Program.heaps(2 << 20).ranks(2);
    }

    @Override
    public void run(Rank self) {
        rank = self;
        if (rank.ranks() != 2) {
            throw new UsageException("back-pressure needs 2 ranks, the job has " + rank.ranks());
        }
        shared.checkRoutes(rank, ROUTED_SIZES);
        seed = shared.seed(rank);
        double seconds = limit != null ? limit
                : expected == Ending.DELIVERY ? DELIVERY_SECONDS : 2 * rank.timeout().toNanos() / 1e9 + 5;
        try (Scope _ = Program.in(rank, kind)) {
            memory = rank.allAlloc(rank.ranks(), (long) SLOTS * SLOT_BYTES);
        }
        last = rank.allAlloc(rank.ranks(), Long.BYTES);
        for (int slot = 0; slot < SLOTS; slot++) {
            long address = memory.addrField() + (long) slot * SLOT_BYTES;
            slots[slot] = PgasUnsafe.pointer(kind, 1, rank.ranks(), 0, address, 0, 1);
        }
        if (rank.rank() == 1) {
            rank.stream().fill(rank.memory().local(memory.onRank(1), ElementType.BYTE, model.byteSize()), 0);
            rank.stream().sync();
            rank.local(last.onRank(1)).set(LONG, 0, 0);
        }
        rank.barrier();
        // Code is compiled, rings and buffers are made, the heap has grown to what garbage takes.
        while (accepted < WARM_UP_PUTS) {
            for (int i = 0; i < WARM_UP_BURST; i++, accepted++) {
                if (rank.rank() == 0) {
                    put(accepted);
                }
            }
            rank.barrier();
        }
        residentBefore = Resources.resident();
        residentMax = residentBefore;
        long start = System.nanoTime();
        long end = start + (long) (seconds * 1e9);
        if (rank.rank() == 0) {
            send(WARM_UP_PUTS + puts, end);
        } else if (rank.rank() == 1) {
            callNothing(end);
        }
        double took = (System.nanoTime() - start) / 1e9;
        while (timeout != null && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        rank.barrier();
        accepted = rank.collectives().broadcast(accepted, 0);
        boolean refusedOne = rank.collectives().broadcast(timeout == null ? 0L : 1L, 0) == 1;
        if (rank.rank() == 1) {
            compare(refusedOne);
        }
        sample();
        System.out.printf(Locale.ROOT, "backpressure: rank=%d accepted=%d of %d timeout=%s seconds=%.2f route=%s "
                        + "resident before=%d most=%d MiB processes=%d device=%s%n", rank.rank(), accepted - WARM_UP_PUTS,
                puts, timeout == null ? "no" : "'" + timeout.getMessage() + "'", took,
                rank.rank() == 0 ? rank.diagnostics().route(MemoryKind.HOST, slots[0], 64) : "-", residentBefore >> 20,
                residentMax >> 20, rank.processes(), rank.device().backend());
        if (residentMax - residentBefore > MAX_GROWTH) {
            throw new PgasException("backpressure: rank " + rank.rank() + " grew from " + residentBefore + " to "
                    + residentMax + " bytes of resident memory, by more than " + MAX_GROWTH);
        }
        if (rank.rank() == 0) {
            checkEnd();
        }
        rank.barrier();
        rank.allFree(memory);
        rank.allFree(last);
        arena.close();
    }

    private void checkEnd() {
        boolean delivery = expected == Ending.DELIVERY;
        if (delivery && timeout != null) {
            throw new PgasException("backpressure: timed out after " + (accepted - WARM_UP_PUTS) + " of " + puts
                    + " puts", timeout);
        }
        if (!delivery && timeout == null) {
            throw new PgasException("backpressure: " + puts + " puts were accepted and nothing timed out");
        }
        if (!delivery && !NAMES_RANK_1.matcher(timeout.getMessage()).find()) {
            throw new PgasException("backpressure: the exception does not name rank 1: " + timeout.getMessage(),
                    timeout);
        }
    }

    // ---- rank 0

    private int bytesOf(long put) {
        return 8 + (int) (Mixer.mix(seed ^ put) >>> 32 & 0xFFFF) % (SLOT_BYTES - 7);
    }

    private void content(long put, MemorySegment to, long offset, int bytes) {
        for (int i = 0; i < bytes - 7; i += Long.BYTES) {
            to.set(LONG, offset + i, Mixer.mix(seed ^ put + i));
        }
        for (int i = bytes & ~7; i < bytes; i++) {
            to.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (put + i));
        }
    }

    private void put(long put) {
        int bytes = bytesOf(put);
        content(put, source, 0, bytes);
        rank.memput(slots[(int) (put % SLOTS)], source, bytes);
    }

    private void send(long end, long deadline) {
        try {
            while (accepted < end) {
                put(accepted);
                accepted++;
                if (accepted % SAMPLE_EVERY == 0) {
                    sample();
                    if (System.nanoTime() - deadline > 0) {
                        throw new PgasException("backpressure: only " + accepted + " puts were accepted until the "
                                + "receiver woke up; give it more --seconds");
                    }
                }
            }
            source.set(LONG, 0, 1);
            rank.fence();
            rank.memput(last.onRank(1), source, Long.BYTES);
            rank.fence();
        } catch (PgasTimeoutException e) {
            timeout = e;
        }
        sample();
    }

    // ---- rank 1

    private void callNothing(long end) {
        MemorySegment word = rank.local(last.onRank(1));
        try (Scope _ = busy ? rank.busy() : () -> { }) {
            while (System.nanoTime() - end < 0 && (long) WORD.getAcquire(word, 0L) == 0) {
                if (spin) {
                    Thread.onSpinWait();
                } else {
                    LockSupport.parkNanos(NAP_NS);
                }
            }
        }
    }

    /** The memory against all accepted puts in order. A refused one may be there or not. */
    private void compare(boolean refusedOne) {
        MemorySegment seen = arena.allocate(model.byteSize(), 8);
        rank.stream().copy(Buffer.ofHost(seen, ElementType.BYTE),
                rank.memory().local(memory.onRank(1), ElementType.BYTE, model.byteSize()));
        rank.stream().sync();
        for (long put = 0; put < accepted; put++) {
            content(put, model, put % SLOTS * SLOT_BYTES, bytesOf(put));
        }
        long refused = refusedOne ? accepted % SLOTS : -1;
        for (int slot = 0; slot < SLOTS; slot++) {
            long from = (long) slot * SLOT_BYTES;
            long difference = MemorySegment.mismatch(seen, from, from + SLOT_BYTES, model, from, from + SLOT_BYTES);
            if (difference >= 0 && slot != refused) {
                throw new PgasException("backpressure: slot " + slot + " differs at byte " + difference + " after "
                        + accepted + " puts: put lost or overtaken, seed " + seed);
            }
        }
    }

    // ---- memory of this process

    private void sample() {
        residentMax = Math.max(residentMax, Resources.resident());
    }
}
