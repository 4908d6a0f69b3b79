package org.pgas4j.directory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.HexFormat;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.hash.VanillaGlobalMutableState;
import net.openhft.chronicle.values.Values;
import org.pgas4j.MemoryKind;
import org.pgas4j.bootstrap.node.SegmentEntry;

/** Other side of {@link ChronicleNodeDirectoryTest}, in a JVM of its own. */
public final class DirectoryProgram {

    private static final int RANKS = 4;
    private static final long PATIENT_MS = 30_000;

    private DirectoryProgram() {
    }

    /** @param args what to do, and the map's file or a folder for some */
    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        switch (args[0]) {
            case "write" -> writeForEver(file);
            case "read" -> read(file);
            case "corrupt" -> corrupt(file, false);
            case "trials" -> {
                DirectoryMain.Counts counts = DirectoryMain.run(file, 40, 3);
                System.out.println(counts);
                System.exit(counts.isGood() ? 0 : 1);
            }
            case "generated" -> System.out.println(filled(Values.newNativeReference(VanillaGlobalMutableState.class)));
            case "truncate" -> corrupt(file, true);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Gives a state memory and each field a value of its own; returns its bytes. */
    static String filled(VanillaGlobalMutableState state) {
        state.bytesStore(BytesStore.nativeStore(state.maxSize()), 0, state.maxSize());
        state.setAllocatedExtraTierBulks(0x030201);
        state.setFirstFreeTierIndex(0x0908_0706_05L);
        state.setExtraTiersInUse(0x0807_0605_04L);
        state.setSegmentHeadersOffset(0xfffe_fdfcL);
        state.setDataStoreSize(0x7123_4567_89ab_cdefL);
        return bytes(state);
    }

    static String bytes(VanillaGlobalMutableState state) {
        byte[] bytes = new byte[(int) state.maxSize()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = state.bytesStore().readByte(state.offset() + i);
        }
        return HexFormat.of().formatHex(bytes);
    }

    static ChronicleNodeDirectory opened(Path file, boolean creator) throws InterruptedException {
        return opened(ChronicleNodeDirectory.open(file, creator, RANKS, 0));
    }

    private static ChronicleNodeDirectory opened(ChronicleNodeDirectory directory) throws InterruptedException {
        for (long end = System.nanoTime() + 30_000_000_000L; !directory.isOpen(); Thread.sleep(10)) {
            if (System.nanoTime() - end > 0 || directory.isOff()) {
                throw new IllegalStateException("the map did not open: off " + directory.isOff());
            }
        }
        return directory;
    }

    /** A directory whose answers are waited for, however slow the machine is. */
    static ChronicleNodeDirectory patient(Path file, boolean creator) {
        return ChronicleNodeDirectory.open(file, creator, RANKS, 0, PATIENT_MS);
    }

    private static void writeForEver(Path file) throws InterruptedException {
        ChronicleNodeDirectory directory = opened(file, true);
        for (long i = 0;; i++) {
            directory.publish(EntryCodecTest.entry((int) (i % RANKS), MemoryKind.HOST, new byte[64]));
            if (i == RANKS) {
                System.out.println("writing");
            }
        }
    }

    private static void read(Path file) throws InterruptedException {
        ChronicleNodeDirectory directory = opened(patient(file, false));
        System.out.println("read " + directory.lookup(1, MemoryKind.HOST).map(SegmentEntry::pid).orElse(-1L));
        directory.close();
    }

    /** Opens the map, then spoils its file and looks how long the answers take. */
    private static void corrupt(Path file, boolean truncate) throws InterruptedException, IOException {
        ChronicleNodeDirectory directory = opened(file, true);
        for (int rank = 0; rank < RANKS; rank++) {
            directory.publish(EntryCodecTest.entry(rank, MemoryKind.HOST, new byte[64]));
        }
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            if (truncate) {
                raw.setLength(100);
            } else {
                byte[] noise = new byte[(int) raw.length() - 4096];
                new java.util.Random(3).nextBytes(noise);
                raw.seek(4096);
                raw.write(noise);
            }
        }
        long worstMs = 0;
        int found = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            long start = System.nanoTime();
            found += directory.lookup(rank, MemoryKind.HOST).isPresent() ? 1 : 0;
            directory.publish(EntryCodecTest.entry(rank, MemoryKind.DEVICE, new byte[64]));
            worstMs = Math.max(worstMs, (System.nanoTime() - start) / 2_000_000);
        }
        long start = System.nanoTime();
        directory.close();
        System.out.println("found " + found + " worst " + Math.max(worstMs, (System.nanoTime() - start) / 1_000_000));
    }
}
