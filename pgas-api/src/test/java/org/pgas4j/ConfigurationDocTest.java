package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** docs/configuration.md is generated from the table of settings: run with {@code -Ddocs.update=true} to write it. */
@Timeout(20)
class ConfigurationDocTest {

    private static final Path DOC = Path.of("..", "docs", "configuration.md");
    private static final List<String> UNITS = List.of("", "k", "m", "g", "t");

    private static String generate() {
        StringBuilder text = new StringBuilder("""
                # Configuration

                Generated from `PgasKey`. Strongest first: `--pgas.key=value` among a program's arguments, the system property
                (a launcher's options arrive as these), the environment variable, what the program sets in `PgasConfig`, the
                default. An unknown `pgas.*` key or a bad value is a `UsageException` before the job starts: exit code 2
                under `pgasrun` and of the commands here. Of another `main`, which `java` or `mpirun` starts, it is thrown
                by `Pgas.run`; where nothing catches it, Java ends with its stack trace and status 1.

                Sizes take the units k, m, g and t (powers of 1024), times ns, us, ms, s, m and h.

                | property | environment | value | default | what |
                | --- | --- | --- | --- | --- |
                """);
        for (PgasKey key : PgasKey.values()) {
            String value = switch (key.type()) {
                case CHOICE -> "`" + key.choices().replace("|", "`, `") + "`";
                case COUNT -> key.min() + " to " + key.max();
                case SIZE -> "size, " + (key.max() == Long.MAX_VALUE ? "at least " + size(key.min())
                        : size(key.min()) + " to " + size(key.max()));
                case DURATION -> "time";
                case FLAG -> "`true`, `false`";
                case TEXT -> "text";
            };
            text.append(String.format("| `%s` | `%s` | %s | `%s` | %s |%n", key.property(), key.environment(), value,
                    key.defaultText(), key.help()));
        }
        return text.toString();
    }

    /** In the largest unit that takes no fraction. */
    private static String size(long bytes) {
        int unit = bytes == 0 ? 0 : Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.size() - 1);
        return (bytes >> 10 * unit) + UNITS.get(unit);
    }

    @Test
    void shouldDescribeEverySetting() throws IOException {
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(DOC, generate());
        }
        assertEquals(generate(), Files.readString(DOC), "after changing PgasKey run: "
                + "mvn test -pl pgas-api -Dtest.jvm.flags=-Ddocs.update=true");
    }
}
