package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs with a planted fault: the advice of their summary names it. */
@Tag("multiprocess")
@Timeout(180)
@Tag("slow")
class StatsJobTest {

    @TempDir
    private Path folder;

    private Launched job;

    private int run(String options, String fault) throws Exception {
        List<String> words = new ArrayList<>(List.of("--device", "host", "--heap-host", "4m", "--heap-device", "1m", "-n", "4"));
        words.addAll(List.of(options.split(" ")));
        words.addAll(List.of(StatsProgram.class.getName(), fault));
        try (Launched launched = Launched.start(folder, words.toArray(String[]::new))) {
            job = launched;
            return launched.await();
        }
    }

    /** Sentences go over several lines. */
    private String text() {
        return String.join(" ", job.err).replaceAll(" +", " ");
    }

    private void assertSays(String part) {
        assertTrue(text().contains(part), () -> String.join("\n", job.err));
    }

    @Test
    void shouldNameALateRankOfAJobOfTwoJvms() throws Exception {
        Path json = folder.resolve("stats.json");
        assertEquals(0, run("--processes 2 --stats --stats-json " + json, "late"), () -> job.err.toString());

        assertSays("pgas4j: counters of 4 ranks");
        assertSays("* rank 3 comes last to ");
        assertTrue(Files.readString(json).contains("\"rank\": 3, \"timeNs\": "), Files.readString(json));
    }

    @Test
    void shouldNameAnImbalanceOfBytes() throws Exception {
        Path picture = folder.resolve("stats.svg");
        assertEquals(0, run("--stats --stats-picture " + picture, "imbalance"), () -> job.err.toString());

        assertSays("* rank 2 moves 87 % of the bytes between ranks, 5 MiB");
        assertTrue(Files.readString(picture).contains("rank 2 to rank 3: 5 MiB"), Files.readString(picture));
    }

    /** An agent hands in the counters of its node. */
    @Test
    void shouldNameTheMemoryThatAllUseOnAHost() throws Exception {
        assertEquals(0, run("-H localhost:2 --stats", "one"), () -> job.err.toString());

        assertSays("* the memory of rank 1 is one end of 100 % of the bytes between ranks, for 3 other ranks (all to one)");
    }

    @Test
    void shouldSummariseAFailedJobBeforeTheLineThatNamesTheFailure() throws Exception {
        assertEquals(1, run("--processes 2 --stats", "fail"), () -> job.err.toString());

        assertSays("pgas4j: counters of 4 ranks");
        assertSays("* the memory of rank 1 is one end of 100 % of the bytes between ranks, for 3 other ranks (all to one)");
        assertTrue(job.lastError().startsWith("pgas4j: job ended by "), job.err::toString);
    }
}
