package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.ExitCode;
import org.pgas4j.UsageException;

/** Names outside ASCII where the locale does not have them; scripts ask for one that has, where there is none. */
@Tag("multiprocess")
@Timeout(120)
@Tag("slow")
class LocaleTest {

    @TempDir
    private Path folder;

    private Launched start(String shell) throws Exception {
        return Launched.startIn(folder, List.of("bash", "-c", shell, "bash"), "-n", "1", "--no-tag-output", "--", "idle");
    }

    private void refused(String shell, String why) throws Exception {
        try (Launched job = start(shell)) {
            assertEquals(ExitCode.USAGE.number(), job.await(), job.err::toString);
            assertTrue(job.err.size() == 1 && job.lastError().startsWith("pgas4j: ") && job.lastError().contains(why),
                    job.err::toString);
        }
    }

    @Test
    void shouldSayThatTheLocaleCannotNameAFile() throws Exception {
        refused("LC_ALL=C exec \"$@\" $'caf\\xc3\\xa9'", "'caf\\xc3\\xa9' is no text in this locale (US-ASCII)");
        refused("LC_ALL=C.UTF-8 exec \"$@\" $'caf\\xe9'", "'caf\\xe9' is no text in this locale (UTF-8)");
    }

    @Test
    void shouldSayThatTheLocaleCannotNameTheCache() throws Exception {
        refused("LC_ALL=C XDG_CACHE_HOME=$XDG_CACHE_HOME/$'caf\\xc3\\xa9' exec \"$@\"", "cannot be named in this locale");
    }

    @Test
    void shouldPassNamesOn() throws Exception {
        try (Launched job =
                start("LC_ALL=C.UTF-8 XDG_CACHE_HOME=$XDG_CACHE_HOME/$'caf\\xc3\\xa9' exec \"$@\" $'caf\\xc3\\xa9'")) {
            assertEquals(0, job.await(), job.err::toString);
            assertEquals(List.of("idle idle,caf\u00e9 null inherited"), job.out);
        }
    }

    @Test
    void shouldCheckEachWord() {
        byte[] words = "a\0b\u00e9\0".getBytes(StandardCharsets.ISO_8859_1);
        assertDoesNotThrow(() -> CommandWords.check(words, StandardCharsets.ISO_8859_1));
        UsageException refused = assertThrows(UsageException.class, () -> CommandWords.check(words, StandardCharsets.UTF_8));
        assertTrue(refused.getMessage().startsWith("'b\\xe9' is no text"), refused.getMessage());
    }
}
