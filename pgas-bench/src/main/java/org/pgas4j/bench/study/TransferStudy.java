package org.pgas4j.bench.study;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

/**
 * Puts or gets between the device memories of pairs of ranks by the job's route, against the user-level version and the raw
 * copies of the machine, in turns. The lower rank of a pair transfers, the other waits in a
 * barrier; times are rank 0's.
 *
 * <p>A put is measured as the call alone, which ends with the source free (op memput; the ranks meet in a barrier after
 * each, outside the time), and with a fence, which ends with the bytes on the target's device (op memput_fence). The
 * user-level version ends there as well.
 */
public final class TransferStudy extends Study {

    private static final long LARGEST = 64 << 20;
    private static final List<Long> QUICK = List.of(1L, 8L, 64L, 512L, 4096L, 8192L, 65536L, 1L << 20, 8L << 20);
    private static final long GUARD = 64;
    private static final byte UNTOUCHED = 0x5a;
    private static final int OVERWRITTEN = 0xee;
    private static final long USER_SEED = 7;
    private static final long RUNTIME_SEED = 11;

    private final boolean put;

    /** @param put false for gets */
    public TransferStudy(Rank rank, boolean put, StudyOptions options, Consumer<Row> out) {
        super(rank, options, out);
        this.put = put;
    }

    public static List<Long> sizes(StudyOptions options) {
        if (options.sizes() != null) {
            return options.sizes();
        }
        return options.quick() ? QUICK
                : LongStream.iterate(1, size -> size <= LARGEST, size -> 2 * size).boxed().toList();
    }

    /** Bytes of shared heap of either kind. */
    public static long heapBytes(StudyOptions options) {
        return 2 * (sizes(options).stream().mapToLong(Long::longValue).max().orElseThrow() + GUARD) + (1 << 20);
    }

    /** Collective. */
    public void run() {
        List<Long> sizes = sizes(options);
        long largest = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
        SharedPointer source = onDevice(largest + GUARD);
        SharedPointer target = onDevice(largest + GUARD);
        boolean cuda = rank.device().backend() == Backend.CUDA;
        Turns turns = turns();
        try (UserLevel user = new UserLevel(rank, largest); RawCuda raw = cuda ? new RawCuda(rank, largest) : null;
                RawHost rawHost = cuda ? null : new RawHost(rank, largest); Arena arena = Arena.ofConfined()) {
            MemorySegment own = cuda ? null : arena.allocate(largest, 128).fill((byte) 1);
            for (long size : sizes) {
                new Size(size, source, target, user).measure(turns, raw, rawHost == null ? null : rawHost.memory(), own);
            }
            rank.barrier();
        }
        rank.allFree(target);
        rank.allFree(source);
    }

    /** Transfers of one size. */
    private final class Size {
        private final long bytes;
        private final SharedPointer there;
        private final Buffer source;
        private final Buffer target;
        private final Buffer guarded;
        private final UserLevel user;

        Size(long bytes, SharedPointer sources, SharedPointer targets, UserLevel user) {
            this.bytes = bytes;
            this.user = user;
            int me = rank.rank();
            there = (put ? targets : sources).onRank(other);
            source = rank.memory().local(sources.onRank(me), ElementType.BYTE, bytes);
            guarded = rank.memory().local(targets.onRank(me), ElementType.BYTE, bytes + GUARD);
            target = guarded.slice(0, bytes);
        }

        void measure(Turns turns, RawCuda raw, MemorySegment mapped, MemorySegment own) {
            List<Turns.Step> steps = new ArrayList<>(put ? List.of(this::userPut, this::put, this::putAndFence)
                    : List.of(this::userGet, () -> timed(() -> rank.memget(target, there))));
            steps.add(() -> timed(raw == null ? () -> rawHost(mapped, own) : put ? () -> raw.put(bytes) : () -> raw.get(bytes)));
            if (raw != null) {
                steps.add(() -> timed(() -> raw.copyOut(bytes)));
                steps.add(() -> timed(() -> raw.copyIn(bytes)));
            }
            Histogram[] times = turns.measure(steps.toArray(Turns.Step[]::new));
            long userWrong = check(true);
            long wrong = check(false);
            if (!first) {
                return;
            }
            double baseline = SampleTimes.median(times[0]);
            String route = rank.diagnostics().route(MemoryKind.DEVICE, there, bytes);
            int next = 0;
            emit(put ? "memput_fence" : "memget", "user-level", "direct-host", times[next++], Double.NaN, userWrong);
            emit(put ? "memput" : "memget", "runtime", route, times[next++], baseline, wrong);
            if (put) {
                emit("memput_fence", "runtime", route, times[next++], baseline, wrong);
            }
            emit(raw == null ? "raw_copy" : "raw_peer", "raw", "raw", times[next++], Double.NaN, 0);
            if (raw != null) {
                emit("raw_d2h", "raw", "raw", times[next++], Double.NaN, 0);
                emit("raw_h2d", "raw", "raw", times[next], Double.NaN, 0);
            }
        }

        private void emit(String op, String style, String route, Histogram times, double baseline, long wrong) {
            String from = op.equals("raw_h2d") || op.equals("raw_copy") ? "host" : "device";
            String to = op.equals("raw_d2h") || op.equals("raw_copy") ? "host" : "device";
            add(options.label(new Row(put ? "memput" : "memget", op, from, to, route, rank.processes(), bytes,
                    SampleTimes.of(times, 1), baseline, wrong, Map.of()), style));
        }

        // ---- steps

        private long userPut() {
            return leads ? user.put(source) : user.receive(target);
        }

        private long userGet() {
            return leads ? user.get(target) : user.offer(source);
        }

        private long put() {
            return timedThenBarrier(() -> rank.memput(there, source));
        }

        private long putAndFence() {
            return timedThenBarrier(() -> {
                rank.memput(there, source);
                rank.fence();
            });
        }

        private void rawHost(MemorySegment mapped, MemorySegment own) {
            MemorySegment.copy(put ? own : mapped, 0, put ? mapped : own, 0, bytes);
        }

        // ---- checks; collective

        /** Bytes that arrive wrong, or beside. */
        private long check(boolean userLevel) {
            long seed = bytes + (userLevel ? USER_SEED : RUNTIME_SEED);
            boolean receives = leads != put;
            if (receives) {
                PatternBytes.clear(rank, guarded, UNTOUCHED);
            } else {
                PatternBytes.write(rank, source, seed);
            }
            rank.barrier();
            if (userLevel) {
                if (put) {
                    userPut();
                } else {
                    userGet();
                }
            } else if (leads && put) {
                rank.memput(there, source);
                PatternBytes.clear(rank, source, OVERWRITTEN); // ours again
                rank.fence();
            } else if (leads) {
                rank.memget(target, there);
            }
            rank.barrier();
            return rank.allReduce(receives ? PatternBytes.wrong(rank, guarded, bytes, seed, UNTOUCHED) : 0, ReduceOp.SUM);
        }
    }
}
