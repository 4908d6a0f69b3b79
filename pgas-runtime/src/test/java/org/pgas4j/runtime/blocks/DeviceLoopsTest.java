package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * No loop of the device library is without a bound: it counts up to something that does not change, or each round looks
 * at a deadline, or a function that it calls does. A kernel that loops for ever takes the GPU with it.
 */
class DeviceLoopsTest {

    private static final Pattern LOOP = Pattern.compile("\\b(for|while)\\s*\\(");
    /**
     * {@code for (T i = a; i < b ...; i++)}, or with a step: the condition compares the counter with what the loop
     * leaves alone.
     */
    private static final Pattern COUNTED = Pattern.compile(
            "[^;]*;\\s*(?:[^;]*&&\\s*)?(\\w+)(?: \\+ [^;<>]*)? < [^;]+;\\s*\\1(?:\\+\\+| \\+= [^;]+)");
    /** Each reads the clock or another thread's failure in some rounds at least, and ends the wait. */
    private static final Pattern DEADLINE = Pattern.compile(
            "pgas_(late|late_warp|barrier_late|look_for_credit)\\(|> c->timeout_ns");

    @Test
    void shouldBoundEveryLoop() {
        List<String> unbounded = unbounded(DeviceLibrary.text(true));

        assertEquals(List.of(), unbounded);
        int found = loops(DeviceLibrary.text(true)).size();
        assertTrue(found > 30, "the loops are not found any more: " + found);
    }

    @Test
    void shouldFindLoopsWithoutABound() {
        assertEquals(1, unbounded("void f() { while (atomicCAS(&c->lock, 0u, 1u) != 0u) {\n} }").size());
        assertEquals(1, unbounded("void f() { for (;;) { if (g()) { break; } } }").size());
        assertEquals(1, unbounded("void f() { while (pgas_take(c, lane)) {\n} }").size());
        assertEquals(1, unbounded("void f() { do { x = g(); } while (x != 0); }").size());
        assertEquals(0, unbounded("void f() { for (int i = 0; i < 4; i++) { g(); } }").size());
        assertEquals(0, unbounded("void f() { for (;;) { if (pgas_late(c, d) != 0) { return; } } }").size());
    }

    /** Lines of loops that have none. */
    private static List<String> unbounded(String text) {
        return loops(text).stream()
                .filter(loop -> !COUNTED.matcher(loop.head).matches() && !DEADLINE.matcher(loop.body).find())
                .map(loop -> "line " + loop.line + ": " + loop.head).toList();
    }

    private record Loop(int line, String head, String body) {
    }

    private static List<Loop> loops(String source) {
        String text = withoutComments(source);
        List<Loop> found = new ArrayList<>();
        Matcher matcher = LOOP.matcher(text);
        while (matcher.find()) {
            int open = matcher.end() - 1;
            int close = matching(text, open, '(', ')');
            String head = text.substring(open + 1, close);
            int brace = close + 1;
            while (Character.isWhitespace(text.charAt(brace))) {
                brace++;
            }
            String body = text.charAt(brace) == '{' ? text.substring(brace, matching(text, brace, '{', '}') + 1)
                    : before(text, matcher.start()); // the end of a do-while
            found.add(new Loop((int) text.substring(0, matcher.start()).lines().count() + 1, head, head + body));
        }
        return found;
    }

    /** The body of a do-while whose {@code while} is at a place. */
    private static String before(String text, int at) {
        int end = text.lastIndexOf('}', at);
        int depth = 0;
        for (int i = end; i >= 0; i--) {
            depth += text.charAt(i) == '}' ? 1 : text.charAt(i) == '{' ? -1 : 0;
            if (depth == 0) {
                return text.substring(i, end + 1);
            }
        }
        throw new AssertionError("no body before " + at);
    }

    private static int matching(String text, int from, char open, char close) {
        int depth = 0;
        for (int i = from; i < text.length(); i++) {
            depth += text.charAt(i) == open ? 1 : text.charAt(i) == close ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        throw new AssertionError("not closed: " + text.substring(from, Math.min(text.length(), from + 60)));
    }

    private static String withoutComments(String text) {
        return Pattern.compile("//[^\n]*").matcher(text).replaceAll("");
    }
}
