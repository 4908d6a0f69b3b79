package org.pgas4j.os;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadAheadTest {

    @TempDir
    private Path folder;

    @Test
    void shouldTakeAFileAndLeaveItClosed() throws IOException {
        Path file = Files.write(folder.resolve("library.so"), new byte[10_000]);
        long before = descriptors();

        for (int i = 0; i < 100; i++) {
            assertDoesNotThrow(() -> Libc.readAhead(file));
        }

        assertTrue(descriptors() < before + 50, () -> before + " descriptors became more");
    }

    @Test
    void shouldNameAFileThatIsNotThere() {
        Path missing = folder.resolve("missing.so");

        Libc.LibcException e = assertThrows(Libc.LibcException.class, () -> Libc.readAhead(missing));

        assertTrue(e.getMessage().startsWith("open(" + missing + "): No such file"), e.getMessage());
    }

    private static long descriptors() {
        return Path.of("/proc/self/fd").toFile().list().length;
    }
}
