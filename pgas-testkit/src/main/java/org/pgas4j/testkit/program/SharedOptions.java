package org.pgas4j.testkit.program;

import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import picocli.CommandLine.Option;

/** Options of programs with random data that may insist on a route. */
public final class SharedOptions {

    @Option(names = "--seed", paramLabel = "S", description = "Repeats the run with that seed; default: a new one.")
    private Long seed;

    @Option(names = "--expect-route", paramLabel = "NAME",
            description = "Fails unless transfers take this route; direct and messages stand for"
            + " two each, resident for those and direct.")
    private String expected;

    /** Options as given on the command line. */
    public SharedOptions() {
    }

    /** No route, and this seed. */
    public SharedOptions(long seed) {
        this.seed = seed;
    }

    /** Collective: the value of {@code --seed}, or one that rank 0 draws, the same on all ranks. */
    public long seed(Rank rank) {
        return rank.collectives().broadcast(seed != null ? seed : System.nanoTime() ^ rank.rank(), 0);
    }

    /** Fails unless transfers of these sizes to the other ranks take the expected route. */
    public void checkRoutes(Rank rank, long... sizes) {
        for (int distance = 1; distance < rank.ranks() && expected != null; distance++) {
            int target = (rank.rank() + distance) % rank.ranks();
            for (MemoryKind remote : MemoryKind.values()) {
                SharedPointer there = PgasUnsafe.pointer(remote, target, rank.ranks(), 0, 0, 0, 1);
                for (MemoryKind local : MemoryKind.values()) {
                    for (long size : sizes) {
                        checkRoute(rank, local, there, size);
                    }
                }
            }
        }
    }

    private void checkRoute(Rank rank, MemoryKind local, SharedPointer there, long bytes) {
        String route = rank.diagnostics().route(local, there, bytes);
        boolean good = switch (expected) {
            case "direct" -> route.startsWith("direct-");
            case "messages" -> isMessage(route);
            case "resident" -> local == MemoryKind.HOST && there.kind() == MemoryKind.DEVICE && bytes <= Long.BYTES
                    ? route.equals("resident") : route.equals("resident") || route.startsWith("direct-");
            default -> route.equals(expected);
        };
        if (!good) {
            throw new PgasException("route of " + bytes + " bytes from " + local + " of rank " + rank.rank() + " to "
                    + there + " is " + route + ", not " + expected);
        }
    }

    /** True for the routes that use messages. */
    public static boolean isMessage(String route) {
        return route.equals("fastpath") || route.equals("rendezvous");
    }
}
