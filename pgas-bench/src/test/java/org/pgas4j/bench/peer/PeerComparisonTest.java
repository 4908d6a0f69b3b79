package org.pgas4j.bench.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.bench.figure.Tables;
import org.pgas4j.bench.result.Row;
import org.pgas4j.bench.result.SampleTimes;

class PeerComparisonTest {

    private static SampleTimes us(double median) {
        return new SampleTimes(median, Double.NaN, Double.NaN, Double.NaN, median, 15, 50);
    }

    private static Row ours(String op, String type, long bytes, double us) {
        return PeerRows.ours(op, "graph", type, "peer", 1, 2, bytes, us(us), 0);
    }

    private static Row peer(String line) {
        return PeerRows.of((PeerLine.Measured) PeerLine.parse(line), 2);
    }

    private static String line(String peer, String op, String form, String type, long bytes, double us) {
        return "{\"peer\":\"" + peer + "\",\"op\":\"" + op + "\",\"form\":\"" + form + "\""
                + (type.isEmpty() ? "" : ",\"type\":\"" + type + "\"") + ",\"bytes\":" + bytes + ",\"p50_us\":" + us
                + ",\"mean_us\":" + us + ",\"samples\":15,\"batch\":50,\"wrong\":0}";
    }

    @Test
    void shouldTakeTheBestFormOfEachPeerAndTheFastestOfAll() {
        PeerComparison one = PeerComparison.of(List.of(
                peer(line("pytorch", "allReduce", "one-shot", "f32", 8192, 6.6)),
                peer(line("pytorch", "allReduce", "two-shot", "f32", 8192, 6.32)),
                peer(line("nccl", "allReduce", "graph", "f32", 8192, 7.16)),
                ours("allReduce", "f32", 8192, 3.16))).getFirst();

        assertEquals(List.of("nccl", "pytorch"), List.copyOf(one.peers().keySet()));
        assertEquals("two-shot", one.bestPeer().text(PeerRows.FORM));
        assertEquals(0.5, one.ratio(), 1e-9);
        assertEquals(0.7, one.bar());
    }

    @Test
    void shouldCompareWhatIsAlikeOnly() {
        List<PeerComparison> all = PeerComparison.of(List.of(
                peer(line("nccl", "product and scatter", "fused", "bf16", 1 << 28, 7000)),
                peer(line("nccl", "allReduce", "graph", "bf16", 8192, 7.5)),
                ours("allReduce", "f32", 1 << 20, 9),
                ours("allReduce", "f32", 8192, 4),
                ours("barrier", "", 0, 2).with(PeerRows.BLOCKS, 2),
                ours("barrier", "", 0, 3).with(PeerRows.BLOCKS, 264),
                ours("put-notify", "", 8, 1),
                ours("notify", "", 0, 0.8)));

        assertEquals(List.of("notify 0", "put-notify 8", "barrier 0", "barrier 0", "allReduce 8192", "allReduce 1048576",
                "allReduce 8192", "product and scatter 268435456"),
                all.stream().map(each -> each.place().op() + " " + each.place().bytes()).toList());
        assertTrue(all.stream().allMatch(each -> Double.isNaN(each.ratio())));
        assertNull(all.getLast().ours());
        assertNull(all.getFirst().bestPeer());
    }

    @Test
    void shouldHaveALineForEachNumberOfJvms() {
        Row inTwo = PeerRows.ours("notify", "block of 32", "", "peer", 2, 2, 0, us(0.9), 0);
        List<PeerComparison> all = PeerComparison.of(List.of(ours("notify", "", 0, 0.8), inTwo,
                peer(line("nvshmem", "notify", "thread", "", 0, 0.79))));
        assertEquals(List.of(1, 2), all.stream().map(each -> each.ours().processes()).toList());
        assertEquals(List.of("nvshmem", "nvshmem"), all.stream().map(each -> each.bestPeer().text(PeerRows.PEER)).toList());
    }

    @Test
    void shouldKeepTheFastestPeerAsWhatOursIsComparedWith() {
        List<Row> rows = new ArrayList<>(List.of(peer(line("nvshmem", "put-notify", "warp", "", 64, 2)),
                peer(line("nvshmem", "put-notify", "thread", "", 64, 2.3)), ours("put-notify", "", 64, 1),
                ours("put-notify", "", 8, 1)));
        List<Row> compared = PeerComparison.withBaselines(rows);
        assertEquals(rows.subList(0, 2), compared.subList(0, 2));
        assertEquals(2, compared.get(2).baselineUs());
        assertEquals(0.5, compared.get(2).fields().get("ratio"));
        assertTrue(Double.isNaN(compared.get(3).baselineUs()));
        assertEquals(compared.get(2).json(), Row.parse(compared.get(2).json()).json());
    }

    @Test
    void shouldReadWhatProgramsPrint() {
        Row product = peer("{\"peer\": \"pytorch\", \"op\": \"gather and product\", \"form\": \"fused\", \"type\": \"bf16\","
                + " \"bytes\": 268435456, \"p50_us\": 6860.1, \"mean_us\": 6870, \"samples\": 5, \"batch\": 3, \"wrong\": 2,"
                + " \"tflops\": 641.1}");
        assertEquals(641.1, product.number(PeerRows.TFLOPS));
        assertEquals(2, product.wrong());
        assertEquals(new PeerLine.Missing("nccl", "no Python package torch"),
                PeerLine.parse("{\"peer\": \"nccl\", \"missing\": \"no Python package torch\"}"));
        assertEquals(new PeerLine.Version("nvshmem", "3.4.5", "NVIDIA H200"),
                PeerLine.parse("{\"peer\":\"nvshmem\",\"version\":\"3.4.5\",\"device\":\"NVIDIA H200\"}"));
    }

    /** Lines of the peers as recorded on two H200s. */
    @Test
    void shouldCompareProducts() {
        String scatter = line("nccl", "product and scatter", "one after the other", "bf16", 1 << 28, 7355.24);
        List<Row> rows = List.of(
                peer(line("nccl", "gather and product", "one after the other", "bf16", 1 << 28, 7116.25)),
                peer(line("pytorch", "gather and product", "fused", "bf16", 1 << 28, 6753.96)),
                peer(line("cublas", "product alone", "local", "bf16", 1 << 28, 6375.65)), peer(scatter),
                ours(PeerRows.GATHER_AND_PRODUCT, "bf16", 1 << 28, 6130).with(PeerRows.TFLOPS, 717.5),
                ours(PeerRows.PRODUCT_ALONE, "bf16", 1 << 28, 6125).with(PeerRows.TFLOPS, 718.1),
                ours(PeerRows.PRODUCT_AND_SCATTER, "bf16", 1 << 28, 7400).with(PeerRows.TFLOPS, 594.3));

        String table = Tables.of(PeerRows.STUDY, rows).markdown();

        assertTrue(table.contains("| gather and product bf16 | 256 MiB | 6130.00, 718 TFLOP/s | - | 7116.25 | 6753.96 | pytorch,"
                + " fused | 0.91 | 1.00 | yes |"), table);
        assertTrue(table.contains("| product alone bf16 | 256 MiB | 6125.00, 718 TFLOP/s | - | - | - | cublas, local: 6375.65"
                + " | 0.96 | 1.00 | yes |"), table);
        assertTrue(table.contains("| product and scatter bf16 | 256 MiB | 7400.00, 594 TFLOP/s | - | 7355.24 | - | nccl, one"
                + " after the other | 1.01 | 1.00 | no |"), table);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"op\": \"notify\"}", "{\"peer\": \"nccl\", \"op\": \"allReduce\"}", "not JSON"})
    void shouldRefuseLinesThatAreNoMeasurement(String line) {
        assertThrows(IllegalArgumentException.class, () -> PeerLine.parse(line));
    }
}
