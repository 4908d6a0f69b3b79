package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.bootstrap.watch.RankTag;

@Timeout(10)
class TagStreamTest {

    private final ByteArrayOutputStream to = new ByteArrayOutputStream();
    private final TagStream stream = new TagStream(to, 1);
    private final PrintStream print = stream.asPrintStream();

    @AfterEach
    void clearRank() {
        RankTag.clear();
    }

    private String text() {
        return to.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldTagLinesWithTheirRank() {
        print.println("of the process");
        RankTag.set(3);
        print.print("of ");
        print.println("a rank, höflich");
        print.print("two\nat once\n\n");

        assertEquals("[p1] of the process\n[3] of a rank, höflich\n[3] two\n[3] at once\n[3] \n", text());
    }

    @Test
    void shouldNotMixUnfinishedLines() throws Exception {
        RankTag.set(1);
        print.print("one ");
        Thread other = Thread.ofPlatform().start(() -> {
            RankTag.set(2);
            print.println("two");
        });
        other.join();
        print.println("goes on");

        assertEquals("[2] two\n[1] one goes on\n", text());
    }

    @Test
    void shouldPassTheRankOnToThreadsOfARank() throws Exception {
        RankTag.set(5);
        Thread child = Thread.ofPlatform().start(() -> print.println("child"));
        child.join();
        RankTag.clear();

        assertNull(RankTag.current());
        assertEquals("[5] child\n", text());
    }

    @Test
    void shouldEndUnfinishedLinesAndCutEndlessOnes() throws IOException {
        print.print("unfinished");
        stream.finish();
        stream.finish();
        print.print("x".repeat(TagStream.MAX_LINE));

        assertEquals("[p1] unfinished\n[p1] " + "x".repeat(TagStream.MAX_LINE) + "\n", text());
    }
}
