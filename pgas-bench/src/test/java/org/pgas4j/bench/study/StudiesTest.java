package org.pgas4j.bench.study;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.Rank;
import org.pgas4j.bench.peer.PeerRows;
import org.pgas4j.bench.result.Row;

/** The studies with tiny transfers, ranks as threads of this JVM, on the host device. */
@Tag("slow")
class StudiesTest {

    private static final StudyOptions TINY = new StudyOptions(true, List.of(1L, 8L, 100L), "off", "route=auto", null);

    private static List<Row> run(BiConsumer<Rank, Consumer<Row>> study) {
        return run(2, study);
    }

    private static List<Row> run(int ranks, BiConsumer<Rank, Consumer<Row>> study) {
        List<Row> rows = new ArrayList<>();   // of rank 0 alone
        Pgas.run(new PgasConfig().ranks(ranks).device(Backend.HOST).hostHeap(4 << 20).deviceHeap(4 << 20),
                rank -> study.accept(rank, rows::add));
        for (Row row : rows) {
            assertEquals(0, row.wrong(), row.json());
            assertTrue(row.times().samples() >= 2 && row.times().p50() > 0, row.json());
            assertEquals(row.json(), Row.parse(row.json()).json());
        }
        return rows;
    }

    @Test
    void memput() {
        List<Row> rows = run((rank, out) -> new TransferStudy(rank, true, TINY, out).run());
        assertEquals(12, rows.size());
        assertEquals(List.of("user-level memput_fence", "runtime memput", "runtime memput_fence", "raw raw_copy"),
                rows.subList(0, 4).stream().map(row -> row.text(Row.STYLE) + " " + row.op()).toList());
        assertEquals(rows.get(0).times().p50(), rows.get(2).baselineUs(), 1e-9);
    }

    @Test
    void memget() {
        List<Row> rows = run((rank, out) -> new TransferStudy(rank, false, TINY, out).run());
        assertEquals(9, rows.size());
    }

    @Test
    void helper() {
        List<Row> rows = run((rank, out) -> new HelperStudy(rank, TINY, out).run(0, 0.1));
        assertEquals(List.of("memget", "memget", "memget", "memget", "memget_idle"), rows.stream().map(Row::op).toList());
        assertEquals("off", rows.get(3).text(Row.HELPER));
        assertEquals(0.1, rows.get(3).number(Row.KERNEL_MS));
    }

    @Test
    void matmul() {
        for (int ranks : new int[] {2, 3, 4, 5}) { // with 7 columns the last of 5 has none
            List<Row> rows = run(ranks, (rank, out) -> new MatmulStudy(rank, TINY, out).run(new int[] {7, 50}));
            assertEquals(6, rows.size());
            assertEquals(50, rows.get(4).x());
        }
    }

    @Test
    void pairsOfNotifications() {
        List<Row> rows = run((rank, out) -> new PairsStudy(rank, TINY, out).run());
        List<String> cells = rows.stream().filter(row -> row.op().equals("pair"))
                .map(row -> row.text(Row.INITIATOR) + " " + row.text(Row.WAITER)).sorted().toList();
        assertEquals(List.of("host host", "host kernel", "host stream", "kernel host", "kernel kernel", "kernel stream",
                "stream host", "stream kernel", "stream stream"), cells);
        assertEquals(12, rows.size());
    }

    @Test
    void notifications() {
        List<Row> rows = run((rank, out) -> new NotifyStudy(rank, TINY, out).run());
        assertTrue(rows.stream().map(Row::op).distinct().count() > 3, rows.toString());
    }

    @Test
    void stream() {
        List<Row> rows = run((rank, out) -> new StreamStudy(rank, TINY, out).run());
        assertEquals(45, rows.size());
        assertEquals(List.of("host", "stream", "stream", "stream", "stream", StreamStudy.LOW_LATENCY, StreamStudy.LOW_LATENCY,
                StreamStudy.LOW_LATENCY, StreamStudy.LOW_LATENCY), rows.subList(0, 9).stream().map(row -> row.text(Row.WAITER)).toList());
        assertEquals(2000, rows.getLast().number(StreamStudy.AHEAD));
    }

    @Test
    void examples() {
        StudyOptions tiny = new StudyOptions(true, List.of(6L), null, null, null);
        assertEquals(List.of("sync", "stream", "graph", "kernel", "triggered", "blocks"),
                run((rank, out) -> new HaloStudy(rank, tiny, out).run()).stream().map(Row::op).toList());
        List<Row> rows = run((rank, out) -> new MatvecStudy(rank, tiny, out).run());
        assertTrue(rows.getFirst().number(MatvecStudy.MVPS) > 0 && rows.getFirst().number(ExampleStudy.CPU_RATIO) > 0);
        assertEquals(2, run((rank, out) -> new HimenoStudy(rank, tiny, out).run()).size());
        rows = run((rank, out) -> new StencilStudy(rank, tiny, out).run());
        assertEquals(4, rows.size());
        assertEquals(1, rows.stream().filter(row -> row.op().equals(row.text(Row.BASELINE))).count());
    }

    @Test
    void kernels() {
        List<Row> rows = run((rank, out) -> new KernelsStudy(rank, TINY, out).run());
        assertEquals(List.of("saxpy", "stencil", "sparse", "product", "n-body", "mandelbrot", "random", "histogram", "himeno", "dot",
                "transpose", "diffusion", "matvec", "all", "triad", "shifted", "block ring", "block ring, 16 KiB"),
                rows.stream().map(Row::op).toList());
        for (Row row : rows) {
            assertTrue(row.number("speed_low") <= row.number(KernelsStudy.SPEED)
                    && row.number(KernelsStudy.SPEED) <= row.number("speed_high"), row.json());
        }
        assertTrue(rows.getFirst().number(KernelsStudy.FIRST_MS) > 0, rows.getFirst().json());
    }

    @Test
    void atomicsAndLocks() {
        List<Row> rows = run((rank, out) -> new AtomicsStudy(rank, TINY, out).run());
        assertEquals(List.of("host fetch_add", "host compare_swap", "device fetch_add", "device kernel_fetch_add",
                "device random_access"), rows.stream().map(row -> row.to() + " " + row.op()).toList());
        rows = run((rank, out) -> new LocksStudy(rank, TINY, out).run());
        assertEquals(List.of("lock_unlock", "semaphore_post_await", "lock_contended", "semaphore_round_trip"),
                rows.stream().map(Row::op).toList());
        assertEquals(List.of(true, true, false, false), rows.stream().map(row -> row.baselineUs() > 0).toList());
        assertEquals(List.of("locks"), rows.stream().map(Row::study).distinct().toList());
    }

    @Test
    void manyRanks() {
        List<Row> rows = run(4, (rank, out) -> {
            new TransferStudy(rank, false, new StudyOptions(true, List.of(100L), "off", "route=auto", null), out).run();
            new BarrierStudy(rank, TINY, out).run();
        });
        assertEquals(List.of("memget", "memget", "raw_copy"), rows.subList(0, 3).stream().map(Row::op).toList());
        assertEquals(16, rows.stream().filter(row -> row.op().equals(BarrierStudy.BARRIER)).toList().getLast().number("blocks"));
        assertEquals(List.of(2.0, 4.0), rows.subList(rows.size() - 2, rows.size()).stream().map(row -> row.number("blocks")).sorted().toList());
        rows = run(3, (rank, out) -> new PairsStudy(rank, TINY, out).run());
        assertEquals(12, rows.size());
    }

    @Test
    void peers() {
        StudyOptions tiny = new StudyOptions(false, List.of(24L, 1200L), null, null, null);
        for (int ranks : new int[] {2, 3}) {
            List<Row> rows = run(ranks, (rank, out) -> new PeersStudy(rank, tiny, out).run());
            assertEquals(List.of("notify", "put-notify", "put-notify", "put-notify", "put-notify", "put-notify", "put-notify",
                    "put-notify", "put-notify", "barrier", "allReduce", "reduceScatter", "allGather", "exchange", "broadcast", "allReduce",
                    "allReduce", "reduceScatter", "allGather", "exchange", "broadcast", "allReduce", "product alone", "gather and product",
                    "product and scatter"), rows.stream().map(Row::op).toList());
            assertEquals(ranks, rows.getLast().number(Row.RANKS));
            assertEquals(0, rows.stream().mapToLong(Row::wrong).sum());
            assertTrue(rows.getLast().number(PeerRows.TFLOPS) > 0, rows.getLast().json());
        }
    }

    @Test
    void peersLeaveOutVectorsThatDoNotDivide() {
        StudyOptions tiny = new StudyOptions(false, List.of(8L, 16L), null, null, null);
        List<Row> rows = run(4, (rank, out) -> new PeersStudy(rank, tiny, out).run());
        assertEquals(List.of("8 allReduce", "8 broadcast", "8 allReduce", "16 allReduce", "16 reduceScatter", "16 allGather", "16 exchange",
                "16 broadcast", "16 allReduce"), rows.stream().filter(row -> row.text(PeerRows.FORM).equals("graph"))
                        .map(row -> row.bytes() + " " + row.op()).toList());
    }

    @Test
    void ablation() {
        for (String part : List.of(AblationStudy.FASTPATH, AblationStudy.REGISTRATION)) {
            StudyOptions options = new StudyOptions(true, null, null, "a=1", part);
            List<Row> rows = run((rank, out) -> new AblationStudy(rank, options, out).run());
            assertTrue(rows.size() >= 2);
        }
    }
}
