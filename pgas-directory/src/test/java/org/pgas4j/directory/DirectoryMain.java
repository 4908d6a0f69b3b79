package org.pgas4j.directory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.node.SegmentEntry;

/**
 * Spoils the file of a node directory in many ways and looks what readers get: {@code DirectoryMain [trials] [seed]}. An answer
 * is the entry that was written, or none, within {@value #BAR_MS} ms; anything else ends the program with 1. Of the trials most
 * change one byte somewhere, some before the file is opened and some after; others cut the file, or have it made by two at once.
 */
public final class DirectoryMain {

    private static final int RANKS = 4;
    private static final int TRIALS = 1_000;
    private static final long BAR_MS = 30_000;
    private static final long OPEN_MS = 3_000;
    private static final long LITTLE = 64;

    /** Results of all trials so far. */
    static final class Counts {

        private int trials;
        private int opened;
        private int right;
        private int none;
        private int wrong;
        private double slowestMs;

        boolean isGood() {
            return wrong == 0 && slowestMs <= BAR_MS;
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT,
                    "directory: %d trials, %d opened; of the answers %d right, %d none, %d wrong; the slowest"
                    + " took %.1f ms", trials, opened, right, none, wrong, slowestMs);
        }
    }

    private final Path folder;
    private final Random random;
    private final Counts counts = new Counts();
    private final byte[] good;

    private DirectoryMain(Path folder, long seed) throws Exception {
        this.folder = folder;
        this.random = new Random(seed);
        Path file = folder.resolve("good");
        ChronicleNodeDirectory directory = DirectoryProgram.opened(file, true);
        for (int rank = 0; rank < RANKS; rank++) {
            for (MemoryKind kind : MemoryKind.values()) {
                directory.publish(EntryCodecTest.entry(rank, kind, new byte[64]));
            }
        }
        directory.close();
        good = Files.readAllBytes(file);
    }

    public static void main(String[] args) throws Exception {
        int trials = args.length > 0 ? Integer.parseInt(args[0]) : TRIALS;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : 20261121;
        Path folder = Files.createTempDirectory("pgas4j-directory-");
        Counts counts = run(folder, trials, seed);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
        System.out.println(counts + ", seed " + seed);
        System.exit(counts.isGood() ? 0 : 1);
    }

    static Counts run(Path folder, int trials, long seed) throws Exception {
        DirectoryMain main = new DirectoryMain(folder, seed);
        for (int i = 0; i < trials; i++) {
            switch (i % 10) {
                case 8 -> main.cut();
                case 9 -> main.twoCreators();
                default -> main.oneByte(i % 2 == 0);
            }
        }
        return main.counts;
    }

    private Path write(byte[] bytes) throws IOException {
        return Files.write(folder.resolve("map-" + counts.trials++), bytes);
    }

    private int somewhere() { // the head, where a byte means more, as often as all the rest
        return random.nextInt(random.nextBoolean() ? 4096 : good.length);
    }

    private void oneByte(boolean before) throws Exception {
        byte[] bytes = good.clone();
        int at = somewhere();
        byte other = (byte) (bytes[at] ^ 1 + random.nextInt(255));
        if (before) {
            bytes[at] = other;
        }
        Path file = write(bytes);
        ChronicleNodeDirectory directory = open(file);
        if (!before) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {other}), at);
            }
        }
        look(directory);
        Files.delete(file);
    }

    private void cut() throws Exception {
        Path file = write(Arrays.copyOf(good, random.nextBoolean() ? random.nextInt((int) LITTLE) : somewhere()));
        look(open(file));
        Files.delete(file);
    }

    private void twoCreators() throws Exception {
        Path file = folder.resolve("map-" + counts.trials++);
        ChronicleNodeDirectory one = ChronicleNodeDirectory.open(file, true, RANKS, 0);
        ChronicleNodeDirectory other = ChronicleNodeDirectory.open(file, true, RANKS, 0);
        for (int rank = 0; rank < RANKS; rank++) {
            one.publish(EntryCodecTest.entry(rank, MemoryKind.HOST, new byte[64]));
            other.publish(EntryCodecTest.entry(rank, MemoryKind.DEVICE, new byte[64]));
        }
        await(one);
        await(other);
        look(one);
        look(other);
        Files.deleteIfExists(file);
    }

    private ChronicleNodeDirectory open(Path file) throws InterruptedException {
        ChronicleNodeDirectory directory = ChronicleNodeDirectory.open(file, false, RANKS, 0);
        await(directory);
        return directory;
    }

    /** Until it is open, or off, or takes its time: the program it belongs to would not wait at all. */
    private void await(ChronicleNodeDirectory directory) throws InterruptedException {
        long end = System.nanoTime() + OPEN_MS * 1_000_000;
        while (!directory.isOpen() && !directory.isOff() && System.nanoTime() - end < 0) {
            Thread.sleep(1);
        }
        counts.opened += directory.isOpen() ? 1 : 0;
    }

    private void look(ChronicleNodeDirectory directory) {
        for (int rank = 0; rank < RANKS; rank++) {
            for (MemoryKind kind : MemoryKind.values()) {
                long start = System.nanoTime();
                Optional<SegmentEntry> answer = directory.lookup(rank, kind);
                timed(start);
                if (answer.isEmpty()) {
                    counts.none++;
                } else if (Arrays.equals(EntryCodec.encode(answer.get()),
                        EntryCodec.encode(EntryCodecTest.entry(rank, kind, new byte[64])))) {
                    counts.right++;
                } else {
                    counts.wrong++;
                    System.err.println("trial " + counts.trials + ": rank " + rank + " " + kind + " is " + answer.get());
                }
            }
        }
        long start = System.nanoTime();
        directory.close();
        timed(start);
    }

    private void timed(long start) {
        counts.slowestMs = Math.max(counts.slowestMs, (System.nanoTime() - start) / 1e6);
    }
}
