package org.pgas4j.testkit.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.testkit.program.InRange;
import org.pgas4j.testkit.program.Program;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Packets that a network device sends for puts by fastpath. */
@Command(name = "packets",
        description = "Rank 0 puts to rank 1's device memory by fastpath. Fails if a put took more than one write,"
        + " which is one packet and its acknowledgement. Nothing else may use the network device.")
public final class Packets implements Program {

    private static final int BATCH = 16; // fits into a ring; beyond it a put is a rendezvous
    private static final int DONE = 1;

    @InRange(min = BATCH)
    @Option(names = "--puts", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    private long puts = 1600;

    @InRange(min = Long.BYTES)
    @Option(names = "--bytes", paramLabel = "N", description = "Bytes of a put; default: ${DEFAULT-VALUE}.")
    private int bytes = Long.BYTES;

    @Option(names = "--counter", required = true, paramLabel = "FILE", description = "Counter of packets sent.")
    private Path counter;

    @Override
    public PgasConfig config() {
        return Program.heaps(1 << 20).ranks(2);
    }

    @Override
    public void run(Rank rank) {
        puts = puts / BATCH * BATCH;
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
            rank.notifications().await(DONE, 1); // polls memory of its own only
        } else {
            put(rank, target, BATCH); // makes the pair
            long before = packets();
            put(rank, target, puts);
            long packets = packets() - before;
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

    private void put(Rank rank, SharedPointer target, long count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(bytes, Long.BYTES);
            for (long i = 0; i < count; i++) {
                source.set(ValueLayout.JAVA_LONG, 0, i);
                rank.memput(target, source, bytes);
                if (i % BATCH == BATCH - 1) {
                    rank.fence();
                }
            }
        }
    }

    private long packets() {
        try {
            return Long.parseLong(Files.readString(counter).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
