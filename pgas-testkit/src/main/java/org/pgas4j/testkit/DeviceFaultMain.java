package org.pgas4j.testkit;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.pgas4j.Backend;
import org.pgas4j.GridProgram;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SegmentMemoryException;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedLongs;

/**
 * What goes wrong on GPUs, on purpose: {@code DeviceFaultMain --fault NAME [--rounds N] [--seconds S]}. Needs a GPU.
 *
 * <ul>
 * <li>{@code memory}: segments larger than the device, N times in one JVM: every rank is told, and nothing stays allocated.
 * <li>{@code illegal}: rank 0's kernel writes to an address that is nobody's; the job ends with code 14.
 * <li>{@code endless}: rank 0's kernel runs S seconds, longer than a wait may take; the job ends with code 15.
 * <li>{@code beside}: rank 0's kernel writes 8 bytes behind its shared allocation; with {@code pgas.check=full} the job ends with
 *     code 16.
 * <li>{@code killed}: the last rank's process is killed while a kernel of rank 0 stores into its memory; for several JVMs.
 * </ul>
 */
public final class DeviceFaultMain {

    private static final Map<String, String> OPTIONS = Map.of("fault", "", "rounds", "50", "seconds", "20");
    private static final long SLACK_BYTES = 2 << 20;
    private static final long HEAP_BYTES = 16 << 20;

    private static final Kernel ILLEGAL = new Kernel("illegal", """
            extern "C" __global__ void illegal(char *nowhere, long long offset) {
                nowhere[offset] = 1;
            }
            """, null);

    private static final Kernel BESIDE = new Kernel("beside", """
            extern "C" __global__ void beside(long long *shared, long long count) {
                shared[count] = 0x7777777777777777LL;
            }
            """, null);

    private static final Kernel ENDLESS = new Kernel("endless", """
            extern "C" __global__ void endless(long long ns) {
                unsigned long long start, now;
                asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
                do {
                    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
                } while (now - start < (unsigned long long) ns);
            }
            """, null);

    private static final GridProgram STORES = new GridProgram("stores", """
            #include <pgas_device.cuh>
            extern "C" __global__ void stores(pgas_world world, char *base, long long ns) {
                pgas_context *c = pgas_init(world);
                int w = pgas_win_create(c, PGAS_WORLD, base, 4096);
                if (pgas_rank(c, PGAS_WORLD) == 0) {
                    volatile unsigned long long *there =
                            (volatile unsigned long long *) pgas_ptr(c, w, pgas_size(c, PGAS_WORLD) - 1);
                    pgas_u64 start = pgas_now();
                    for (pgas_u64 i = 0; pgas_now() - start < (pgas_u64) ns; i++) {
                        there[threadIdx.x] = i;
                    }
                }
                pgas_leave(c);
            }
            """, null);

    private DeviceFaultMain() {
    }

    public static void main(String[] args) {
        LitmusOptions options = new LitmusOptions(List.of(args), OPTIONS);
        String fault = options.choice("fault", "memory", "illegal", "endless", "beside", "killed");
        long ns = options.count("seconds", 1) * 1_000_000_000L;
        if (fault.equals("memory")) {
            memory((int) options.count("rounds", 1));
            return;
        }
        Pgas.run(config(HEAP_BYTES), List.of(args), rank -> {
            if (rank.rank() == 0) {
                System.out.println("fault " + fault + ": ranks=" + rank.ranks() + " processes=" + rank.processes() + " device="
                        + rank.device().name());
            }
            switch (fault) {
                case "illegal" -> illegal(rank);
                case "endless" -> endless(rank, ns);
                case "beside" -> beside(rank);
                default -> killed(rank, ns);
            }
        });
    }

    private static PgasConfig config(long deviceBytes) {
        return new PgasConfig().device(Backend.CUDA).hostHeap(1 << 20).deviceHeap(deviceBytes);
    }

    private static long freeBytes() {
        long[] free = new long[1];
        Pgas.run(config(HEAP_BYTES).ranks(1), List.of(), rank -> free[0] = rank.device().freeBytes());
        return free[0];
    }

    private static void memory(int rounds) {
        long before = freeBytes();
        long tooMuch = before / 10 * 11;
        for (int round = 0; round < rounds; round++) {
            try {
                Pgas.run(config(tooMuch).ranks(2), List.of(), _ -> {
                    throw new IllegalStateException("a job with segments of " + tooMuch + " bytes has begun");
                });
                throw new PgasException("nothing was thrown in round " + round);
            } catch (SegmentMemoryException e) {
                if (round == 0) {
                    System.out.println("refused: " + e.getMessage());
                }
            }
        }
        long after = freeBytes();
        System.out.println("fault memory: rounds=" + rounds + " asked=" + tooMuch + " free before=" + before + " after=" + after);
        if (Math.abs(after - before) > SLACK_BYTES) {
            throw new PgasException("device memory was lost: " + (before - after) + " bytes after " + rounds + " rounds");
        }
    }

    private static void illegal(Rank rank) {
        if (rank.rank() == 0) {
            rank.stream().launch(ILLEGAL, new Kernel.Shape(1, 1), rank.device().alloc(ElementType.BYTE, 8), 1L << 46);
            rank.stream().sync();
        }
        rank.barrier();
    }

    private static void beside(Rank rank) {
        SharedLongs shared;
        try (Scope _ = rank.onDevice()) {
            shared = rank.allAllocLongs(Layout.replicated(), 1000);
        }
        if (rank.rank() == 0) {
            rank.stream().launch(BESIDE, new Kernel.Shape(1, 1), shared.local(), 1000L);
            rank.stream().sync();
        }
        rank.barrier();
        rank.allFree(shared);
        throw new PgasException("the write beside the allocation was not found: pgas.check=full is needed for that");
    }

    private static void endless(Rank rank, long ns) {
        if (rank.rank() == 0) {
            rank.stream().launch(ENDLESS, new Kernel.Shape(1, 1), ns);
            rank.stream().sync();
        }
        rank.barrier();
    }

    private static void killed(Rank rank, long ns) {
        if (rank.processes() < 2) {
            throw new PgasException("--fault killed needs several JVMs: pgasrun -n 2 --processes 2");
        }
        SharedBytes base;
        try (Scope _ = rank.onDevice()) {
            base = rank.allAllocBytes(Layout.replicated(), 4096);
        }
        rank.device().residentBlocks(STORES, 32);
        rank.barrier();
        try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32))) {
            blocks.launch(STORES, base.local(), ns);
            if (rank.rank() == rank.ranks() - 1) {
                Thread.sleep(1000);
                System.out.println("killing pid " + ProcessHandle.current().pid() + ", whose " + MemoryKind.DEVICE + " memory is being written");
                new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
            }
            blocks.sync();
        } catch (IOException e) {
            throw new PgasException("cannot kill the process: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PgasException("interrupted", e);
        }
        rank.barrier();
    }
}
