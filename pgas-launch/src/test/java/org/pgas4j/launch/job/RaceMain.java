package org.pgas4j.launch.job;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/**
 * Program that {@link RaceProcessTest} launches: {@code orders}, every {@link RaceOrder} of all; or
 * {@code puts|flag|early FIRST SECOND FILE}, a race of two ranks at the memory of rank 0, of which the second waits for a file:
 * the checks do not see it.
 */
public final class RaceMain {

    private static final int TAG = 3;
    private static final long PATIENCE_NS = 60_000_000_000L;

    private final MemorySegment buffer = Arena.ofAuto().allocate(4096, 8);

    private RaceMain() {
    }

    public static void main(String[] args) {
        Pgas.run(new PgasConfig().hostHeap(1 << 20).deviceHeap(1 << 20), rank -> {
            if (args[0].equals("orders")) {
                for (RaceOrder order : RaceOrder.values()) {
                    order.run(rank);
                }
            } else {
                new RaceMain().race(rank, args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
            }
            if (rank.rank() == 0) {
                System.out.println("nothing found");
            }
        });
    }

    private void race(Rank rank, String what, int first, int second, Path file) throws Exception {
        SharedPointer shared = rank.allAlloc(rank.ranks(), 1024).cast(0, 1);
        rank.barrier();
        if (rank.rank() == first) {
            switch (what) {
                case "puts" -> rank.memput(shared.plus(500), buffer, 16);
                case "flag" -> {
                    rank.memput(shared, buffer, 100);
                    rank.memput(shared.plus(512), buffer, 8);
                }
                case "early" -> {
                    rank.notifications().signal(second, TAG);
                    rank.memput(shared, buffer, 8);
                }
                default -> throw new IllegalArgumentException(what);
            }
            Files.createFile(file);
        } else if (rank.rank() == second) {
            await(file);
            switch (what) {
                case "puts" -> rank.memput(shared.plus(508), buffer, 16);
                case "flag" -> {
                    rank.memget(buffer, shared.plus(512), 8);
                    rank.memget(buffer, shared, 100);
                }
                default -> {
                    rank.notifications().await(TAG, 1);
                    rank.memget(buffer, shared, 8);
                }
            }
        }
        rank.barrier();
    }

    private static void await(Path file) throws InterruptedException {
        long start = System.nanoTime();
        while (!Files.exists(file)) {
            if (System.nanoTime() - start > PATIENCE_NS) {
                throw new PgasException("no " + file);
            }
            Thread.sleep(1);
        }
    }
}
