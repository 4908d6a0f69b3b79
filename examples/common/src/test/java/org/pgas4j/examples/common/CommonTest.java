package org.pgas4j.examples.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.Rank;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The shared options of all examples, once for all of them. */
@Timeout(60)
class CommonTest {

    /** Fails on rank 0 with {@code --fail}. */
    @Command(name = "toy")
    private static final class Toy extends Example {

        @Mixin
        private final RunOptions runs = new RunOptions(128, 3, 1);

        @Option(names = "--fail")
        private boolean fail;

        private final int wrong;

        private Toy(int wrong) {
            super(2);
            this.wrong = wrong;
        }

        @Override
        protected PgasConfig config() {
            runs.settings(4);
            return onDevice(new PgasConfig().ranks(ranks()));
        }

        @Override
        protected void program(Rank rank) {
            if (fail && rank.rank() == 0) {
                throw new IllegalStateException("on purpose");
            }
            Timing timing = Timing.of(rank, runs.settings(4), new Workload() {

                @Override
                public void reset() {
                }

                @Override
                public void run() {
                }

                @Override
                public long wrong() {
                    return rank.rank() == 0 ? wrong : 0;
                }

                @Override
                public void close() {
                }
            });
            report(rank, runs.settings(4), new JsonLine().add("wrong", timing.wrong()), timing.correct());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--bogus      | Unknown option: '--bogus'",
        "--ranks 0    | --ranks 0 (expected: >= 1)",
        "--ranks many | Invalid value for option '--ranks'",
        "--device tpu | --device tpu (expected: auto, host or cuda)",
        "--blocks -1  | --blocks -1 (expected: 0..65536)",
        "--threads 0  | --threads 0 (expected: 32..1024)",
        "--threads 48 | --threads 48 (expected: a multiple of 32)",
        "--runs 0     | --runs 0 (expected: >= 1)",
        "--warmup -1  | --warmup -1 (expected: >= 0)",
    })
    void shouldRefuseWhatIsOutOfRange(String args, String message) {
        CommandRun.of(new Toy(0), args.split(" +")).requireRefused("toy: " + message);
    }

    @Test
    void shouldRefuseSettingsThatDoNotExistOrContradictAnOption() {
        try {
            CommandRun.of(new Toy(0), "--pgas.rnaks=3").requireRefused("toy: unknown setting pgas.rnaks (maybe: pgas.ranks?)");
            System.clearProperty("pgas.rnaks");
            CommandRun.of(new Toy(0), "--pgas.ranks=2", "-n", "3")
                    .requireRefused("toy: --ranks 3, but the job has 2 ranks (pgas.ranks from property)");
        } finally {
            System.clearProperty("pgas.rnaks");
            System.clearProperty("pgas.ranks");
        }
    }

    @Test
    void shouldReportResultsAsATableOrAsJson() {
        CommandRun table = CommandRun.of(new Toy(0)).requireOk();
        CommandRun json = CommandRun.of(new Toy(0), "--json", "--blocks", "7", "-n", "3").requireOk();

        assertEquals(List.of("example toy, device host, ranks 2, blocks 4, threads 128, proxy false, runs 3", "", "    wrong", "        0"),
                table.out().lines().toList());
        assertEquals("{\"example\": \"toy\", \"device\": \"host\", \"ranks\": 3, \"blocks\": 7, \"threads\": 128, \"proxy\": false,"
                + " \"runs\": 3, \"wrong\": 0}", json.out().strip());
    }

    @Test
    void shouldEndWithCodeOneIfAResultIsWrong() {
        CommandRun wrong = CommandRun.of(new Toy(5));

        assertEquals(Example.WRONG, wrong.code());
        assertEquals("toy: the result is wrong: {\"wrong\": 20}", wrong.err().strip());
        CommandRun.of(new Toy(5), "--no-verify", "--json").requireLines(1, "\"wrong\": -1}");
    }

    /** So that Java, or the launcher, prints its trace: once. */
    @Test
    void shouldPassOnWhatIsUnexpected() {
        assertEquals("on purpose", assertThrows(PgasException.class, () -> CommandRun.of(new Toy(0), "--fail")).getCause().getMessage());
    }

    @Test
    void shouldPrintHelpAndVersion() {
        CommandRun.requireHelp(new Toy(0), "--warmup");
        assertEquals(Version.text(), CommandRun.of(new Toy(0), "--version").requireOk().out().strip());
    }

    @Test
    void shouldFailIfItsOutputCannotBeWritten() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        OutputStream full = new OutputStream() {

            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };

        assertEquals(Example.WRONG, new Toy(0).run(List.of("--help"), new PrintStream(full),
                new PrintStream(err, true, StandardCharsets.UTF_8)));
        assertTrue(err.toString(StandardCharsets.UTF_8).startsWith("toy: standard output: "));
    }

    @Test
    void shouldWriteFlatJson() {
        JsonLine line = new JsonLine().add("count", 3).add("us", 1.23456, 3).add("error", 0.5).add("none", Double.NaN, 2)
                .add("endless", Double.POSITIVE_INFINITY).add("good", true).add("colour", Thread.State.NEW).add("text", "a\"\\\n");

        assertEquals("{\"count\": 3, \"us\": 1.235, \"error\": 0.5, \"none\": null, \"endless\": null,"
                + " \"good\": true, \"colour\": \"NEW\", \"text\": \"a\\\"\\\\\\u000a\"}", line.toString());
        assertEquals("      1.5   2.00e-08", new JsonLine().add("us", 1.5, 1).add("rel_error", 2e-8).cells());
    }

    @Test
    void shouldReadFlatJson() {
        String line = new JsonLine().add("count", 3).add("text", "a, b").add("none", "").add("last", true).toString();

        assertEquals(List.of("3", "a, b", "", "true"),
                Stream.of("count", "text", "none", "last").map(key -> JsonLine.value(line, key).orElseThrow()).toList());
        assertEquals(Optional.empty(), JsonLine.value(line, "tex"));
    }

    @Test
    void shouldCompareAnswers() {
        assertEquals(List.of(true, false), Stream.of(Answer.exact(3, 3, 1), Answer.exact(3, 4, 1)).map(Answer::right).toList());
        assertEquals(List.of(true, false, true, false), Stream.of(Answer.near(-2, -2.02, 0.02, 1),
                Answer.near(-2, -2.05, 0.02, 1), Answer.near(0, 0, 1e-8, 1), Answer.near(1, Double.NaN, 1, 1))
                .map(Answer::right).toList());
        assertEquals(List.of(true, false, false), Stream.of(Answer.error(1, 0.5, 1), Answer.error(1, 1, 1),
                Answer.error(1, Double.NaN, 1)).map(Answer::right).toList());
    }

    @Test
    void shouldSumUpTimes() {
        Timing timing = new Timing(new long[] {3000, 1000, 9000}, 6000, 0);

        assertEquals(List.of(3.0, 1.0, 9.0, 2.0), List.of(timing.medianUs(1), timing.minUs(1), timing.maxUs(1), timing.cpuUs(1)));
        assertEquals(1.5, timing.medianUs(2));
        assertFalse(new Timing(new long[1], 0, 1).correct());
    }

    @Test
    void shouldNoticeARunThatEndedOtherwise() {
        CommandRun good = new CommandRun(0, "{\"a\": 1, \"b\": \"x\"}\n", "");
        CommandRun refused = new CommandRun(2, "", "ring: no\n");

        assertEquals("1", good.requireLines(1, "\"a\"").value("a"));
        assertEquals("x", good.value("b"));
        refused.requireRefused("ring: no");
        for (Runnable wrong : List.<Runnable>of(() -> good.requireLines(2, ""), () -> good.requireLines(1, "c"), () -> good.value("c"),
                () -> good.requireRefused(""), refused::requireOk, () -> refused.requireRefused("halo: "),
                () -> new CommandRun(2, "", "ring: no\n\tat Ring.run").requireRefused("ring: no"),
                () -> new CommandRun(2, "x", "ring: no").requireRefused("ring: no"))) {
            assertThrows(AssertionError.class, wrong::run);
        }
    }
}
