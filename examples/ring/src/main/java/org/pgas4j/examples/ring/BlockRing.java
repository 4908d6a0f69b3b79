package org.pgas4j.examples.ring;

import org.pgas4j.Buffer;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridKernel;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;
import org.pgas4j.examples.common.RunSettings;

/** One kernel: each block waits for the token, adds one and puts it to the next block, whichever device that is on. */
final class BlockRing extends Token {

    private static final int TAG = 0;
    private static final long ALIGNMENT = 256;

    private final DeviceGrid grid;
    private final long stride;
    private final SharedPointer pointer;
    private final Buffer memory;
    private final GridKernel program;

    /** Collective. */
    BlockRing(Rank rank, int bytes, int rounds, RunSettings settings) {
        super(rank, bytes, rounds);
        this.grid = settings.grid(rank);
        this.stride = Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        try (var _ = rank.onDevice()) {
            this.pointer = rank.alloc(stride * grid.perRank());
        }
        this.memory = rank.memory().local(pointer, ElementType.BYTE, stride * grid.perRank());
        this.program = program(memory, stride, bytes, rounds);
    }

    @Override
    Buffer memory() {
        return memory;
    }

    @Override
    long hops() {
        return (long) rounds * grid.ranks();
    }

    @Override
    public void run() {
        grid.launch(program);
        grid.sync();
    }

    @Override
    public void close() {
        grid.close();
        rank.free(pointer);
    }

    private static GridKernel program(Buffer tokens, long stride, long bytes, int rounds) {
        return self -> ring(tokens, stride, bytes, rounds, self);
    }

    /** The program of a block. */
    private static void ring(Buffer tokens, long stride, long bytes, int rounds, GridRank self) {
        int rank = self.rank(Comm.WORLD);
        int next = (rank + 1) % self.ranks(Comm.WORLD);
        Buffer token = tokens.slice(stride * self.rank(Comm.DEVICE), bytes);
        int window = self.createWindow(Comm.WORLD, token);

        for (int round = 0; round < rounds; round++) {
            if (rank != 0) {
                self.awaitNotifications(TAG, 1);
            }
            if (self.thread() == 0) {
                token.putInt(0, token.getInt(0) + 1);
            }
            self.putNotify(window, next, 0, token, bytes, TAG);
            if (rank == 0) {
                self.awaitNotifications(TAG, 1);
            }
        }
        self.flush();
        self.freeWindow(window);
    }
}
