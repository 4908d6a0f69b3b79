package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class PgasConfigTest {

    private static PgasConfig conclude(Map<String, String> properties, Map<String, String> environment, String... args) {
        PgasConfig config = new PgasConfig().ranks(3).hostHeap(1 << 20);
        config.takeArguments(args);
        return config.conclude(properties, environment);
    }

    @Test
    void shouldPreferArgumentsThenPropertiesThenEnvironmentThenProgram() {
        assertEquals(3, conclude(Map.of(), Map.of()).count(PgasKey.RANKS));
        assertEquals(4, conclude(Map.of(), Map.of("PGAS_RANKS", "4")).count(PgasKey.RANKS));
        assertEquals(5, conclude(Map.of("pgas.ranks", "5"), Map.of("PGAS_RANKS", "4")).count(PgasKey.RANKS));
        PgasConfig config = conclude(Map.of("pgas.ranks", "5"), Map.of(), "--pgas.ranks=6");
        assertEquals(6, config.count(PgasKey.RANKS));
        assertEquals("argument", config.source(PgasKey.RANKS));
        assertEquals("default", config.source(PgasKey.DEVICE));
    }

    @Test
    void shouldLeaveTheProgramItsOwnArguments() {
        assertEquals(List.of("--n", "5", "x=y"), new PgasConfig().takeArguments(
                new String[] {"--n", "--pgas.device=host", "5", "x=y"}));
    }

    @Test
    void shouldUnderstandUnits() {
        PgasConfig config = conclude(Map.of("pgas.heap.host", "1.5g", "pgas.heap.device", "64 MiB", "pgas.timeout", "500ms"),
                Map.of());
        assertEquals(3L << 29, config.bytes(PgasKey.HEAP_HOST));
        assertEquals(64L << 20, config.bytes(PgasKey.HEAP_DEVICE));
        assertEquals(Duration.ofMillis(500), config.duration(PgasKey.TIMEOUT));
    }

    @Test
    void shouldNameTheNearestSettingForAnUnknownOne() {
        UsageException e = assertThrows(UsageException.class, () -> conclude(Map.of("pgas.heap.hots", "1m"), Map.of()));
        assertTrue(e.getMessage().contains("maybe: pgas.heap.host?"), e.getMessage());
        assertThrows(UsageException.class, () -> new PgasConfig().takeArguments(new String[] {"--pgas.rnks=1"}));
        UsageException part = assertThrows(UsageException.class, () -> conclude(Map.of("pgas.heap", "1m"), Map.of()));
        assertTrue(part.getMessage().contains("maybe: pgas.heap.host or pgas.heap.device?"), part.getMessage());
    }

    @Test
    void shouldRefuseBadValuesNamingWhatIsExpected() {
        for (String[] bad : new String[][] {{"pgas.ranks", "0"}, {"pgas.ranks", "x"}, {"pgas.ranks", "1.5"},
            {"pgas.heap.host", "-1"}, {"pgas.heap.host", "12q"}, {"pgas.heap.host", "99999999999g"},
            {"pgas.heap.host", "9223372036854775807"}, {"pgas.heap.device", "1025t"},
            {"pgas.ranks", "\u0663"}, {"pgas.timeout", "30"}, {"pgas.timeout", "0s"}, {"pgas.device", "gpu"}, {"pgas.require.gpu", "yes"}, {"pgas.kernel.cache", " "}}) {
            UsageException e = assertThrows(UsageException.class, () -> conclude(Map.of(bad[0], bad[1]), Map.of()));
            assertTrue(e.getMessage().contains(bad[0] + ": '" + bad[1] + "' from property (expected: "), e.getMessage());
        }
    }

    @Test
    void shouldNameTheSourceAndTheRange() {
        assertEquals("invalid value for pgas.device: 'gpu' from --device (expected: one of auto|host|cuda)",
                assertThrows(UsageException.class, () -> PgasConfig.check(PgasKey.DEVICE, "gpu", "--device")).getMessage());
        assertEquals("invalid value for pgas.timeout: '0s' from --set (expected: 1 ns or more)",
                assertThrows(UsageException.class, () -> PgasConfig.check(PgasKey.TIMEOUT, "0s", "--set")).getMessage());
        assertEquals("invalid value for pgas.heap.host: '1k' from --heap-host (expected: 4096..1125899906842624 bytes)",
                assertThrows(UsageException.class, () -> PgasConfig.check(PgasKey.HEAP_HOST, "1k", "--heap-host")).getMessage());
    }

    @Test
    void shouldServeOneRunOnly() {
        PgasConfig config = conclude(Map.of(), Map.of());
        assertThrows(IllegalStateException.class, () -> config.ranks(2));
        assertThrows(IllegalStateException.class, config::conclude);
    }
}
