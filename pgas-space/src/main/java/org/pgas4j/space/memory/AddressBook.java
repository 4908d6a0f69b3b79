package org.pgas4j.space.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgas4j.BootstrapException;
import org.pgas4j.MemoryKind;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ServiceNumber;
import org.pgas4j.bootstrap.node.NodeDirectory;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.node.SegmentEntry;
import org.pgas4j.fastpath.conduit.RankTable;

/**
 * Addresses of the segments of ranks. Each JVM keeps the addresses of its own ranks; those of another are fetched when one
 * of its ranks is first reached, {@value #FEW} at a time, and {@value #MANY} at a time once it was asked for some, and kept.
 * The question climbs the tree of coordinators as far as somebody knows the answer. Thread-safe.
 */
final class AddressBook {

    /** Number of the bootstrap service that tells addresses. */
    static final int SERVICE = ServiceNumber.ADDRESSES;
    private static final int REQUEST_BYTES = Long.BYTES + 2 * Integer.BYTES;

    /** Ranks of a JVM that are asked for at once: who reaches one by a tree reaches those beside it too. */
    static final int FEW = 32;
    /** The same of a JVM that was asked {@value #OFTEN} times: who reaches some from every corner reaches all. */
    static final int MANY = 1024;
    private static final int OFTEN = 4;

    /** Consecutive ranks of a JVM that are asked for together; of the last piece there may be fewer. */
    private record Piece(int first, int length) {
    }

    /** Both segments of a rank. */
    record Addresses(SegmentEntry host, SegmentEntry device) {

        SegmentEntry of(MemoryKind kind) {
            return kind == MemoryKind.HOST ? host : device;
        }
    }

    private final Bootstrap bootstrap;
    private final Nodes nodes;
    private final NodeDirectory directory;
    private final long timeoutNs;
    private final int firstRank;
    private final int endRank;
    private final Addresses[] own;
    private final RankTable<Addresses> others;
    private final Map<Piece, CompletableFuture<Void>> underWay = new HashMap<>();
    private final Map<Integer, Integer> asked = new HashMap<>(); // questions by process
    private long generation;

    /**
     * @param directory of this node, or null
     * @param timeoutNs for one question
     */
    AddressBook(Bootstrap bootstrap, Nodes nodes, NodeDirectory directory, long timeoutNs) {
        this.bootstrap = bootstrap;
        this.nodes = nodes;
        this.directory = directory;
        this.timeoutNs = timeoutNs;
        this.firstRank = bootstrap.firstRank(bootstrap.process());
        this.endRank = bootstrap.firstRank(bootstrap.process() + 1);
        this.own = new Addresses[endRank - firstRank];
        this.others = new RankTable<>(bootstrap.ranks());
        bootstrap.serve(SERVICE, this::answer);
    }

    /** Takes the addresses of this JVM's ranks; before any other JVM may ask. */
    synchronized void open(long ofGeneration, List<SegmentEntry> entries) {
        generation = ofGeneration;
        SegmentEntry[] host = new SegmentEntry[own.length];
        SegmentEntry[] device = new SegmentEntry[own.length];
        for (SegmentEntry entry : entries) {
            (entry.kind() == MemoryKind.HOST ? host : device)[entry.rank() - firstRank] = entry;
        }
        for (int i = 0; i < own.length; i++) {
            own[i] = new Addresses(Objects.requireNonNull(host[i]), Objects.requireNonNull(device[i]));
        }
    }

    /** Tells the node's directory of this JVM's segments. */
    void publish() {
        for (Addresses each : own) {
            directory.publish(each.host);
            directory.publish(each.device);
        }
    }

    /** The segments of a rank of this JVM. */
    Addresses own(int rank) {
        return own[rank - firstRank];
    }

    /** Known address of a rank, without a query; null if there is none. */
    synchronized Addresses known(int rank) {
        return rank >= firstRank && rank < endRank ? own[rank - firstRank] : others.get(rank);
    }

    /**
     * The segments of a rank; asks if nothing is known.
     *
     * @throws PgasTimeoutException      if there is no answer in time; names the rank
     * @throws PgasException             if its JVM has ended or the job has failed
     * @throws IndexOutOfBoundsException if there is no such rank
     */
    Addresses find(int rank) {
        Addresses addresses = known(rank);
        while (addresses == null) {
            int process = bootstrap.processOf(rank);
            CompletableFuture<Void> mine = new CompletableFuture<>();
            CompletableFuture<Void> answer;
            Piece piece;
            synchronized (this) {
                addresses = known(rank);
                if (addresses != null) {
                    return addresses;
                }
                Piece all = piece(process, rank, MANY);
                boolean few = asked.getOrDefault(process, 0) < OFTEN && !underWay.containsKey(all);
                piece = few ? piece(process, rank, FEW) : all;
                answer = Objects.requireNonNullElse(underWay.putIfAbsent(piece, mine), mine);
                if (answer == mine) {
                    asked.merge(process, 1, Integer::sum);
                }
            }
            if (answer == mine) {
                fetch(process, piece, rank, mine);
            } else {
                await(answer, rank);
            }
            addresses = known(rank);
        }
        return addresses;
    }

    /** Entry of the node directory, if it says it at once and means this run; it is a help only. */
    private boolean findInDirectory(int rank) {
        if (directory == null || !nodes.isHere(rank)) {
            return false;
        }
        SegmentEntry host = directory.lookup(rank, MemoryKind.HOST).filter(this::isCurrent).orElse(null);
        SegmentEntry device = host == null ? null : directory.lookup(rank, MemoryKind.DEVICE).filter(this::isCurrent)
                .orElse(null);
        if (device == null || device.pid() != host.pid()) {
            return false;
        }
        synchronized (this) {
            others.put(rank, new Addresses(host, device));
        }
        return true;
    }

    private boolean isCurrent(SegmentEntry entry) {
        SegmentEntry like = own[0].of(entry.kind()); // heaps are of one size everywhere
        return entry.generation() == like.generation() && entry.bytes() == like.bytes()
                && entry.mappedBytes() > 0 && (entry.kind() == MemoryKind.DEVICE || entry.mappedBytes() == like.mappedBytes()
                && entry.offset() == like.offset());
    }

    private Piece piece(int process, int rank, int length) {
        int first = bootstrap.firstRank(process);
        return new Piece(first + (rank - first) / length * length, length);
    }

    private int end(int process, Piece piece) {
        return Math.min(piece.first + piece.length, bootstrap.firstRank(process + 1));
    }

    private void fetch(int process, Piece piece, int rank, CompletableFuture<Void> done) {
        RuntimeException failure = null;
        try {
            if (piece.length > FEW || !findInDirectory(rank)) { // which tells of one at a time
                int end = end(process, piece);
                take(Wire.decode(ask(process, piece, rank), process, piece.first, end), process, piece.first, end);
            }
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        } finally {
            synchronized (this) {
                underWay.remove(piece);
            }
            if (failure == null) {
                done.complete(null);
            } else {
                done.completeExceptionally(failure);
            }
        }
    }

    private byte[] ask(int process, Piece piece, int rank) {
        byte[] request = ByteBuffer.allocate(REQUEST_BYTES).putLong(generation).putInt(piece.first)
                .putInt(piece.length).array();
        try {
            return bootstrap.lookup(process, SERVICE, request, System.nanoTime() + timeoutNs);
        } catch (PgasTimeoutException e) {
            throw new PgasTimeoutException(where(rank) + e.getMessage(), e);
        } catch (PeerLostException e) {
            throw bootstrap.aborted() != null ? e : new PeerLostException(where(rank) + e.getMessage(), e);
        }
    }

    private void take(List<SegmentEntry> entries, int process, int first, int end) {
        SegmentEntry[][] of = new SegmentEntry[end - first][2];
        for (SegmentEntry entry : entries) {
            of[entry.rank() - first][entry.kind() == MemoryKind.HOST ? 0 : 1] = entry;
        }
        synchronized (this) {
            for (int rank = first; rank < end; rank++) {
                SegmentEntry[] both = of[rank - first];
                if (both[0] == null || both[1] == null) {
                    throw new BootstrapException("process " + process + " told no segments of rank " + rank);
                }
                others.put(rank, new Addresses(both[0], both[1]));
            }
        }
    }

    /** Another rank of this JVM asks; its question has the deadline. */
    private void await(CompletableFuture<Void> answer, int rank) {
        try {
            answer.get(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new PgasTimeoutException(where(rank) + "no answer within " + timeoutNs / 1_000_000
                    + " ms; pgas.timeout sets the deadline of a wait", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PgasException failure ? failure
                    : new PgasException(where(rank) + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PgasException(where(rank) + "interrupted", e);
        }
    }

    private static String where(int rank) {
        return "where the memory of rank " + rank + " is: ";
    }

    /** Answers other JVMs. */
    private synchronized byte[] answer(byte[] request) {
        if (request.length != REQUEST_BYTES) {
            throw new PgasException("question for addresses of " + request.length + " bytes is malformed");
        }
        ByteBuffer fields = ByteBuffer.wrap(request);
        long wanted = fields.getLong();
        Piece piece = new Piece(fields.getInt(), fields.getInt());
        if (wanted != generation || piece.length != FEW && piece.length != MANY || piece.first < firstRank
                || piece.first >= endRank || (piece.first - firstRank) % piece.length != 0) {
            throw new PgasException("addresses of " + piece.length + " ranks from " + piece.first + ", run " + wanted
                    + " (here: ranks " + firstRank + "-" + (endRank - 1) + ", run " + generation + ")");
        }
        List<SegmentEntry> entries = new ArrayList<>();
        for (int rank = piece.first; rank < end(bootstrap.process(), piece); rank++) {
            entries.add(own[rank - firstRank].host);
            entries.add(own[rank - firstRank].device);
        }
        return Wire.encode(entries);
    }
}
