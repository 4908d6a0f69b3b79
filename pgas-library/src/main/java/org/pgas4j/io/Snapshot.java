package org.pgas4j.io;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;

/**
 * Arrays of all ranks in a file, from which arrays of another number of ranks, another layout and another kind of memory are
 * filled. The file holds element types, lengths, the elements in global order, and a checksum (CRC-32C) for each piece of up to
 * 1 MiB. Ranks share the pieces evenly.
 *
 * <p>{@link #save} and {@link #restore} are collective, with the same arguments on all ranks, and barriers at their begin and
 * end. A failure on one rank is a {@link SharedFileException} on all. Used by the rank's thread.
 */
public final class Snapshot {

    private static final String UNFINISHED = ".unfinished";

    private Snapshot() {
    }

    /**
     * Writes a snapshot. It gets its name when all of it is on the storage device; a file of that name is replaced at once.
     * Until then it has the same name with {@code .unfinished} at its end, which is deleted if saving fails.
     *
     * @throws org.pgas4j.StalePointerException if an array is freed, before there is a file
     */
    public static void save(Rank rank, Path path, Elements... arrays) {
        SnapshotHeader header = begin(rank, "save", path, arrays);
        Path unfinished = path.resolveSibling(path.getFileName() + UNFINISHED);
        try {
            Agreement.after(rank, () -> {
                if (rank.rank() == 0) {
                    create(rank, unfinished, header.fileBytes());
                }
            });
            Agreement.after(rank, () -> writePieces(rank, unfinished, header, arrays));
            Agreement.after(rank, () -> {
                if (rank.rank() == 0) {
                    finish(rank, unfinished, path, header);
                }
            });
        } catch (RuntimeException e) { // of the file, or of the job, which ends
            if (rank.rank() == 0) {
                delete(unfinished, e);
            }
            throw e;
        }
    }

    /** As {@link #save(Rank, Path, Elements...)}. */
    public static void save(Rank rank, Path path, SharedArray... arrays) {
        save(rank, path, elements(arrays));
    }

    /**
     * Fills arrays from a snapshot: as many as it has, of the same element types and lengths, in the same order. Every piece is
     * compared with its checksum before it is put into the array; after a failure the arrays hold old and new elements.
     *
     * @throws SharedFileException              on all ranks, if the file is no snapshot, truncated or corrupted, or holds other
     *                                          shapes
     * @throws org.pgas4j.StalePointerException if an array is freed
     */
    public static void restore(Rank rank, Path path, Elements... arrays) {
        SnapshotHeader header = begin(rank, "restore", path, arrays);
        Agreement.after(rank, () -> {
            try (PositionalFile file = new PositionalFile(rank, path, Set.of(StandardOpenOption.READ))) {
                requireShapes(read(file), header, file);
            }
        });
        Agreement.after(rank, () -> readPieces(rank, path, header, arrays));
    }

    /** As {@link #restore(Rank, Path, Elements...)}. */
    public static void restore(Rank rank, Path path, SharedArray... arrays) {
        restore(rank, path, elements(arrays));
    }

    /**
     * Shapes of the arrays in a snapshot, for the caller to allocate such. Not collective.
     *
     * @throws SharedFileException if it is none, or its header or size is wrong
     */
    public static List<SnapshotEntry> entries(Rank rank, Path path) {
        try (PositionalFile file = new PositionalFile(rank, path, Set.of(StandardOpenOption.READ))) {
            return read(file).places().stream().map(SnapshotHeader.Place::entry).toList();
        }
    }

    private static Elements[] elements(SharedArray... arrays) {
        return Arrays.stream(arrays).map(Elements::of).toArray(Elements[]::new);
    }

    private static SnapshotHeader begin(Rank rank, String operation, Path path, Elements... arrays) {
        if (arrays.length > SnapshotHeader.MAX_ARRAYS) {
            throw new IllegalArgumentException(operation + " of snapshot " + path + " by rank " + rank.rank() + ": arrays="
                    + arrays.length + " (expected: 0.." + SnapshotHeader.MAX_ARRAYS + ")");
        }
        for (Elements each : arrays) {
            each.requireLive(rank);
        }
        List<SnapshotEntry> entries = Arrays.stream(arrays).map(SnapshotEntry::of).toList();
        Agreement.sameOnAllRanks(rank, operation, path.toString(), entries.toString());
        return new SnapshotHeader(entries);
    }

    // ---- header

    private static void create(Rank rank, Path unfinished, long bytes) {
        try (PositionalFile file = new PositionalFile(rank, unfinished, Set.of(StandardOpenOption.WRITE,
                StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING))) {
            file.setSize(bytes);
        }
    }

    /** Writes the header, which makes it a snapshot, and gives it its name. */
    private static void finish(Rank rank, Path unfinished, Path path, SnapshotHeader header) {
        try (PositionalFile file = new PositionalFile(rank, unfinished, Set.of(StandardOpenOption.WRITE));
                Staging staging = new Staging()) {
            MemorySegment bytes = staging.of(SnapshotHeader.headerBytes(header.places().size()));
            header.encode(bytes.asByteBuffer());
            file.write(0, bytes);
            file.force();
        }
        try {
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel folder = FileChannel.open(path.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
                folder.force(true); // the new name as well survives a loss of power
            }
        } catch (IOException e) {
            throw SharedFileException.of(rank.rank(), "rename", path, 0, PositionalFile.reason(e), e);
        }
    }

    private static void delete(Path unfinished, RuntimeException failure) {
        try {
            Files.deleteIfExists(unfinished);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static SnapshotHeader read(PositionalFile file) {
        try (Staging staging = new Staging()) {
            long size = file.size();
            if (size < SnapshotHeader.SHAPES_OFFSET) {
                throw file.failure("restore", size, "no snapshot, or truncated: " + size + " bytes", null);
            }
            MemorySegment start = staging.of(SnapshotHeader.SHAPES_OFFSET);
            file.read(0, start);
            int bytes = SnapshotHeader.headerBytes(checked(file, 0, () -> SnapshotHeader.arrays(start.asByteBuffer())));
            if (size < bytes) {
                throw file.failure("restore", size, "truncated: " + size + " bytes, header of " + bytes, null);
            }
            MemorySegment all = staging.of(bytes);
            file.read(0, all);
            return checked(file, 0, () -> SnapshotHeader.decode(all.asByteBuffer(), size));
        }
    }

    private static <T> T checked(PositionalFile file, long offset, Supplier<T> part) {
        try {
            return part.get();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw file.failure("restore", offset, e.getMessage(), e);
        }
    }

    private static void requireShapes(SnapshotHeader found, SnapshotHeader wanted, PositionalFile file) {
        if (found.places().size() != wanted.places().size()) {
            throw file.failure("restore", SnapshotHeader.ARRAYS_OFFSET, "it has " + found.places().size()
                    + " arrays (expected: " + wanted.places().size() + ")", null);
        }
        for (int array = 0; array < found.places().size(); array++) {
            SnapshotEntry entry = found.places().get(array).entry();
            if (!entry.equals(wanted.places().get(array).entry())) {
                throw file.failure("restore", SnapshotHeader.SHAPES_OFFSET, "array " + array + " is " + entry + " (expected: "
                        + wanted.places().get(array).entry() + ")", null);
            }
        }
    }

    // ---- pieces

    private static void writePieces(Rank rank, Path unfinished, SnapshotHeader header, Elements... arrays) {
        try (PositionalFile file = new PositionalFile(rank, unfinished, Set.of(StandardOpenOption.WRITE));
                Staging staging = new Staging(); Staging sums = new Staging()) {
            for (int array = 0; array < arrays.length; array++) {
                SnapshotHeader.Place place = header.places().get(array);
                Elements elements = arrays[array];
                MemorySegment checksums = sums.of(ownPieces(rank, place) * Integer.BYTES);
                forEachPiece(rank, place, (piece, from, count) -> {
                    MemorySegment memory = staging.of(count * place.entry().elementBytes());
                    elements.get(rank, from, count, memory);
                    checksums.setAtIndex(ElementType.LAYOUT_INT, piece, SnapshotHeader.checksum(memory.asByteBuffer()));
                    file.write(place.data() + from * place.entry().elementBytes(), memory);
                });
                file.write(place.checksums() + firstPiece(rank.rank(), rank, place) * Integer.BYTES, checksums);
            }
            file.force();
        }
    }

    private static void readPieces(Rank rank, Path path, SnapshotHeader header, Elements... arrays) {
        try (PositionalFile file = new PositionalFile(rank, path, Set.of(StandardOpenOption.READ));
                Staging staging = new Staging(); Staging sums = new Staging()) {
            for (int array = 0; array < arrays.length; array++) {
                SnapshotHeader.Place place = header.places().get(array);
                Elements elements = arrays[array];
                int number = array;
                MemorySegment checksums = sums.of(ownPieces(rank, place) * Integer.BYTES);
                file.read(place.checksums() + firstPiece(rank.rank(), rank, place) * Integer.BYTES, checksums);
                forEachPiece(rank, place, (piece, from, count) -> {
                    MemorySegment memory = staging.of(count * place.entry().elementBytes());
                    long offset = place.data() + from * place.entry().elementBytes();
                    file.read(offset, memory);
                    requireChecksum(file, offset, "elements " + from + " to " + (from + count - 1) + " of array " + number,
                            SnapshotHeader.checksum(memory.asByteBuffer()), checksums.getAtIndex(ElementType.LAYOUT_INT, piece));
                    elements.put(rank, from, count, memory);
                });
            }
        }
    }

    private static void requireChecksum(PositionalFile file, long offset, String elements, int sum, int expected) {
        if (sum != expected) {
            throw file.failure("restore", offset, "corrupted " + elements + ": checksum " + Integer.toHexString(sum)
                    + " (expected: " + Integer.toHexString(expected) + ")", null);
        }
    }

    /** Takes a piece; {@code piece} counts from the rank's first. */
    @FunctionalInterface
    private interface PieceBody {
        void piece(long piece, long from, long count);
    }

    private static void forEachPiece(Rank rank, SnapshotHeader.Place place, PieceBody body) {
        long first = firstPiece(rank.rank(), rank, place);
        for (long piece = 0; piece < ownPieces(rank, place); piece++) {
            long from = (first + piece) * place.pieceElements();
            body.piece(piece, from, Math.min(place.pieceElements(), place.entry().count() - from));
        }
    }

    private static long firstPiece(int of, Rank rank, SnapshotHeader.Place place) {
        return Math.min(place.pieces(), of * Math.ceilDiv(place.pieces(), (long) rank.ranks()));
    }

    private static long ownPieces(Rank rank, SnapshotHeader.Place place) {
        return firstPiece(rank.rank() + 1, rank, place) - firstPiece(rank.rank(), rank, place);
    }
}
