package org.pgas4j.bench.ucx;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.pgas4j.fastpath.Conduits;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;

/**
 * Two ranks in two JVMs that exchange 8-byte puts, as {@code ucx_perftest -t ucp_put_lat} does, or of which the first
 * streams large ones, as {@code ucp_put_bw} does. Arguments: rank, folder for the exchange of addresses, transports
 * ({@code pgas.ucx.tls}), {@code lat} or {@code bw}, bytes, iterations. Rank 0 prints one JSON object.
 */
public final class UcxPing {

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private static final int BATCH = 8;
    private static final int WINDOW = 32;
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long FLAG = 0;
    private static final long END = -1;
    private static final long DATA = 4096;

    private final Conduit conduit;
    private final int rank;
    private final MemorySegment memory;
    private final Endpoint peer;
    private final MemorySegment source;
    private long sequence;

    private UcxPing(Conduit conduit, int rank, MemorySegment memory, Endpoint peer, MemorySegment source) {
        this.conduit = conduit;
        this.rank = rank;
        this.memory = memory;
        this.peer = peer;
        this.source = source;
    }

    public static void main(String[] args) throws IOException {
        int rank = Integer.parseInt(args[0]);
        Path folder = Path.of(args[1]);
        String tls = args[2];
        String test = args[3];
        long bytes = Long.parseLong(args[4]);
        int iterations = Integer.parseInt(args[5]);
        ConduitOptions options = new ConduitOptions(2, 2, TIMEOUT_NS, () -> { }, tls, "none");
        try (Conduit conduit = Conduits.open("ucx", options); Arena arena = Arena.ofConfined()) {
            HostSegment own = conduit.create(rank, "segment", DATA + bytes);
            MemorySegment source = arena.allocate(Math.max(bytes, Long.BYTES), 4096);
            source.fill((byte) 1);
            SegmentAddress theirs = exchange(folder, rank, own.address());
            UcxPing ping = new UcxPing(conduit, rank, own.memory(), conduit.connect(rank, 1 - rank, theirs), source);
            if (rank == 1) {
                ping.answer();
                return;
            }
            String result = test.equals("lat")
                    ? String.format(Locale.ROOT, "\"us\": %.4f", ping.latency(bytes, iterations))
                    : String.format(Locale.ROOT, "\"MBps\": %.2f", ping.bandwidth(bytes, iterations));
            ping.end();
            System.out.printf(Locale.ROOT, "{\"test\": \"%s\", \"tls\": \"%s\", \"bytes\": %d, %s}%n", test, tls, bytes,
                    result);
        }
    }

    private static SegmentAddress exchange(Path folder, int rank, SegmentAddress own) throws IOException {
        Path written = folder.resolve("new-" + rank);
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(written))) {
            out.writeLong(own.bytes());
            out.writeInt(own.key().length);
            out.write(own.key());
        }
        Files.move(written, folder.resolve("rank-" + rank), StandardCopyOption.ATOMIC_MOVE);
        Path other = folder.resolve("rank-" + (1 - rank));
        long deadline = System.nanoTime() + TIMEOUT_NS;
        while (!Files.exists(other)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("no " + other + " after " + TimeUnit.NANOSECONDS.toSeconds(TIMEOUT_NS) + " s");
            }
            Thread.onSpinWait();
        }
        try (DataInputStream in = new DataInputStream(Files.newInputStream(other))) {
            long bytes = in.readLong();
            byte[] key = new byte[in.readInt()];
            in.readFully(key);
            return new SegmentAddress("", bytes, key);
        }
    }

    /** Rank 1: sends back what comes. */
    private void answer() {
        for (long next = 1; ; next++) {
            long value = await(next);
            if (value == END) {
                peer.putWordRelease(FLAG, END);
                peer.flush();
                return;
            }
            put(next);
        }
    }

    /** Rank 0: ends the other; it has answered when this returns. */
    private void end() {
        peer.putWordRelease(FLAG, END);
        await(END);
    }

    private long await(long expected) {
        long value;
        while ((value = (long) WORD.getAcquire(memory, FLAG)) != expected && value != END) {
            conduit.progress(rank);
        }
        return value;
    }

    private void put(long value) {
        source.set(ValueLayout.JAVA_LONG, 0, value);
        peer.put(FLAG, source, 0, Long.BYTES);
    }

    private void roundTrips(int count) {
        for (int i = 0; i < count; i++) {
            put(++sequence);
            await(sequence);
        }
    }

    /** Microseconds from rank to rank, median over batches of round trips. */
    private double latency(long bytes, int iterations) {
        if (bytes != Long.BYTES) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: 8)");
        }
        long end = System.nanoTime() + WARM_UP_NS;
        while (System.nanoTime() - end < 0) {
            roundTrips(BATCH);
        }
        long[] times = new long[iterations / BATCH];
        for (int i = 0; i < times.length; i++) {
            long start = System.nanoTime();
            roundTrips(BATCH);
            times[i] = System.nanoTime() - start;
        }
        Arrays.sort(times);
        return times[times.length / 2] / (2e3 * BATCH);
    }

    /** MiB per second, as ucx_perftest counts them. */
    private double bandwidth(long bytes, int iterations) {
        long end = System.nanoTime() + WARM_UP_NS;
        while (System.nanoTime() - end < 0) {
            stream(bytes, WINDOW);
        }
        long start = System.nanoTime();
        stream(bytes, iterations);
        return iterations * (bytes / 1048576.0) / ((System.nanoTime() - start) / 1e9);
    }

    private void stream(long bytes, int count) {
        long[] tickets = new long[WINDOW];
        for (int i = 0; i < count; i++) {
            int slot = i % WINDOW;
            complete(tickets[slot]);
            tickets[slot] = peer.startPut(DATA, source, 0, bytes);
        }
        for (long ticket : count < WINDOW ? Arrays.copyOf(tickets, count) : tickets) {
            complete(ticket);
        }
        peer.flush();
    }

    private void complete(long ticket) {
        while (!peer.isComplete(ticket)) {
            Thread.onSpinWait();
        }
    }
}
