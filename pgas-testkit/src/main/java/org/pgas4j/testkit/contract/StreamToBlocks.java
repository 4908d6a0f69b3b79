package org.pgas4j.testkit.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.MemoryKind;
import org.pgas4j.Prepared;
import org.pgas4j.Rank;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.Window;
import org.pgas4j.testkit.program.PatternMemory;
import org.pgas4j.testkit.program.Tally;

/** Puts and notifications that a stream, and prepared communications, send to each block of the next rank. */
final class StreamToBlocks {

    private static final int HALF = 512;
    private static final int REGION = 2 * HALF;
    private static final int PUT = 50;
    private static final int PREPARED = 51;
    private static final int ALONE = 52;
    private static final int LAUNCHES = 3;

    private final Rank rank;
    private final DeviceGrid blocks;
    private final Tally check;
    private final int next;

    private StreamToBlocks(Rank rank, DeviceGrid blocks, Tally check) {
        this.rank = rank;
        this.blocks = blocks;
        this.check = check;
        this.next = (rank.rank() + 1) % rank.ranks();
    }

    /** Counts wrong bytes of each block in {@code errors}. */
    private static GridKernel program(Buffer base, Buffer errors, int value) {
        return self -> {
            long mine = self.block() * REGION;
            self.awaitNotifications(PUT, 1);
            int wrong = differs(self, base, mine, value);
            self.awaitNotifications(PREPARED, 1);
            wrong += differs(self, base, mine + HALF, value);
            self.awaitNotifications(ALONE, 1);
            errors.getAndAddInt(self.block(), wrong);
        };
    }

    /** Wrong bytes among those of this thread. */
    private static int differs(GridRank self, Buffer bytes, long from, int value) {
        int wrong = 0;
        for (long i = from + self.thread(); i < from + HALF; i += self.threads()) {
            wrong += bytes.getByte(i) == (byte) value ? 0 : 1;
        }
        return wrong;
    }

    /** Collective. */
    static void check(Rank rank, DeviceGrid.Options shape, Tally check) {
        try (DeviceGrid blocks = rank.createGrid(shape)) {
            new StreamToBlocks(rank, blocks, check).run();
        }
    }

    private SharedPointer device(long bytes) {
        try (Scope _ = rank.onDevice()) {
            return rank.allAlloc(rank.ranks(), bytes).cast(0, 1);
        }
    }

    private void run() {
        long bytes = (long) blocks.perRank() * REGION;
        SharedPointer base = device(bytes).onRank(rank.rank());
        Buffer errors = rank.device().alloc(ElementType.INT, blocks.perRank());
        rank.stream().fill(errors, 0);
        rank.stream().sync();
        Prepared[] prepared = new Prepared[blocks.perRank()];
        try (Window window = rank.createWindow(rank.world(), base, bytes); Stream stream = rank.device().newStream();
             PatternMemory source = new PatternMemory(rank, MemoryKind.DEVICE, REGION)) {
            for (int block = 0; block < prepared.length; block++) {
                prepared[block] = blocks.preparePutNotify(window, (long) block * REGION + HALF,
                        source.block().slice(HALF, HALF), world(block), PREPARED);
            }
            Buffer mine = rank.memory().local(base, ElementType.BYTE, bytes);
            blocks.compile(program(mine, errors, 0));
            rank.barrier();
            for (int launch = 0; launch < LAUNCHES; launch++) {
                round(window, stream, source.block(), prepared, mine, errors, launch);
            }
            check.refuses(IllegalArgumentException.class, "block=" + blocks.ranks(),
                    () -> blocks.signal(stream, blocks.ranks(), 1), "no such block");
            check.refuses(IndexOutOfBoundsException.class, "windowBytes=" + bytes, () -> blocks.putNotify(stream, window, bytes,
                    source.block(), world(0), 1), "put behind the end");
            for (Prepared each : prepared) {
                each.close();
            }
            rank.barrier();
        }
        errors.close();
        rank.allFree(base.onRank(0));
    }

    private int world(int block) {
        return next * blocks.perRank() + block;
    }

    private void round(Window window, Stream stream, Buffer source, Prepared[] prepared, Buffer mine, Buffer errors, int launch) {
        int previous = (rank.rank() + rank.ranks() - 1) % rank.ranks();
        blocks.launch(program(mine, errors, 16 * launch + previous + 1));
        stream.fill(source, 16 * launch + rank.rank() + 1);
        for (int block = 0; block < blocks.perRank(); block++) {
            blocks.putNotify(stream, window, (long) block * REGION, source.slice(0, HALF), world(block), PUT);
            stream.trigger(prepared[block]);
            blocks.signal(stream, world(block), ALONE);
        }
        stream.sync();
        blocks.sync();
        int[] wrong = read(errors);
        for (int block = 0; block < wrong.length; block++) {
            check.same(0, wrong[block], "bytes that a stream notified too early, block " + block + " in launch " + launch);
        }
        rank.barrier();
    }

    private int[] read(Buffer errors) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(errors.bytes(), Long.BYTES);
            rank.stream().copy(Buffer.ofHost(segment, errors.type()), errors);
            rank.stream().sync();
            return segment.toArray(ValueLayout.JAVA_INT);
        }
    }
}
