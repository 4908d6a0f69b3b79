package org.pgas4j;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Holds the codes to their numbers and to the table that users read. */
class ExitCodeTest {

    private static final String SIGNALS = "128+n";

    /** Rows of the table of exit codes: first cell to second. */
    private static Map<String, String> table() throws IOException {
        Map<String, String> rows = new HashMap<>();
        boolean inTable = false;
        for (String line : Files.readAllLines(Path.of("..", "docs", "errors.md"))) {
            inTable = line.startsWith("| code |") || inTable && line.startsWith("|");
            if (inTable) {
                String[] cells = line.split("\\|");
                rows.put(cells[1].strip(), cells[2].strip());
            }
        }
        rows.keySet().removeAll(Set.of("code", "---"));
        return rows;
    }

    @Test
    void shouldBeTheTableOfTheDocs() throws IOException {
        Map<String, String> rows = table();

        for (ExitCode code : ExitCode.values()) {
            String number = Integer.toString(code.number());
            if (ExitCode.signalOf(code.number()) == 0) {
                assertTrue(rows.getOrDefault(number, "").startsWith(code.sentence()),
                        () -> code + ": " + rows.get(number));
            } else {
                assertTrue(rows.get(SIGNALS).matches(".*\\b" + number + " (as by )?" + code.sentence() + "\\b.*"),
                        code::toString);
            }
        }
        Set<String> numbers = List.of(ExitCode.values()).stream().map(code -> Integer.toString(code.number()))
                .collect(Collectors.toSet());
        assertTrue(rows.keySet().stream().allMatch(row -> row.equals(SIGNALS) || numbers.contains(row)),
                rows::toString);
    }

    @Test
    void shouldKeepItsNumbers() {
        assertEquals(List.of(0, 1, 2, 3, 10, 11, 12, 13, 14, 15, 16, 124, 134, 137, 139, 141, 143),
                List.of(ExitCode.values()).stream().map(ExitCode::number).toList());
        assertEquals(ExitCode.KILLED.number(), ExitCode.ofSignal(9));
        assertEquals(15, ExitCode.signalOf(ExitCode.TERMINATED.number()));
        assertEquals(0, ExitCode.signalOf(255));
    }
}
