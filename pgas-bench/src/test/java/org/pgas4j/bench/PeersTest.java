package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.bench.peer.PeerLine;
import org.pgas4j.bench.peer.PeerPrograms;
import org.pgas4j.bench.peer.PeerRows;
import org.pgas4j.bench.result.Row;

/** The study of peers with scripts in place of Python and the compiler, which print what was recorded on two H200s. */
class PeersTest {

    private static final String NVSHMEM = """
            {"peer":"nvshmem","version":"NVSHMEM v3.4.5, specification 1.3","device":"NVIDIA H200"}
            {"peer":"nvshmem","op":"notify","form":"thread","bytes":0,"p50_us":0.7904,"mean_us":0.7950,"samples":100,"batch":40,"wrong":0}
            {"peer":"nvshmem","op":"put-notify","form":"warp","bytes":64,"p50_us":1.996,"mean_us":2.0010,"samples":100,"batch":40,"wrong":0}
            {"peer":"nvshmem","op":"barrier","form":"thread","blocks":2,"bytes":0,"p50_us":2.709,"mean_us":2.71,"samples":100,"batch":20,"wrong":0}
            {"peer":"nvshmem","op":"allReduce","form":"graph","type":"f32","bytes":8192,"p50_us":6.549,"mean_us":6.55,"samples":15,"batch":50,"wrong":0}
            """;
    private static final String TORCH = """
            a library's line that is no result
            {"peer": "nccl", "version": "2.28.9", "device": "NVIDIA H200"}
            {"peer": "nccl", "op": "allReduce", "form": "graph", "type": "f32", "bytes": 8192, "p50_us": 7.162, "mean_us": 7.2, "samples": 15, "batch": 50, "wrong": 0}
            {"peer": "pytorch", "version": "2.11.0+cu130", "device": "NVIDIA H200"}
            {"peer": "pytorch", "op": "allReduce", "form": "two-shot", "type": "f32", "bytes": 8192, "p50_us": 6.321, "mean_us": 6.4, "samples": 15, "batch": 50, "wrong": 0}
            {"peer": "pytorch", "missing": "allReduce one-shot of 8 bytes f32: not here"}
            {"peer": "pytorch", "op": "gather and product", "form": "fused", "type": "bf16", "bytes": 268435456, "p50_us": 6860.0, "mean_us": 6861.0, "samples": 5, "batch": 3, "wrong": 0, "tflops": 641.1}
            """;

    @TempDir
    private Path dir;
    private Path python;
    private Path nvcc;
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @BeforeEach
    void scripts() throws IOException {
        Files.createDirectories(dir.resolve("home/lib"));
        Files.createFile(dir.resolve("home/lib/libnvshmem_host.so.3"));
        Files.writeString(dir.resolve("nvshmem.jsonl"), NVSHMEM);
        Files.writeString(dir.resolve("torch.jsonl"), TORCH);
        python = script("python", "if [ \"$1\" = -c ]; then echo '" + dir + "/home'; exit; fi\ncat '" + dir + "/torch.jsonl'");
        script("program", "cat '" + dir + "/nvshmem.jsonl'");
        nvcc = script("nvcc", "while [ \"$1\" != -o ]; do shift; done\ncp '" + dir + "/program' \"$2\"");
    }

    private Path script(String name, String body) throws IOException {
        Path script = Files.writeString(dir.resolve(name), "#!/bin/sh\n" + body + "\n");
        assertTrue(script.toFile().setExecutable(true));
        return script;
    }

    private int run(String... more) {
        List<String> words = new ArrayList<>(List.of("peers", "--only", "nvshmem,torch", "--python", python.toString(), "--nvcc",
                nvcc.toString()));
        words.addAll(List.of(more));
        PrintStream out = System.out;
        PrintStream err = System.err;
        System.setOut(new PrintStream(told, true, StandardCharsets.UTF_8));
        System.setErr(System.out);
        try {
            return BenchAll.command().execute(words.toArray(String[]::new));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }

    private String text() {
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrintOneTableAndKeepRowsWithTheirCircumstances() throws IOException {
        assertEquals(0, run("--out", dir.resolve("out").toString(), "--commit", "0123abc"), text());

        String table = text();
        assertTrue(table.contains("| allReduce f32 | 8 KiB | - | 6.55 | 7.16 | 6.32 | pytorch, two-shot | - | - | - |"), table);
        assertTrue(table.contains("| barrier of 2 blocks | - | - | 2.71 | - | - | nvshmem, thread | - | - | - |"), table);
        assertTrue(table.contains("| gather and product bf16 | 256 MiB | - | - | - | 6860.00, 641 TFLOP/s | "), table);
        assertTrue(table.contains("# nccl: 2.28.9\n"), table);
        assertTrue(table.contains("# missing: pytorch: allReduce one-shot of 8 bytes f32: not here\n"), table);
        List<Row> rows = Row.read(dir.resolve("out/peers.jsonl"));
        assertEquals(7, rows.size());
        assertEquals("0123abc", rows.getFirst().text("commit"));
        assertEquals("CUDA, NVIDIA H200", rows.getFirst().text("device"));
        assertEquals("NVSHMEM v3.4.5, specification 1.3", rows.getFirst().text("version"));
        assertTrue(Files.exists(dir.resolve("out/peers-allReduce.svg")));
    }

    @Test
    void shouldNamePeersThatAreNotHereAndRunTheOthers() throws IOException {
        nvcc = dir.resolve("no-compiler");
        assertEquals(0, run(), text());
        assertTrue(text().contains("# missing: nvshmem: no " + nvcc) && text().contains("# nccl: 2.28.9"), text());

        told.reset();
        nvcc = script("failing", "echo 'nvshmem.cu(1): error' >&2; exit 2");
        python = script("python", "exit 3");
        assertEquals(0, run(), text());
        assertTrue(text().contains("# missing: nvshmem: no NVSHMEM_HOME and no Python package"), text());
        assertTrue(text().contains("# missing: nccl: some or all: ended with status 3"), text());
        assertTrue(text().contains("# missing: pytorch: some or all: ended with status 3"), text());
    }

    @Test
    void shouldNameACompilersLastWords() throws IOException {
        nvcc = script("failing", "echo 'nvshmem.cu(1): error' >&2; exit 2");
        assertEquals(0, run(), text());
        assertTrue(text().contains("# missing: nvshmem: compiling its program: ended with status 2: nvshmem.cu(1): error"), text());
    }

    @Test
    void shouldFailIfAPeersResultIsWrong() throws IOException {
        Files.writeString(dir.resolve("nvshmem.jsonl"), NVSHMEM.replaceFirst("\"wrong\":0", "\"wrong\":3"));
        script("program", "cat '" + dir + "/nvshmem.jsonl'; exit 1");
        assertEquals(1, run(), text());
        assertTrue(text().contains("| notify | - | - | 0.79, 3 wrong |"), text());
    }

    @Test
    void shouldKillAProgramAtItsDeadline() throws Exception {
        python = script("python", "head -3 '" + dir + "/torch.jsonl'\nsleep 600");
        List<PeerLine> lines = new ArrayList<>();
        Path work = Files.createDirectory(dir.resolve("work"));
        new PeerPrograms(work, python.toString(), nvcc.toString(), _ -> null, 2, Duration.ofMillis(500), lines::add).torch();
        assertEquals(new PeerLine.Missing(PeerRows.PYTORCH, "some or all: not ready at its deadline"), lines.getLast());
        assertEquals(new PeerLine.Missing(PeerRows.NCCL, "some or all: not ready at its deadline"), lines.get(lines.size() - 2));
    }

    @Test
    void shouldNameLinesThatAreNoResults() throws IOException {
        Files.writeString(dir.resolve("torch.jsonl"), TORCH + "{\"peer\": \"nccl\", \"op\": \"allReduce\"}\n");
        assertEquals(0, run(), text());
        assertTrue(text().contains("# missing: nccl: a line that is no result: no \"form\" in {"), text());
        assertTrue(text().contains("| allReduce f32 | 8 KiB | - | 6.55 | 7.16 | 6.32 |"), text());
    }

    @Test
    void shouldKeepMulticastOffForAllItStarts() throws Exception {
        python = script("python", "echo '{\"peer\":\"nccl\",\"missing\":\"'$NCCL_NVLS_ENABLE$NVSHMEM_DISABLE_NVLS"
                + "$TORCH_SYMM_MEM_DISABLE_MULTICAST'\"}'");
        List<PeerLine> lines = new ArrayList<>();
        Path work = Files.createDirectory(dir.resolve("work"));
        new PeerPrograms(work, python.toString(), nvcc.toString(), _ -> null, 2, Duration.ofSeconds(60), lines::add).torch();
        assertEquals(List.of(new PeerLine.Missing(PeerRows.NCCL, "011")), lines);
    }

    @Test
    void shouldRefuseWhatItDoesNotKnow() {
        assertEquals(2, run("--ranks", "1"));
        assertEquals(2, run("--processes", "3"));
        assertEquals(2, run("--only", "openshmem"));
        assertEquals(3, text().lines().filter(line -> line.contains("(expected: ")).count(), text());
    }
}
