package org.pgas4j.bootstrap.watch;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.Phases;

/** The {@link Activity} of a run of ranks: those of this JVM, or of a node in memory that its launcher made. */
public final class StatusBoard {

    private final MemorySegment memory;
    private final int firstRank;
    private final int endRank;
    private final Activity[] activities;

    private StatusBoard(MemorySegment memory, int firstRank, int endRank) {
        this.memory = memory;
        this.firstRank = firstRank;
        this.endRank = endRank;
        this.activities = new Activity[endRank - firstRank];
        for (int i = 0; i < activities.length; i++) {
            activities[i] = new Activity(memory.asSlice((long) i * Activity.LINE, Activity.LINE));
        }
    }

    /** In this JVM alone. */
    public static StatusBoard local(int firstRank, int endRank) {
        return new StatusBoard(Arena.ofAuto().allocate(bytes(firstRank, endRank), Activity.LINE), firstRank, endRank);
    }

    /**
     * In a file that has {@link #bytes} bytes, for as long as this JVM lives.
     *
     * @throws IOException if it cannot be opened or has another size
     */
    public static StatusBoard open(Path file, int firstRank, int endRank) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return map(channel, firstRank, endRank);
        }
    }

    /** As {@link #open}, of a file that is open. */
    public static StatusBoard map(FileChannel channel, int firstRank, int endRank) throws IOException {
        long bytes = bytes(firstRank, endRank);
        if (channel.size() != bytes) {
            throw new IOException("status board of ranks " + firstRank + ".." + (endRank - 1) + " has " + channel.size()
                    + " bytes (expected: " + bytes + ")");
        }
        return new StatusBoard(channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.ofAuto()), firstRank, endRank);
    }

    /** Size of the board of these ranks. */
    public static long bytes(int firstRank, int endRank) {
        return (long) (endRank - firstRank) * Activity.LINE;
    }

    /** True if the board covers {@code rank}. */
    public boolean covers(int rank) {
        return rank >= firstRank && rank < endRank;
    }

    /** Status of a rank that the board {@link #covers}. */
    public Activity activity(int rank) {
        return activities[rank - firstRank];
    }

    /** Sets the phase of some ranks that have no thread yet, or none any more. */
    public void set(int from, int end, Phase phase) {
        for (int rank = from; rank < end; rank++) {
            activity(rank).set(phase);
        }
    }

    /** The phases of some ranks, as an abort names them. */
    public Phases phases(int from, int end) {
        Map<Phase, Integer> seen = new LinkedHashMap<>();
        for (int rank = from; rank < end; rank++) {
            seen.putIfAbsent(activity(rank).look().current(), rank);
        }
        return new Phases(seen.entrySet().stream().map(entry -> new Phases.OfRank(entry.getKey(), entry.getValue()))
                .toList());
    }

    /** The first of some ranks that has called {@link System#exit}, or -1. */
    public int exited(int from, int end) {
        for (int rank = from; rank < end; rank++) {
            if (activity(rank).hasExited()) {
                return rank;
            }
        }
        return -1;
    }

    /** The statuses of some ranks as bytes. */
    byte[] encode(int from, int end) {
        ByteBuffer bytes = ByteBuffer.allocate((end - from) * RankStatus.BYTES);
        for (int rank = from; rank < end; rank++) {
            activity(rank).look().encode(bytes);
        }
        return bytes.array();
    }
}
