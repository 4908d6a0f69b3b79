package org.pgas4j.testkit;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.PgasUnsafe;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.UsageException;

/** Options of a litmus program: {@code --name value}, or {@code --name} alone where the default is {@code false}. */
final class LitmusOptions {

    private final Map<String, String> values;

    LitmusOptions(List<String> args, Map<String, String> defaults) {
        values = new TreeMap<>(defaults);
        for (int i = 0; i < args.size(); i++) {
            String name = args.get(i).startsWith("--") ? args.get(i).substring(2) : "";
            String standard = defaults.get(name);
            if (standard == null) {
                throw new UsageException("unknown option '" + args.get(i) + "' (expected: --"
                        + String.join(", --", values.keySet()) + ")");
            }
            if (standard.equals("false")) {
                values.put(name, "true");
            } else if (++i == args.size()) {
                throw new UsageException("--" + name + " needs a value");
            } else {
                values.put(name, args.get(i));
            }
        }
    }

    boolean isSet(String name) {
        return !values.get(name).isEmpty();
    }

    String text(String name) {
        return values.get(name);
    }

    /** The value, one of {@code choices}. */
    String choice(String name, String... choices) {
        if (!List.of(choices).contains(text(name))) {
            throw new UsageException("--" + name + " " + text(name) + " (expected: " + String.join(", ", choices)
                    + ")");
        }
        return text(name);
    }

    boolean flag(String name) {
        return text(name).equals("true");
    }

    double number(String name) {
        try {
            return Double.parseDouble(text(name));
        } catch (NumberFormatException e) {
            throw new UsageException("--" + name + " " + text(name) + " (expected: a number)", e);
        }
    }

    /** A number, at least {@code least}. */
    long count(String name, long least) {
        long value = parse(name, text(name));
        if (value < least) {
            throw new UsageException("--" + name + " " + value + " (expected: " + least + " or more)");
        }
        return value;
    }

    /** A number, at least {@code least} and at most {@code most}. */
    long count(String name, long least, long most) {
        long value = count(name, least);
        if (value > most) {
            throw new UsageException("--" + name + " " + value + " (expected: " + least + ".." + most + ")");
        }
        return value;
    }

    /** Numbers separated by commas. */
    long[] counts(String name) {
        String[] parts = text(name).split(",");
        long[] counts = new long[parts.length];
        for (int i = 0; i < parts.length; i++) {
            counts[i] = parse(name, parts[i]);
        }
        return counts;
    }

    private static long parse(String name, String text) {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw new UsageException("--" + name + " " + text + " (expected: whole numbers)", e);
        }
    }

    /** Collective: the value of {@code --seed}, or one that rank 0 draws, the same on all ranks. */
    long seed(Rank rank) {
        return rank.collectives().broadcast(isSet("seed") ? parse("seed", text("seed")) : System.nanoTime() ^ rank.rank(), 0);
    }

    /**
     * Fails unless transfers of these sizes to the other ranks go by the route that {@code --expect-route} names;
     * {@code direct} and {@code messages} stand for two each.
     */
    void checkRoutes(Rank rank, long... sizes) {
        String expected = text("expect-route");
        for (int distance = 1; distance < rank.ranks() && !expected.isEmpty(); distance++) {
            int target = (rank.rank() + distance) % rank.ranks();
            for (MemoryKind remote : MemoryKind.values()) {
                SharedPointer there = PgasUnsafe.pointer(remote, target, rank.ranks(), 0, 0, 0, 1);
                for (MemoryKind local : MemoryKind.values()) {
                    for (long size : sizes) {
                        checkRoute(rank, local, there, size, expected);
                    }
                }
            }
        }
    }

    private static void checkRoute(Rank rank, MemoryKind local, SharedPointer there, long bytes, String expected) {
        String route = rank.diagnostics().route(local, there, bytes);
        boolean good = switch (expected) {
            case "direct" -> route.startsWith("direct-");
            case "messages" -> route.equals("fastpath") || route.equals("rendezvous");
            default -> route.equals(expected);
        };
        if (!good) {
            throw new PgasException("route of " + bytes + " bytes from " + local + " of rank " + rank.rank() + " to "
                    + there + " is " + route + ", not " + expected);
        }
    }
}
