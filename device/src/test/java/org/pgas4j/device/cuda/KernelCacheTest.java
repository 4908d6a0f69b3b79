package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.DeviceException;

@Timeout(30)
class KernelCacheTest {

    private static final byte[] CUBIN = {0x7f, 'E', 'L', 'F', 1, 2, 3};
    private static final String KEY = KernelCache.key("source", List.of(), Map.of(), "13.0", "sm_90");

    @TempDir
    private Path temporary;

    private final AtomicInteger compilations = new AtomicInteger();

    private byte[] get(Path directory) {
        return new KernelCache(directory).get(KEY, () -> {
            compilations.incrementAndGet();
            return CUBIN;
        });
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    @Test
    void shouldCompileOnceAndLeaveOneFile() throws IOException {
        Path directory = temporary.resolve("a").resolve("kernels");

        assertArrayEquals(CUBIN, get(directory));
        assertArrayEquals(CUBIN, get(directory));

        assertEquals(1, compilations.get());
        assertEquals(List.of(directory.resolve(KEY + ".cubin")), files(directory));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
        assertEquals("rw-------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(files(directory).getFirst())));
    }

    @Test
    void shouldKeepNothingWithoutADirectory() {
        assertArrayEquals(CUBIN, get(null));
        assertArrayEquals(CUBIN, get(null));

        assertEquals(2, compilations.get());
    }

    @Test
    void shouldCompileAgainWhatIsDamaged() throws IOException {
        Path file = temporary.resolve("kernels").resolve(KEY + ".cubin");
        get(file.getParent());
        byte[] good = Files.readAllBytes(file);
        int expected = 1;
        for (int damage = 0; damage < 4; damage++) {
            byte[] bad = switch (damage) {
                case 0 -> new byte[0];
                case 1 -> Arrays.copyOf(good, good.length - 1);
                case 2 -> Arrays.copyOf(good, good.length + 1);
                default -> {
                    byte[] flipped = good.clone();
                    flipped[good.length - 2] ^= 1;
                    yield flipped;
                }
            };
            Files.write(file, bad);

            assertArrayEquals(CUBIN, get(file.getParent()));
            assertEquals(++expected, compilations.get(), "damage " + damage);
            assertArrayEquals(good, Files.readAllBytes(file));
        }
    }

    @Test
    void shouldDoWithoutADirectoryItCannotMake() throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));

        assertArrayEquals(CUBIN, get(file.resolve("kernels")));
        assertArrayEquals(CUBIN, get(file.resolve("kernels")));

        assertEquals(2, compilations.get());
    }

    @Test
    void shouldNotTrustADirectoryThatOthersCanWrite() throws IOException {
        Path directory = Files.createDirectory(temporary.resolve("open"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));

        get(directory);
        get(directory);

        assertEquals(2, compilations.get());
        assertEquals(List.of(), files(directory));
    }

    @Test
    void shouldStoreNothingWhenCompilingFails() {
        KernelCache cache = new KernelCache(temporary);

        assertThrows(DeviceException.class, () -> cache.get(KEY, () -> {
            throw new DeviceException("does not compile");
        }));

        assertArrayEquals(CUBIN, get(temporary));
    }

    @Test
    void shouldDependOnEverythingThatMatters() {
        assertEquals(64, KEY.length());
        assertNotEquals(KEY, KernelCache.key("source ", List.of(), Map.of(), "13.0", "sm_90"));
        assertNotEquals(KEY, KernelCache.key("source", List.of("-O"), Map.of(), "13.0", "sm_90"));
        assertNotEquals(KEY, KernelCache.key("source", List.of(), Map.of("a.h", ""), "13.0", "sm_90"));
        assertNotEquals(KernelCache.key("source", List.of(), Map.of("a.h", "b"), "13.0", "sm_90"),
                KernelCache.key("source", List.of(), Map.of("a.h", "c"), "13.0", "sm_90"));
        assertNotEquals(KEY, KernelCache.key("source", List.of(), Map.of(), "13.1", "sm_90"));
        assertNotEquals(KEY, KernelCache.key("source", List.of(), Map.of(), "13.0", "sm_80"));
        assertNotEquals(KernelCache.key("a", List.of(), Map.of(), "13.0", "sm_90"),
                KernelCache.key("", List.of("a"), Map.of(), "13.0", "sm_90"));
    }
}
