package org.pgas4j.examples.reduction;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.common.CommandRun;

/** Whole runs on the host device, ranks as threads. */
@Timeout(60)
class ReductionTest {

    @ParameterizedTest
    @CsvSource({"blocks, 1, 1, 1000", "blocks, 1, 5, 1000", "blocks, 2, 3, 1001", "blocks, 3, 2, 7", "host, 1, 1, 1000",
            "host, 2, 3, 1001", "host, 3, 4, 2"})
    void shouldAddUpExactly(String style, int ranks, int blocks, int values) {
        long sum = LongStream.range(0, (long) ranks * values).map(Summation::value).sum();

        run("--style", style, "--ranks", "" + ranks, "--blocks", "" + blocks, "--values", "" + values, "--runs", "3", "--json")
                .requireLines(1, "\"sum\": " + sum + ", \"checked\": true}");
    }

    @Test
    void shouldAddUpByTheWayThroughTheHost() {
        run("--style", "blocks", "--proxy", "--values", "1000", "--json").requireLines(1, "\"checked\": true}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--style fast | Invalid value for option '--style'",
        "--values 0   | --values 0 (expected: 1..",
        "--blocks 0   | --blocks 0 (expected: >= 1)",
    })
    void shouldRefuseWhatIsOutOfRange(String args, String message) {
        run(args.split(" +")).requireRefused("reduction: " + message);
    }

    @Test
    void shouldPrintHelp() {
        CommandRun.requireHelp(new VectorSum(), "--values");
    }

    private static CommandRun run(String... args) {
        return CommandRun.of(new VectorSum(), args);
    }
}
