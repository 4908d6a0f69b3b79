package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.AtomicOp;
import org.pgas4j.Backend;
import org.pgas4j.DeviceGrid;
import org.pgas4j.ElementType;
import org.pgas4j.GridProgram;
import org.pgas4j.GridRank;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.GridSplit;
import org.pgas4j.Layout;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.ReduceOp;
import org.pgas4j.Scope;
import org.pgas4j.SharedBytes;
import org.pgas4j.Stream;
import org.pgas4j.testkit.Testkit;

/** Gets, waits and splits of blocks of the host device, with ranks that are threads of this JVM. */
@Timeout(60)
class BlockLibraryTest {

    private static final Duration SHORT = Duration.ofMillis(200);

    private static void keepTheContract(int ranks, String options, String helper) {
        List<String> words = new ArrayList<>(List.of("block-library"));
        words.addAll(List.of(options.split(" ")));

        Pgas.run(Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.HELPER, helper), words, Testkit::run);
    }

    @ParameterizedTest
    @CsvSource({"1, --blocks 3", "3, --blocks 1"})
    void shouldKeepTheContract(int ranks, String options) {
        keepTheContract(ranks, options, "auto");
    }

    @ParameterizedTest
    @CsvSource({"2, --blocks 3, off", "2, --blocks 2 --proxy, auto", "3, --blocks 1 --proxy, on"})
    @Tag("slow")
    void shouldKeepTheContractThroughTheHost(int ranks, String options, String helper) {
        keepTheContract(ranks, options, helper);
    }

    @Test
    void shouldHaveABlockOfEachRankWhereRanksOutnumberProcessors() {
        int ranks = Runtime.getRuntime().availableProcessors() + 1;
        PgasConfig config = new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(4 << 20)
                .set(PgasKey.HOST_DEVICES, "1");

        Pgas.run(config, rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(0, 32))) {
                assertEquals(ranks, blocks.ranks());
            }
        });
    }

    /** Does as one block with a window of 64 bytes of zeros, all its own. */
    private interface Use {
        void of(GridRank self, int window);
    }

    private static RuntimeException failure(Use use) {
        GridProgram program = new GridProgram("use", null, (self, args) -> {
            use.of(self, self.createWindow(Comm.WORLD, args.segment(0)));
        });
        return assertThrows(RuntimeException.class, () -> run(program, 1, 64));
    }

    private static void run(GridProgram program, int perRank, long bytes) {
        run(program, perRank, bytes, SHORT);
    }

    private static void run(GridProgram program, int perRank, long bytes, Duration timeout) {
        PgasConfig config = new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(4 << 20);
        Pgas.run(config, rank -> {
            SharedBytes base;
            try (Scope _ = rank.onDevice()) {
                base = rank.allAllocBytes(Layout.replicated(), bytes);
            }
            rank.stream().fill(base.local(), 0);
            rank.stream().sync();
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(perRank, 32).timeout(timeout))) {
                blocks.launch(program, base.local());
                blocks.sync();
            }
        });
    }

    private static void assertFails(String text, Use use) {
        RuntimeException e = failure(use);
        assertTrue(String.valueOf(e.getMessage()).contains(text), e::toString);
    }

    @Test
    void shouldEndAWaitForAValueThatDoesNotCome() {
        assertFails("in window 0, by GREATER, 0 of 1 have come after 200 ms",
                (self, w) -> self.awaitValue(w, 8, ElementType.LONG, Comparison.GREATER, 0));
        assertFails("in window 0, by NOT_EQUAL, 1 of 3 have come after 200 ms", (self, w) -> {
            self.putValue(w, 0, 4, ElementType.INT, 1);
            self.awaitAllValues(w, 0, 3, ElementType.INT, Comparison.NOT_EQUAL, 0);
        });
    }

    @Test
    void shouldEndAWaitForTagsThatDoNotCome() {
        assertFails("of the tags from 5 on that a block waits for, 0 of 1 have notifications", (self, _) -> self.awaitAnyTag(5, 2));
        assertFails("of the tags from 5 on that a block waits for, 1 of 2 have notifications", (self, _) -> {
            self.signal(Comm.WORLD, 0, 6);
            self.awaitAllTags(5, 2, 1);
        });
    }

    @Test
    void shouldCutALongLineBetweenCharacters() {
        String whole = "a".repeat(HostPage.MAX_LOG_TEXT - 1);
        GridProgram program = new GridProgram("lines", null, (self, _) -> {
            self.printf(whole + "\u00e9");
            self.log(whole + "\u20ac", 1);
            self.printf(whole.substring(1) + "\u00e9 and more");
        });
        List<String> lines = new ArrayList<>();
        Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(4 << 20), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32))) {
                blocks.logTo(line -> lines.add(line.text()));
                blocks.launch(program);
                blocks.sync();
            }
        });
        assertEquals(List.of(whole, whole + " 1.0", whole.substring(1) + "\u00e9"), lines);
    }

    @Test
    void shouldRefuseMoreSharedMemoryThanABlockHas() {
        Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(4 << 20), rank -> {
            DeviceGrid.Options options = DeviceGrid.Options.of(2, 32);
            for (int bytes : new int[] {HostBlock.MAX_SHARED + 1, Integer.MAX_VALUE}) {
                String message = assertThrows(IllegalArgumentException.class, () -> rank.createGrid(options.shared(bytes))).getMessage();
                assertEquals("shared memory of blocks of rank 0: " + bytes + " bytes (expected: 0..232448 on the host device)", message);
            }
            try (DeviceGrid blocks = rank.createGrid(options.shared(HostBlock.MAX_SHARED))) {
                blocks.launch(new GridProgram("fill", null, (self, _) -> self.shared().fill((byte) 1)));
                blocks.sync();
            }
        });
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        assertFails("access out of bounds of a window: window=0 target=0 offset=60 bytes=8 windowBytes=64",
                (self, w) -> self.getValue(w, 0, 60, ElementType.LONG));
        assertFails("no block 1 in window 0", (self, w) -> self.getValue(w, 1, 0, ElementType.LONG));
        assertFails("a word that is not aligned", (self, w) -> self.awaitValue(w, 4, ElementType.LONG, Comparison.EQUAL, 0));
        assertFails("access out of bounds", (self, w) -> self.testValues(w, 0, Long.MAX_VALUE, ElementType.INT, Comparison.EQUAL, 0));
        assertFails("no tag 256", (self, _) -> self.awaitAnyTag(250, 7));
        assertFails("no wait for 0 tags from 5 on (expected: 1 or more)", (self, _) -> self.awaitAnyTag(5, 0));
        assertFails("no wait for -2 tags from 5 on", (self, _) -> self.testAnyTag(5, -2));
        assertFails("no wait for 0 tags from 5 on", (self, _) -> self.awaitSomeTags(5, 0, new long[1]));
        assertFails("no wait for 0 tags from 5 on", (self, _) -> self.awaitAllTags(5, 0, 1));
    }

    @Test
    void shouldRefuseTypesThatAnOperationDoesNotTake() {
        for (ElementType type : List.of(ElementType.BYTE, ElementType.SHORT, ElementType.CHAR, ElementType.FLOAT)) {
            String text = "rank 0 block 0, program use: no words of type " + type + " (expected: INT or LONG)";
            assertFails(text, (self, w) -> self.putSet(w, 0, 0, self.shared(), 0, 8, type, 1));
            assertFails(text, (self, w) -> self.testValues(w, 8, 1, type, Comparison.EQUAL, 0));
        }
        GridProgram program = new GridProgram("halves", null, (self, args) -> {
            GridSplit split = self.split(Comm.DEVICE, 0, 0, args.segment(0));
            split.allReduce(self.shared(), self.shared(), ElementType.HALF, ReduceOp.SUM);
        });
        String message = assertThrows(RuntimeException.class, () -> run(program, 1, 1 << 16)).getMessage();
        assertTrue(message.contains("no elements of a split of type HALF (expected: INT, LONG, FLOAT or DOUBLE)"), message);
    }

    @Test
    void shouldRefuseCountsOfNotificationsOutOfRange() {
        for (long count : new long[] {-1, Long.MIN_VALUE, 1L << 31}) {
            String text = "no wait for " + count + " notifications of tag 5 (expected: 0..2147483647)";
            assertFails(text, (self, _) -> self.awaitNotifications(5, count));
            assertFails(text, (self, _) -> self.testNotifications(5, count));
            assertFails(text, (self, _) -> self.awaitAllTags(5, 2, count));
        }
    }

    /** Some would change the bytes beside a word, others would be another operation on a GPU. */
    @Test
    void shouldRefuseAtomicOperationsThatThereAreNot() {
        for (ElementType type : List.of(ElementType.BYTE, ElementType.SHORT, ElementType.CHAR, ElementType.HALF)) {
            assertFails("no atomic operation SWAP on words of type BYTE, SHORT, CHAR, HALF or BFLOAT16: window=0 target=0",
                    (self, w) -> self.atomic(w, 0, 8, type, AtomicOp.SWAP, 1, 0));
        }
        for (AtomicOp op : List.of(AtomicOp.AND, AtomicOp.OR, AtomicOp.XOR, AtomicOp.UNSIGNED_MIN, AtomicOp.UNSIGNED_MAX)) {
            assertFails("no atomic operation " + op + " on words of type DOUBLE",
                    (self, w) -> self.atomic(w, 0, 8, ElementType.DOUBLE, op, 1, 0));
            assertFails("no atomic operation " + op + " on words of type FLOAT",
                    (self, w) -> self.atomic(w, 0, 8, ElementType.FLOAT, op, 1, 0));
        }
    }

    @Test
    void shouldOutliveTheStreamOfALaunch() {
        int[] runs = {0};
        GridProgram program = new GridProgram("count", null, (_, _) -> runs[0]++);
        Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(4 << 20), rank -> {
            try (DeviceGrid blocks = rank.createGrid(DeviceGrid.Options.of(1, 32))) {
                for (int i = 0; i < 2; i++) {
                    try (Stream stream = rank.device().newStream()) {
                        blocks.launch(stream, program);
                    }
                }
                blocks.launch(program);
                blocks.sync();
                try (Stream stream = rank.device().newStream()) {
                    blocks.launch(stream, program);
                }
            }
        });
        assertEquals(4, runs[0]);
    }

    @Test
    void shouldRefuseTimersThatThereAreNot() {
        for (int timer : new int[] {-1, 16}) {
            assertFails("no timer " + timer + " (expected: 0..15)", (self, _) -> self.startTimer(timer));
            assertFails("no timer " + timer + " (expected: 0..15)", (self, _) -> self.stopTimer(timer));
        }
    }

    @Test
    void shouldRefuseMemoryThatASplitDoesNotFitIn() {
        assertFails("the memory of a split is too small, or not aligned to 16 bytes: bytes=64 (expected: >= 96)", (self, w) ->
                self.split(Comm.WORLD, 0, 0, self.ptr(w, 0)));
    }

    /** Does as one block with a window that counts 2 tags by source, over 64 bytes. */
    private static void assertSourceFails(String text, Consumer<GridSourceWindow> use) {
        GridProgram program = new GridProgram("use", null, (self, args) -> use.accept(self.createSourceWindow(Comm.WORLD,
                args.segment(0).asSlice(0, 64), 2, args.segment(0).asSlice(64))));
        RuntimeException e = assertThrows(RuntimeException.class, () -> run(program, 1, 256));
        assertTrue(String.valueOf(e.getMessage()).contains(text), e::toString);
    }

    @Test
    void shouldRefuseWhatAWindowBySourceDoesNotHave() {
        assertSourceFails("no source 1 in window 1 (expected: 0..0, or ANY_SOURCE)", w -> w.await(1, 0, 1));
        assertSourceFails("no source -2 in window 1", w -> w.available(-2, 0));
        assertSourceFails("no tag 2 (expected: 0..1)", w -> w.await(0, 2, 1));
        assertSourceFails("no tag -1 (expected: 0..1)", w -> w.signal(0, -1));
        assertSourceFails("no wait for -1 notifications of tag 1", w -> w.test(GridSourceWindow.ANY_SOURCE, 1, -1));
        assertSourceFails("no block 1 in window 1", w -> w.signal(1, 0));
        assertSourceFails("access out of bounds of a window", w -> w.putNotify(0, 60, MemorySegment.ofArray(new int[2]), 8, 0));
        assertFails("the memory for counters of 2 tags from 1 sources is too small, or not aligned to 16 bytes: bytes=64 (expected: >= 88)",
                (self, w) -> self.createSourceWindow(Comm.WORLD, self.ptr(w, 0), 2, self.ptr(w, 0)));
        assertFails("no window counts 257 tags by source (expected: 1..256)",
                (self, w) -> self.createSourceWindow(Comm.WORLD, self.ptr(w, 0), 257, self.ptr(w, 0)));
    }

    @Test
    void shouldEndAWaitForASourceThatDoesNotSend() {
        assertSourceFails("the notifications from source 0 that a block waits for did not come after 200 ms", w -> {
            w.signal(0, 1);
            w.await(0, 1, 2);
        });
        assertSourceFails("the notifications from any source that a block waits for", w -> w.awaitAny(0));
    }

    /** A block that sends much does not hide the others, and what a wait leaves is there for the next. */
    @Test
    void shouldTakeFromSourcesInTurn() {
        List<Integer> order = new ArrayList<>();
        GridProgram program = new GridProgram("turns", null, (self, args) -> {
            MemorySegment mine = args.segment(0).asSlice(512L * self.rank(Comm.WORLD), 512);
            GridSourceWindow w = self.createSourceWindow(Comm.WORLD, mine.asSlice(0, 64), 1, mine.asSlice(64));
            for (int i = 0; i < (self.rank(Comm.WORLD) == 0 ? 4 : 1); i++) {
                w.signal(0, 0);
            }
            self.barrier(Comm.WORLD);
            for (int i = 0; i < 5 && self.rank(Comm.WORLD) == 0; i++) {
                order.add(w.awaitAny(0));
            }
            if (self.rank(Comm.WORLD) == 0) {
                order.add((int) w.available(0, 0));
            }
            w.free();
        });
        run(program, 3, 3 * 512, Duration.ofSeconds(30));
        assertEquals(List.of(0, 1, 2, 0, 0, 1), order);
    }

    @Test
    void shouldRefuseRequestsThatThereAreNot() {
        assertFails("no request has the number 3 (expected: 0..31)", (self, _) -> self.start(3));
        assertFails("no request has the number -1", (self, _) -> self.testRequest(-1));
        assertFails("no request has the number 0", (self, w) -> {
            self.freeRequest(self.preparePut(w, 0, 0, self.ptr(w, 0), 4));
            self.awaitAnyRequest(new int[] {0});
        });
        assertFails("a block prepares 32 puts at most", (self, w) -> {
            for (int i = 0; i < 33; i++) {
                self.preparePut(w, 0, 0, self.ptr(w, 0), 4);
            }
        });
        assertFails("request 0 is started, and no wait or test has found that it has ended", (self, w) -> {
            int request = self.preparePut(w, 0, 8, self.ptr(w, 0), 4);
            self.start(request);
            self.start(request);
        });
        assertFails("no window has the number 0", (self, w) -> {
            int request = self.preparePutNotify(w, 0, 8, self.ptr(w, 0), 4, 1);
            self.freeWindow(w);
            self.start(request);
        });
        assertFails("access out of bounds of a window", (self, w) -> self.preparePut(w, 0, 61, self.ptr(w, 0), 4));
        assertFails("no tag 256", (self, w) -> self.preparePutNotify(w, 0, 0, self.ptr(w, 0), 4, 256));
    }

    /** The member that does not come to the barrier is named. */
    @Test
    void shouldNameTheBlockThatDoesNotComeToTheBarrierOfASplit() {
        GridProgram program = new GridProgram("skip", null, (self, args) -> {
            long half = args.segment(0).byteSize() / 2;
            GridSplit split = self.split(Comm.WORLD, 1, 0, args.segment(0).asSlice(self.rank(Comm.WORLD) * half, half));
            if (self.rank(Comm.WORLD) == 0) {
                split.barrier();
            } else {
                self.leave();
            }
        });
        RuntimeException e = assertThrows(RuntimeException.class, () -> run(program, 2, 1024));

        assertTrue(e.getMessage().contains("a barrier of a split: block 1 has not come, 0 of 1 barriers"), e::toString);
    }

    @Test
    void shouldCompareAsNamed() {
        for (Comparison comparison : Comparison.values()) {
            assertEquals(List.of(comparison == Comparison.LESS || comparison == Comparison.LESS_EQUAL || comparison == Comparison.NOT_EQUAL,
                    comparison.name().endsWith("EQUAL") && comparison != Comparison.NOT_EQUAL,
                    comparison.name().startsWith("GREATER") || comparison == Comparison.NOT_EQUAL),
                    List.of(comparison.holds(-1, 0), comparison.holds(0, 0), comparison.holds(1, 0)), comparison.name());
        }
    }
}
