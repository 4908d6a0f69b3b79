package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.collective.forms.FormProfile;

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

    @Test
    void shouldRefuseOneRank() {
        assertTrue(BenchAll.command().execute("tune", "--ranks", "1") != 0);
    }
}
