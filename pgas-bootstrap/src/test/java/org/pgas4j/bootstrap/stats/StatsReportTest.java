package org.pgas4j.bootstrap.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.RankCounters;
import org.pgas4j.RankCounters.Late;
import org.pgas4j.RankCounters.Waits;

@Timeout(10)
class StatsReportTest {

    private static RankCounters full(int rank, int ranks) {
        return Fakes.rank(rank, List.of(Fakes.puts((rank + 1) % ranks, 1000, 1000), Fakes.gets((rank + 1) % ranks, 8, 3),
                        Fakes.messages(rank, 1 << 20, 100_000, "a \"reason\"\\\n")),
                List.of(new Waits("barrier", 1_234_567, 1000, rank * Fakes.SECOND), new Waits("collective allocation", 3, 1, 5)),
                List.of(new Late((rank + 2) % ranks, 10, Fakes.SECOND)));
    }

    private static JobStats job(int ranks) {
        return Fakes.job(ranks, rank -> full(rank, ranks));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 9, 1000})
    void shouldFitATerminal(int ranks) {
        List<String> lines = StatsReport.of(job(ranks)).lines().toList();

        assertEquals(List.of(), lines.stream().filter(line -> line.length() > StatsReport.WIDTH).toList());
        assertTrue(lines.size() < 50, () -> String.join("\n", lines));
    }

    @Test
    void shouldShowTransfersWaitsLateRanksAndTheMatrix() {
        String text = StatsReport.of(job(4));

        for (String part : List.of("counters of 4 ranks, 10 s of their programs",
                "direct-host      put                 4 k      3.8 MiB       1000 B",
                "barrier                    4.9 M       4 k      15 %  0 % (0)      30 % (3)",
                "rank 0                      25 %    100 ms       1 s",
                "0          98 GiB  977 KiB        -     24 B",
                "3         977 KiB        -     24 B   98 GiB")) {
            assertTrue(text.contains(part), () -> part + " is not in\n" + text);
        }
    }

    /** A put goes to the peer, a get comes from it. */
    @Test
    void shouldCountBytesInTheirDirection() {
        JobStats stats = Fakes.job(3, rank -> rank > 0 ? Fakes.traffic(rank)
                : Fakes.traffic(0, Fakes.puts(1, 100, 1), Fakes.gets(2, 10, 1)));

        assertEquals("[[0, 100, 0], [0, 0, 0], [10, 0, 0]]", Arrays.deepToString(stats.matrix(1)));
        assertEquals("[[100, 0], [10, 0]]", Arrays.deepToString(stats.matrix(2)));
    }

    @Test
    void shouldNameTheRanksThatAreMissing() {
        JobStats stats = new JobStats(20);
        stats.add(List.of(full(1, 20)));

        assertTrue(StatsReport.of(stats).contains("no counters of ranks 0, 2, 3, 4, 5, 6, 7, 8 and 11 more"),
                StatsReport.of(stats));
        assertTrue(StatsReport.of(new JobStats(2)).startsWith("pgas4j: no counters of 2 ranks"));
    }

    @Test
    void shouldKeepCountersInFilesAndAddRuns(@TempDir Path folder) throws IOException {
        StatsFolder.write(folder, 1, 0, List.of(full(0, 4), full(1, 4)));
        StatsFolder.write(folder, 1, 1, List.of());
        StatsFolder.write(folder, 1, 1, List.of(full(2, 4), full(3, 4)));
        JobStats once = new JobStats(4);
        for (byte[] file : StatsFolder.read(folder)) {
            once.add(file);
        }
        assertEquals(job(4).all(), once.all());

        StatsFolder.write(folder, 2, 0, List.of(full(0, 4)));
        JobStats twice = new JobStats(4);
        for (byte[] file : StatsFolder.read(folder)) {
            twice.add(file);
        }
        assertEquals(2 * full(0, 4).bytes(), twice.all().getFirst().bytes());
        assertEquals(20 * Fakes.SECOND, twice.longestNs());
    }

    @Test
    void shouldRefuseBytesThatAreNoCounters() {
        byte[] good = JobStats.encode(List.of(full(0, 4)));

        assertThrows(IOException.class, () -> new JobStats(4).add(Arrays.copyOf(good, good.length - 1)));
        assertThrows(IOException.class, () -> new JobStats(4).add(Arrays.copyOf(good, good.length + 1)));
        assertThrows(IOException.class, () -> new JobStats(4).add(new byte[] {-1, 0, 0, 0}));
    }

    @Test
    void shouldWriteJsonWithQuotedTexts() {
        String json = StatsJson.of(job(2));

        assertTrue(json.startsWith("{\"ranks\": 2,"), json);
        assertTrue(json.contains("\"reason\": \"a \\\"reason\\\"\\\\\\u000a\""), json);
        assertTrue(json.contains("{\"operation\": \"barrier\", \"calls\": 1234567, "
                + "\"waits\": 1000, \"waitNs\": 1000000000}"), json);
        assertTrue(json.contains("\"late\": [{\"rank\": 0, \"waits\": 10, \"waitNs\": 1000000000}]"), json);
    }

    @Test
    void shouldDrawACellForEachPair() {
        String svg = MatrixPicture.of(job(3));

        assertEquals(9, svg.split("<rect ").length - 1);
        assertTrue(svg.contains("<title>rank 0 to rank 1: 977 KiB</title>"), svg);
        assertTrue(svg.contains("fill=\"rgb(255,255,255)\"") || svg.contains("fill=\"rgb(0,0,255)\""), svg);
        assertTrue(MatrixPicture.of(job(600)).split("<rect ").length - 1 <= 256 * 256);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 1023, 1024, 1 << 20, Long.MAX_VALUE})
    void shouldWriteNumbersShortly(long value) {
        assertTrue(Units.bytes(value).length() <= 8 && Units.count(value).length() <= 8,
                Units.bytes(value) + " " + Units.count(value));
    }

    @Test
    void shouldChooseUnits() {
        assertEquals("0 B", Units.bytes(0));
        assertEquals("1.5 KiB", Units.bytes(1536));
        assertEquals("1 MiB", Units.bytes((1 << 20) - 1));
        assertEquals("999", Units.count(999));
        assertEquals("1.2 k", Units.count(1234));
        assertEquals("12 ms", Units.time(12_000_000));
        assertEquals("1.5 s", Units.time(1.5e9));
        assertEquals("0.5 us", Units.time(500));
        assertEquals("<1 %", Units.share(1, 1000));
        assertEquals("0 %", Units.share(0, 0));
    }
}
