package org.pgas4j.examples.irregular;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.examples.common.CommandRun;
import org.pgas4j.examples.common.Example;

/** Whole runs on the host device, ranks as threads. */
@Timeout(120)
class IrregularTest {

    private static final List<String> ALL = List.of("index-gather", "histogram", "permutation", "random-access", "uts");

    private static Example of(String name) {
        return switch (name) {
            case "index-gather" -> new IndexGather();
            case "histogram" -> new Histogram();
            case "permutation" -> new Permutation();
            case "random-access" -> new RandomAccess();
            case "uts" -> new Uts();
            default -> throw new IllegalArgumentException(name);
        };
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldFindTheKnownAnswer(int ranks) {
        for (String name : ALL) {
            CommandRun.of(of(name), "--ranks", "" + ranks, "--runs", "2", "--json").requireLines(1, "\"right\": true");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldNoticeASpoiledValue(int ranks) {
        for (String name : ALL) {
            CommandRun ended = CommandRun.of(of(name), "--ranks", "" + ranks, "--planted", "--json");

            assertEquals(Example.WRONG, ended.code(), name);
            assertEquals("false", ended.value("right"), name);
            assertTrue(ended.err().startsWith(name + ": the result is wrong: "), ended.err());
        }
    }

    /** The published trees. */
    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"W, 1", "W, 3", "A, 2"})
    void shouldCountTheBenchmarksTrees(String size, int ranks) {
        CommandRun.of(new Uts(), "--ranks", "" + ranks, "--class", size, "--json").requireLines(1, "\"right\": true");
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"histogram", "random-access", "uts"})
    void shouldFindItByMessages(String name) {
        System.setProperty("pgas.route", "fastpath");
        try {
            CommandRun.of(of(name), "--ranks", "2", "--json").requireLines(1, "\"right\": true");
        } finally {
            System.clearProperty("pgas.route");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 3"})
    void shouldShowRandomAccessesRateBesideThatOnOwnMemory(int ranks, int runs) {
        CommandRun ended = CommandRun.of(new RandomAccess(), "--ranks", "" + ranks, "--runs", "" + runs, "--json").requireOk();

        double updates = 4 << 15;
        double ms = Double.parseDouble(ended.value("ms"));
        double rate = Double.parseDouble(ended.value("gup_s"));
        assertEquals(updates / ms / 1e6, rate, 1e-6 + rate * 1e-3 / ms, ended.out()); // as rounded
        assertTrue(Double.parseDouble(ended.value("own_gup_s")) > 0, ended.out());
        CommandRun table = CommandRun.of(new RandomAccess(), "--ranks", "" + ranks).requireOk();
        assertTrue(table.out().lines().anyMatch(line -> line.matches(".* ms +gup_s +own_gup_s")), table.out());
    }

    /** Skipped, with what is missing, where there is no UCX, unless {@code test.require.ucx} is true. */
    @Tag("slow")
    @ParameterizedTest
    @ValueSource(strings = {"random-access", "histogram"})
    void shouldFindItOverUcx(String name) {
        Map<String, String> settings = Map.of("pgas.conduit", "ucx", "pgas.route", "fastpath");
        settings.forEach(System::setProperty);
        try {
            CommandRun ended = CommandRun.of(of(name), "--ranks", "2", "--json");
            assumeTrue(Boolean.getBoolean("test.require.ucx") || !ended.err().contains("libucx0"), ended.err());
            ended.requireLines(1, "\"right\": true");
        } finally {
            settings.keySet().forEach(System::clearProperty);
        }
    }

    /** A search without ranks, of the same tree. */
    @Test
    void shouldExpandTheSameTreeAsOneRank() {
        UtsTree tree = new UtsTree(UtsTree.Shape.binomial(50, 0.12, 8, 7));
        byte[] root = new byte[UtsTree.NODE];
        tree.root(root);

        assertEquals(0, UtsTree.depth(root, 0));
        assertEquals(50, tree.children(root, 0));
        assertEquals(63_914, nodes(new UtsTree(UtsTree.Shape.geometric(4, 7, 19))));
    }

    private static long nodes(UtsTree tree) {
        byte[] root = new byte[UtsTree.NODE];
        tree.root(root);
        return nodes(tree, root);
    }

    private static long nodes(UtsTree tree, byte[] node) {
        long nodes = 1;
        for (int child = 0; child < tree.children(node, 0); child++) {
            byte[] below = new byte[UtsTree.NODE];
            tree.child(node, 0, child, below, 0);
            nodes += nodes(tree, below);
        }
        return nodes;
    }

    /** Any rank can begin its updates anywhere. */
    @Test
    void shouldSkipRandomAccessesWords() {
        long word = 1;
        for (int n = 0; n < 1000; n++) {
            assertEquals(word, RandomAccess.power(n), "word " + n);
            word = RandomAccess.timesX(word);
        }
        assertEquals(RandomAccess.timesX(RandomAccess.power(1L << 40)), RandomAccess.power((1L << 40) + 1));
    }

    @Test
    void shouldPrintHelp() {
        for (String name : ALL) {
            CommandRun.requireHelp(of(name), "--class");
        }
    }
}
