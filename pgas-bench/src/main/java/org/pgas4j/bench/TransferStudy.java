package org.pgas4j.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Puts or gets between the device memories of two ranks by the job's route, against the user-level version and the raw
 * copies of the machine, in turns. Rank 0 measures; rank 1 waits in a barrier.
 *
 * <p>A put is measured as the call alone, which ends with the source free (op memput; the ranks meet in a barrier after
 * each, outside the time), and with a fence, which ends with the bytes on the target's device (op memput_fence). The
 * user-level version ends there as well.
 */
final class TransferStudy {

    private static final long LARGEST = 64 << 20;
    private static final List<Long> QUICK = List.of(1L, 8L, 64L, 512L, 4096L, 8192L, 65536L, 1L << 20, 8L << 20);
    private static final long GUARD = 64;
    private static final byte UNTOUCHED = 0x5a;
    private static final int OVERWRITTEN = 0xee;
    private static final long USER_SEED = 7;
    private static final long RUNTIME_SEED = 11;

    private final Rank rank;
    private final boolean put;
    private final StudyOptions options;
    private final Consumer<Row> out;
    private final boolean first;

    /** @param put false for gets */
    TransferStudy(Rank rank, boolean put, StudyOptions options, Consumer<Row> out) {
        this.rank = rank;
        this.put = put;
        this.options = options;
        this.out = out;
        this.first = rank.rank() == 0;
    }

    static List<Long> sizes(StudyOptions options) {
        if (options.sizes() != null) {
            return options.sizes();
        }
        return options.quick() ? QUICK
                : java.util.stream.LongStream.iterate(1, size -> size <= LARGEST, size -> 2 * size).boxed().toList();
    }

    /** Bytes of shared heap of either kind. */
    static long heapBytes(StudyOptions options) {
        return 2 * (sizes(options).stream().mapToLong(Long::longValue).max().orElseThrow() + GUARD) + (1 << 20);
    }

    /** Collective. */
    void run() {
        List<Long> sizes = sizes(options);
        long largest = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
        SharedPointer source;
        SharedPointer target;
        try (Scope _ = rank.onDevice()) {
            source = rank.allAlloc(rank.ranks(), largest + GUARD);
            target = rank.allAlloc(rank.ranks(), largest + GUARD);
        }
        boolean cuda = rank.device().backend() == Backend.CUDA;
        Turns turns = new Turns(rank, options.measureNs(), options.rounds());
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
            there = (put ? targets : sources).onRank(1);
            source = rank.memory().local(sources.onRank(me), ElementType.BYTE, bytes);
            guarded = rank.memory().local(targets.onRank(me), ElementType.BYTE, bytes + GUARD);
            target = guarded.slice(0, bytes);
        }

        void measure(Turns turns, RawCuda raw, MemorySegment mapped, MemorySegment own) {
            Turns.Step floor = raw == null ? () -> rawHost(mapped, own) : () -> rawPeer(raw);
            Turns.Step[] steps = put
                    ? new Turns.Step[] {this::userPut, this::put, this::putAndFence, floor}
                    : new Turns.Step[] {this::userGet, this::get, floor};
            if (raw != null) {
                steps = java.util.Arrays.copyOf(steps, steps.length + 2);
                steps[steps.length - 2] = () -> rawOut(raw);
                steps[steps.length - 1] = () -> rawIn(raw);
            }
            Histogram[] times = turns.measure(steps);
            long userWrong = put ? checkPut(true) : checkGet(true);
            long wrong = put ? checkPut(false) : checkGet(false);
            if (!first) {
                return;
            }
            double baseline = Times.median(times[0]);
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
            out.accept(options.label(new Row(put ? "memput" : "memget", op, from, to, route, rank.processes(), bytes,
                    Times.of(times, 1), baseline, wrong, java.util.Map.of()), style));
        }

        // ---- steps

        private long userPut() {
            return first ? user.put(source) : user.receive(target);
        }

        private long userGet() {
            return first ? user.get(target) : user.offer(source);
        }

        private long put() {
            long ns = 0;
            if (first) {
                long begin = System.nanoTime();
                rank.memput(there, source);
                ns = System.nanoTime() - begin;
            }
            rank.barrier();
            return ns;
        }

        private long putAndFence() {
            long ns = 0;
            if (first) {
                long begin = System.nanoTime();
                rank.memput(there, source);
                rank.fence();
                ns = System.nanoTime() - begin;
            }
            rank.barrier();
            return ns;
        }

        private long get() {
            if (!first) {
                return 0; // on to the barrier
            }
            long begin = System.nanoTime();
            rank.memget(target, there);
            return System.nanoTime() - begin;
        }

        private long rawPeer(RawCuda raw) {
            if (!first) {
                return 0;
            }
            long begin = System.nanoTime();
            if (put) {
                raw.put(bytes);
            } else {
                raw.get(bytes);
            }
            return System.nanoTime() - begin;
        }

        private long rawOut(RawCuda raw) {
            if (!first) {
                return 0;
            }
            long begin = System.nanoTime();
            raw.copyOut(bytes);
            return System.nanoTime() - begin;
        }

        private long rawIn(RawCuda raw) {
            if (!first) {
                return 0;
            }
            long begin = System.nanoTime();
            raw.copyIn(bytes);
            return System.nanoTime() - begin;
        }

        private long rawHost(MemorySegment mapped, MemorySegment own) {
            if (!first) {
                return 0;
            }
            long begin = System.nanoTime();
            MemorySegment.copy(put ? own : mapped, 0, put ? mapped : own, 0, bytes);
            return System.nanoTime() - begin;
        }

        // ---- checks; collective

        private long checkPut(boolean userLevel) {
            long seed = bytes + (userLevel ? USER_SEED : RUNTIME_SEED);
            if (first) {
                Data.write(rank, source, seed);
            } else {
                Data.clear(rank, guarded, UNTOUCHED);
            }
            rank.barrier();
            if (userLevel) {
                userPut();
            } else if (first) {
                rank.memput(there, source);
                Data.clear(rank, source, OVERWRITTEN); // ours again
                rank.fence();
            }
            rank.barrier();
            return rank.collectives().broadcast(first ? 0 : Data.wrong(rank, guarded, bytes, seed, UNTOUCHED), 1);
        }

        private long checkGet(boolean userLevel) {
            long seed = bytes + (userLevel ? USER_SEED : RUNTIME_SEED);
            if (first) {
                Data.clear(rank, guarded, UNTOUCHED);
            } else {
                Data.write(rank, source, seed);
            }
            rank.barrier();
            if (userLevel) {
                userGet();
            } else if (first) {
                rank.memget(target, there);
            }
            rank.barrier();
            return rank.collectives().broadcast(first ? Data.wrong(rank, guarded, bytes, seed, UNTOUCHED) : 0, 0);
        }
    }
}
