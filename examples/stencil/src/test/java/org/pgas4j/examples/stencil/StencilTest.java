package org.pgas4j.examples.stencil;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.CommandRun;

/** Whole runs on the host device, ranks as threads, and what ends before. */
@Timeout(60)
class StencilTest {

    private static final List<String> SMALL = List.of("--i", "17", "--levels", "3", "--steps", "7", "--check-steps", "7",
            "--runs", "1");

    @ParameterizedTest
    @CsvSource({"blocks, 1, 16, 1", "blocks, 1, 16, 3", "blocks, 2, 8, 2", "blocks, 3, 7, 3", "blocks, 4, 4, 2", "staged, 1, 16, 1",
            "staged, 2, 8, 1", "staged, 4, 4, 1", "fused, 1, 16, 1", "fused, 2, 8, 1", "fused, 4, 4, 1", "packed, 1, 16, 1",
            "packed, 2, 8, 1", "packed, 4, 4, 1"})
    void shouldAgreeWithTheCpuInEveryBit(String style, int ranks, int rows, int blocks) {
        job("--style", style, "--ranks", "" + ranks, "--j", "" + rows, "--blocks", "" + blocks, "--json")
                .requireLines(1, "\"max_error\": 0.0, ").requireLines(1, "\"checked\": true}");
    }

    @Test
    void shouldNotDependOnHowTheFieldIsSplit() {
        String one = checksum(job("--style", "fused", "--ranks", "1", "--j", "16", "--json"));

        assertEquals(one, checksum(job("--style", "fused", "--ranks", "2", "--j", "8", "--json")));
        assertEquals(one, checksum(job("--style", "packed", "--ranks", "4", "--j", "4", "--json")));
        assertEquals(one, checksum(job("--style", "staged", "--ranks", "2", "--j", "8", "--json")));
        assertEquals(one, checksum(job("--style", "blocks", "--ranks", "2", "--j", "8", "--json")));
    }

    @Test
    void shouldGoTheWayThroughTheHost() {
        job("--style", "blocks", "--proxy", "--ranks", "2", "--j", "8").requireOk();
    }

    /** Its README's commands for machines without a GPU, with fewer points. */
    @Test
    void shouldRunAsItsReadmeSays() throws IOException {
        String start = "scripts/pgasrun -n 2 " + Stencil.class.getName();
        List<String> commands = Files.readAllLines(Path.of("README.md")).stream().map(String::strip)
                .filter(line -> line.startsWith(start) && !line.contains("--device cuda")).toList();
        assertEquals(2, commands.size());
        for (String command : commands) {
            String options = command.substring(start.length()).strip();
            job(options.isEmpty() ? new String[0] : options.split(" +")).requireOk();
        }
    }

    private static String checksum(CommandRun ended) {
        return ended.requireOk().value("checksum");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--style fast       | Invalid value for option '--style'",
        "--i 4              | --i 4 (expected: 5..",
        "--j 3              | --j 3 (expected: 4..",
        "--levels 0         | --levels 0 (expected: 1..",
        "--j 8 --blocks 5   | --blocks 5 (expected: 1..4)",
        "--steps 0          | --steps 0 (expected: >= 1",
        "--i 16384 --j 16384 --levels 2 | --i 16384 --j 16384 --levels 2: too large",
    })
    void shouldRefuseWhatIsOutOfRange(String args, String message) {
        run(args.split(" +")).requireRefused("stencil: " + message);
    }

    @Test
    void shouldPrintHelp() {
        CommandRun.requireHelp(new Stencil(), "--check-steps");
    }

    private static CommandRun job(String... args) {
        return run(Stream.concat(SMALL.stream(), Stream.of(args)).toArray(String[]::new));
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(new Stencil(), args);
    }
}
