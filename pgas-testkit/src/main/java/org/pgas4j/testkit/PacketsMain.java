package org.pgas4j.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;

/**
 * Packets that a network device sends for puts by fastpath: {@code PacketsMain [--puts N] [--bytes N] --counter FILE}. Rank 0 puts
 * to rank 1's device memory; fails if the counter says that a put took more than one write, which is one packet and its
 * acknowledgement. Nothing else may use the device.
 */
public final class PacketsMain {

    private static final Map<String, String> OPTIONS = Map.of("puts", "1600", "bytes", "8", "counter", "", "seed", "");
    private static final int BATCH = 16; // fits into a ring; beyond it a put is a rendezvous
    private static final int DONE = 1;

    private PacketsMain() {
    }

    public static void main(String[] args) {
        Pgas.run(new PgasConfig().ranks(2).hostHeap(1 << 20).deviceHeap(1 << 20), List.of(args), PacketsMain::run);
    }

    /** Collective, for two ranks. */
    public static void run(Rank rank) {
        LitmusOptions options = new LitmusOptions(rank.args(), OPTIONS);
        long puts = options.count("puts", BATCH) / BATCH * BATCH;
        int bytes = (int) options.count("bytes", Long.BYTES);
        SharedPointer target;
        try (Scope _ = rank.onDevice()) {
            target = rank.allAlloc(2, bytes);
        }
        target = target.onRank(1);
        if (target.kind() != MemoryKind.DEVICE) {
            throw new PgasException("packets: " + target + " is not in device memory");
        }
        rank.barrier();
        if (rank.rank() == 1) {
            rank.notifications().await(DONE, 1); // looks at memory of its own only
        } else {
            put(rank, target, bytes, BATCH); // makes the pair
            long before = packets(options.text("counter"));
            put(rank, target, bytes, puts);
            long packets = packets(options.text("counter")) - before;
            rank.notifications().signal(1, DONE);
            System.out.printf("packets: %d puts of %d bytes and %d fences, %d packets, %.2f for a put%n", puts, bytes,
                    puts / BATCH, packets, packets / (double) puts);
            // A batch has two writes more, its fence and the answer. Two writes for a put would be twice as many packets.
            if (packets > 2 * puts * 3 / 2) {
                throw new PgasException("packets: " + packets + " for " + puts + " puts (expected: at most " + 3 * puts + ")");
            }
            if (packets < puts) {
                throw new PgasException("packets: " + packets + " for " + puts + " puts: they went another way");
            }
        }
        rank.barrier();
    }

    private static void put(Rank rank, SharedPointer target, int bytes, long puts) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(bytes, Long.BYTES);
            for (long i = 0; i < puts; i++) {
                source.set(ValueLayout.JAVA_LONG, 0, i);
                rank.memput(target, source, bytes);
                if (i % BATCH == BATCH - 1) {
                    rank.fence();
                }
            }
        }
    }

    private static long packets(String counter) {
        try {
            return Long.parseLong(Files.readString(Path.of(counter)).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
