package org.pgas4j.testkit.campaign;

import java.io.IOException;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.Kernel;
import org.pgas4j.Layout;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedLongs;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Kernels that go wrong, on purpose, in CUDA C++: one in Java cannot, or has no clock to end by. Needs a GPU. */
@Command(name = "device-fault", description = {"Kernels that go wrong, on a GPU:",
    "illegal: rank 0's kernel writes to an address that belongs to nothing; the job ends with code 14.",
    "endless: rank 0's kernel runs longer than a wait may take; the job ends with code 15.",
    "beside: rank 0's kernel writes 8 bytes behind its shared allocation; with pgas.check=full the job ends with code 16.",
    "killed: the last rank's process is killed while a kernel of rank 0 stores into its memory; for several JVMs."})
public final class DeviceFaults implements Program {

    private static final long HEAP_BYTES = 16 << 20;

    private enum Fault { ILLEGAL, ENDLESS, BESIDE, KILLED }

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

    @Parameters(paramLabel = "FAULT", description = "illegal, endless, beside or killed.")
    private Fault fault;

    @InRange(min = 1)
    @Option(names = "--seconds", paramLabel = "S", description = "Length of the kernels; default: ${DEFAULT-VALUE}.")
    private long seconds = 20;

    @Override
    public PgasConfig config() {
        return config(HEAP_BYTES);
    }

    static PgasConfig config(long deviceBytes) {
        return new PgasConfig().device(Backend.CUDA).hostHeap(1 << 20).deviceHeap(deviceBytes);
    }

    @Override
    public void run(Rank rank) {
        long ns = seconds * 1_000_000_000L;
        if (rank.rank() == 0) {
            System.out.println("fault " + fault + ": ranks=" + rank.ranks() + " processes=" + rank.processes() + " device="
                    + rank.device().name());
        }
        switch (fault) {
            case ILLEGAL -> illegal(rank);
            case ENDLESS -> endless(rank, ns);
            case BESIDE -> beside(rank);
            case KILLED -> killed(rank, ns);
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
            throw new PgasException("killed needs several JVMs: pgasrun -n 2 --processes 2");
        }
        SharedBytes base;
        try (Scope _ = rank.onDevice()) {
            base = rank.allAllocBytes(Layout.replicated(), 4096);
        }
        try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32))) {
            blocks.compile(STORES);
            rank.barrier();
            blocks.launch(STORES, base.local(), ns);
            if (rank.rank() == rank.ranks() - 1) {
                Thread.sleep(1000);
                System.out.println("killing pid " + ProcessHandle.current().pid() + ", whose " + MemoryKind.DEVICE
                        + " memory is being written");
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
