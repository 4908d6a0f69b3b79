package org.pgas4j.testkit.contract;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.pgas4j.DeviceGrid;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Kernel;
import org.pgas4j.Rank;
import org.pgas4j.testkit.program.Tally;

/** Lines that blocks log, in both forms, as tests of the device library for CUDA C++. */
final class LinePrograms {

    private static final int COUNT = 1500; // more of two blocks than the log holds
    /** Bytes that the threads of a block share. */
    static final int SHARED = 60_000;
    private static final String LAST = "one of two, " + SHARED + " bytes shared";

    private static final GridProgram LINES = new GridProgram("lines", BlockPrograms.read(LinePrograms.class, "lines.cu"),
            LinePrograms::lines);

    private LinePrograms() {
    }

    private static void lines(GridRank self, Kernel.Args args) {
        int count = args.intAt(0);
        for (int i = 0; i < count; i++) {
            self.printf("line %d of %lld: %.1f 0x%x 100%%", i, (long) count, self.rank(Comm.DEVICE) + i * 0.5, -1);
        }
        self.shared().fill((byte) 7);
        long bytes = self.shared().byteSize();
        self.printf("one of two, %d bytes shared", bytes);
        self.printf("one of two, %d bytes shared", bytes);
        int[] at = self.blockIndex();
        DeviceGrid.Dims shape = self.gridShape();
        self.printf("block (%u, %u, %u) of (%u, %u, %u), %d", at[0], at[1], at[2], shape.x(), shape.y(), shape.z(), 0);
        self.leave();
    }

    private static String line(int block, int i) {
        return String.format(Locale.ROOT, "line %d of %d: %.1f 0xffffffff 100%%", i, COUNT, block + i * 0.5);
    }

    /** Blocks of a rank in the shape (1, blocks, 1). */
    static DeviceGrid.Options shape(DeviceGrid.Options options) {
        DeviceGrid.Dims grid = new DeviceGrid.Dims(1, options.perRank(), 1);
        DeviceGrid.Options shaped = DeviceGrid.Options.of(grid, new DeviceGrid.Dims(8, 2, options.threads() / 16)).shared(SHARED);
        return options.forcedProxy() ? shaped.proxy() : shaped;
    }

    private static String place(int block, int blocks) {
        return "block (0, " + block + ", 0) of (1, " + blocks + ", 1), 0";
    }

    /** Checks that each line arrives whole and in its block's order, or is counted as lost. */
    static void check(Rank rank, DeviceGrid blocks, Tally check) {
        ConcurrentLinkedQueue<DeviceGrid.LogLine> received = new ConcurrentLinkedQueue<>();
        blocks.logTo(received::add);
        long lost = blocks.droppedLogLines();
        blocks.launch(LINES, COUNT);
        blocks.sync();
        lost = blocks.droppedLogLines() - lost;
        check.same((COUNT + 3L) * blocks.perRank(), received.size() + lost, "lines received and lost");
        check.that(!received.isEmpty(), "lines received");
        for (int block = 0; block < blocks.perRank(); block++) {
            int number = block;
            List<DeviceGrid.LogLine> its = received.stream().filter(line -> line.block() == number).toList();
            int next = 0;
            for (DeviceGrid.LogLine line : its) {
                check.same(rank.rank(), line.rank(), "rank of a line");
                while (next < COUNT && !line.text().equals(line(number, next))) {
                    next++; // lost, or there is no such line
                }
                check.that(next < COUNT || line.text().equals(LAST) || line.text().equals(place(number, blocks.perRank())), "line of block " + number + ": " + line.text());
            }
        }
    }
}
