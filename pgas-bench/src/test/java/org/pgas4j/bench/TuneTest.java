package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.bench.study.TuneStudy;
import org.pgas4j.collective.forms.FormProfile;
import org.pgas4j.collective.forms.StreamCall;

/** The command that measures forms of collective operations, on the host device. */
@Tag("slow")
class TuneTest {

    @TempDir
    private Path folder;

    @Test
    void shouldKeepAProfileThatTheRuntimeReads() throws IOException {
        int code = BenchAll.command().execute("tune", "--device", "host", "--processes", "1", "--max-bytes", "4k",
                "--profiles", folder.toString());
        assertEquals(0, code);

        try (var files = Files.list(folder)) {
            List<Path> all = files.toList();
            assertEquals(1, all.size(), all.toString());
            assertTrue(all.getFirst().toString().endsWith("-2.properties"), all.toString());
            assertNotNull(FormProfile.read(all.getFirst()));
        }
    }

    /** Sizes of 1, 2 and 4 KiB, and those in between, of each operation, and how much is lost at most. */
    @Test
    void shouldSayWhatTheTableLosesAtMost() {
        List<String> lines = new CopyOnWriteArrayList<>();

        Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).deviceHeap(TuneStudy.heapBytes(4096, 2)),
                rank -> new TuneStudy(rank, 4096, lines::add).run());

        assertEquals(2 + 5 * StreamCall.values().length, lines.size(), lines::toString);
        String last = lines.getLast();
        assertTrue(last.matches("the table's form takes at most \\d+\\.\\d % more than the fastest: .*"), last);
        String line = last.substring(last.indexOf(": ") + 2);
        assertTrue(lines.contains(line), lines::toString);
        assertTrue(lines.stream().anyMatch(each -> each.matches("allReduce 1536 .* (PACKETS|PACKETS_TWO_SHOT|DIRECT|COPIES)")),
                lines::toString);
    }

    @Test
    void shouldRefuseOneRank() {
        assertTrue(BenchAll.command().execute("tune", "--ranks", "1") != 0);
    }
}
