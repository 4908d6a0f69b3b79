package org.pgas4j.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.pgas4j.Buffer;
import org.pgas4j.CollectiveMismatchException;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.testkit.program.Tally;

/** Grids whose ranks use the windows of the ranks below and above theirs alone, as tests of the device library for CUDA C++. */
final class PartnerPrograms {

    static final long REGION = 65536;
    static final int ROUNDS = 12;
    /** In place of a block: none is a stranger; a split of all blocks. */
    static final int NOBODY = -1;
    private static final int SPLIT = -2;

    private static final String NO_SPLIT = "no split of all blocks in a grid of partners";

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final int FROM_BELOW = 1;
    private static final int FROM_ABOVE = 2;
    private static final int PART = 8192;

    static final GridProgram PARTNERS =
            new GridProgram("partners", BlockPrograms.read(PartnerPrograms.class, "partners.cu"), PartnerPrograms::partners);

    private PartnerPrograms() {
    }

    /** The options of a rank that has the ranks below and above as its partners. */
    static DeviceGrid.Options shape(DeviceGrid.Options options, Rank rank) {
        return options.partners(IntStream.of(rank.rank() - 1, rank.rank() + 1).filter(r -> r >= 0 && r < rank.ranks()).toArray());
    }

    private static void partners(GridRank self, Kernel.Args args) {
        int blocks = self.ranks(Comm.DEVICE);
        int all = self.ranks(Comm.WORLD);
        int me = self.rank(Comm.WORLD);
        int local = self.rank(Comm.DEVICE);
        boolean below = self.hostRank() > 0;
        boolean above = self.hostRank() < self.hostRanks() - 1;
        MemorySegment mine = args.segment(0).asSlice(local * args.longAt(2), args.longAt(2));
        int w = self.createWindow(Comm.WORLD, mine.asSlice(0, args.longAt(2) - 16L * local));
        int wrong = 0;
        for (int other = 0; other < all; other++) {
            boolean near = Math.abs(other / blocks - self.hostRank()) <= 1;
            wrong += self.windowBytes(w, other) == (near ? args.longAt(2) - 16L * (other % blocks) : 0) ? 0 : 1;
        }
        if (args.intAt(4) == SPLIT) {
            self.split(Comm.WORLD, 0, 0, mine);
        } else if (args.intAt(4) != NOBODY) {
            self.put(w, args.intAt(4), 0, mine, 8);
        }
        MemorySegment out = mine.asSlice(2 * PART, PART);
        MemorySegment got = mine.asSlice(3 * PART, PART);
        for (int round = 1; round <= args.intAt(3); round++) {
            int bytes = PrivatePrograms.bytes(round);
            for (int i = 0; i < bytes / 4; i++) {
                out.setAtIndex(INT, i, PrivatePrograms.pattern(me, round, i));
            }
            int part = self.createWindow(Comm.WORLD, mine.asSlice(PART, PART));
            if (below) {
                self.putNotify(part, me - blocks, 0, out, bytes, FROM_ABOVE);
            }
            if (above) {
                self.putNotify(w, me + blocks, 0, out, bytes, FROM_BELOW);
            }
            self.awaitNotifications(FROM_BELOW, below ? 1 : 0);
            self.awaitNotifications(FROM_ABOVE, above ? 1 : 0);
            wrong += below ? PrivatePrograms.wrong(mine, bytes, me - blocks, round) : 0;
            wrong += above ? PrivatePrograms.wrong(mine.asSlice(PART), bytes, me + blocks, round) : 0;
            for (int other : new int[] {me - blocks, me + blocks}) {
                if (other >= 0 && other < all) {
                    self.get(w, other, 2 * PART, got, bytes);
                    wrong += PrivatePrograms.wrong(got, bytes, other, round);
                }
            }
            self.freeWindow(part); // all have read
        }
        MemorySegment errors = args.segment(1);
        errors.setAtIndex(INT, local, errors.getAtIndex(INT, local) + wrong);
        self.freeWindow(w);
    }

    /** Checks what such a grid refuses; {@code base} has a region for each block. */
    static void refused(Rank rank, DeviceGrid.Options options, Buffer base, Buffer errors, Tally check) {
        int last = rank.ranks() * options.perRank() - 1;
        if (rank.ranks() > 2) { // the first rank's and the last's are strangers
            boolean atEnd = rank.rank() == 0 || rank.rank() == rank.ranks() - 1;
            int stranger = rank.rank() == 0 ? last : 0;
            fails(rank, options, base, errors, atEnd ? stranger : SPLIT, atEnd ? "has no part of block " + stranger : NO_SPLIT, check);
        }
        fails(rank, options, base, errors, SPLIT, NO_SPLIT, check);
        if (rank.ranks() > 1) {
            check.refuses(IllegalArgumentException.class, "rank 1 names ", () -> rank.createGrid(rank.rank() == 1
                    ? options.partners(0) : options.partners()), "a partner that does not name the rank");
            check.refuses(CollectiveMismatchException.class, "createGrid", () -> rank.createGrid(rank.rank() == 0
                    ? options.partners() : options), "partners of some ranks");
        }
    }

    private static void fails(Rank rank, DeviceGrid.Options options, Buffer base, Buffer errors, int stranger, String message,
                              Tally check) {
        DeviceGrid blocks = rank.createGrid(shape(options, rank));
        blocks.compile(PARTNERS);
        rank.barrier();
        blocks.launch(PARTNERS, base, errors, REGION, ROUNDS, stranger);
        check.refuses(IllegalArgumentException.class, message, blocks::sync, "stranger " + stranger);
        rank.barrier();
        blocks.close();
    }
}
