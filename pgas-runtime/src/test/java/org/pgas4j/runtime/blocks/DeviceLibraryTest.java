package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The device library and the classes here lay the same memory out: no GPU says so before a kernel runs. */
class DeviceLibraryTest {

    private static final Pattern DEFINE = Pattern.compile("(?m)^#define PGAS_(\\w+) (0x[0-9a-f]+|\\d+)u?\\s*(?://.*)?$");

    @Test
    void shouldHaveTheSameNumbers() throws IOException {
        Map<String, Integer> expected = new TreeMap<>(Map.of("ABORT", BlockLayout.ABORT, "QUEUE_TAIL", BlockLayout.QUEUE_TAIL,
                "QUEUE_SEEN", BlockLayout.QUEUE_SEEN, "LOG_TAIL", BlockLayout.LOG_TAIL, "ARRIVALS", BlockLayout.ARRIVALS,
                "ERROR_CLAIM", BlockLayout.ERROR_CLAIM, "POST", BlockLayout.POST, "PEERS", BlockLayout.PEERS,
                "POSTMAN", (1 << BlockLayout.POSTMAN_BITS) - 1, "POST_ENTRIES", HostPage.POST_ENTRIES));
        expected.putAll(Map.of("LEFT", BlockLayout.LEFT, "LATE_LOCK", BlockFailure.LATE_LOCK, "UNEQUAL_BARRIERS",
                BlockFailure.UNEQUAL_BARRIERS, "BAD_PLACE", BlockFailure.BAD_PLACE, "NO_WINDOW", BlockFailure.NO_WINDOW, "NO_TARGET",
                BlockFailure.NO_TARGET, "NO_TAG", BlockFailure.NO_TAG, "NO_HOST_RANK", BlockFailure.NO_HOST_RANK, "MANY_WINDOWS",
                BlockFailure.MANY_WINDOWS, "NOT_SHARED", BlockFailure.NOT_SHARED));
        for (BlockFailure.Barrier part : BlockFailure.Barrier.values()) {
            if (part != BlockFailure.Barrier.UNKNOWN) {
                expected.put("BARRIER_" + part, part.ordinal());
            }
        }
        expected.putAll(Map.of("DIRECT", BlockLayout.DIRECT, "PROXY", BlockLayout.PROXY, "OWN", BlockLayout.OWN,
                "FLUSHED", BlockLayout.FLUSHED, "STATE", BlockLayout.STATE, "HEADS", BlockLayout.HEADS,
                "CREDITS", BlockLayout.CREDITS, "LANE_SLOTS", BlockLayout.LANE_SLOTS, "LANES", BlockLayout.LANES,
                "SLOTS", BlockLayout.SLOTS));
        expected.putAll(Map.of("TAGS", BlockLayout.TAGS, "TARGETS", BlockLayout.TARGETS, "WINDOWS", BlockLayout.WINDOWS));
        expected.putAll(Map.of("OP_NOTIFY", Command.NOTIFY, "OP_PUT_INLINE", Command.PUT_INLINE, "OP_PUT", Command.PUT,
                "OP_HOST", Command.HOST, "OP_TRIGGER", Command.TRIGGER, "OP_TIMER", Command.TIMER, "OP_WORD", Command.WORD,
                "WITH_NOTIFY", Command.WITH_NOTIFY));

        Map<String, Integer> found = new TreeMap<>();
        Matcher defines = DEFINE.matcher(text());
        while (defines.find()) {
            if (expected.containsKey(defines.group(1))) {
                found.put(defines.group(1), Integer.decode(defines.group(2)));
            }
        }
        assertEquals(expected, found);
    }

    private static String text() throws IOException {
        try (InputStream in = DeviceLibrary.class.getResourceAsStream("pgas_device.cuh")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
