package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The device library has its numbers from the classes here: no GPU checks that before a kernel runs. */
class DeviceLibraryTest {

    private static final int MAX_FUNCTION_LINES = 60;

    private static final Pattern DEFINE = Pattern.compile("(?m)^#define (PGAS_\\w+)");
    private static final Pattern NUMBER = Pattern.compile(
            "(?m)^#define (PGAS_\\w+) (?:0x[0-9a-f]+|-?\\d+)[ul]*[ \\t]*$");
    private static final Pattern USE = Pattern.compile("\\bPGAS_\\w+");
    private static final Pattern LINE = Pattern.compile("(?m)^#line 1 \"(.*)\"$");
    private static final Pattern FUNCTION = Pattern.compile(
            "(?ms)^PGAS_(?:FN|SLOW) [^;{]*?(pgas_\\w+)\\([^;{]*\\{\n.*?^}$");
    /** Word offsets of a slot, a record, the area or a line of the log. */
    private static final Pattern OFFSET = Pattern.compile(
            "\\b(?:area|record|slot|page|at|state|entry|error|log_head|queue_head)\\s*\\+\\s*(?:\\d\\d+|[3-9])\\b");

    /** Numbers that no class here has: those of memory that only the device reads, and its own ways to work. */
    private static final Set<String> OF_THE_DEVICE = Set.of("PGAS_ACQUIRE", "PGAS_SILENT", "PGAS_CREDIT",
            "PGAS_HOST_WORDS", "PGAS_PARTS_BYTES", "PGAS_PART_TAG", "PGAS_READ_AHEAD", "PGAS_READ_AHEAD_OF_PUT", "PGAS_NOWHERE", "PGAS_NEAR",
            "PGAS_NO_CHANNEL", "PGAS_BY_HOST", "PGAS_DIRTY",
            "PGAS_ALWAYS", "PGAS_WATCH_MAILBOX", "PGAS_LANE_CLAIMS", "PGAS_LANE_DIRECT", "PGAS_LANE_PROXY",
            "PGAS_MAILBOX_EMPTY", "PGAS_NOT_MADE", "PGAS_NO_ENDPOINT", "PGAS_ATOMIC_TRIES",
            "PGAS_TAKE_NONE", "PGAS_TAKE_FIRST", "PGAS_TAKE_EACH", "PGAS_TAKE_ALL", "PGAS_TAKE_EMPTY", "PGAS_TAKE_DONE",
            "PGAS_TAKE_PACKETS", "PGAS_UNCOMMON", "PGAS_PACKETS", "PGAS_PACKET_BYTES", "PGAS_PACKET_LOOKS", "PGAS_PACKET_PAYLOAD",
            "PGAS_LOOKS", "PGAS_WITH_PACKETS", "PGAS_PLACE_BITS",
            "PGAS_WARP_PAYLOAD", "PGAS_AT_ONCE", "PGAS_FAR", "PGAS_BARRIER_LOOKS", "PGAS_SEES_NOTHING", "PGAS_SEES_PACKETS",
            "PGAS_SEES_OTHER", "PGAS_OTHERS_AT_ONCE", "PGAS_COMBINED_AT_ONCE", "PGAS_PACKET_ROUNDS", "PGAS_PACKETS_OF_THREAD");

    /** Defined by programs in Java, or by the compilation of programs. */
    private static final Set<String> OF_PROGRAMS = Set.of("PGAS_BLOCK_PROGRAM", "PGAS_FEW_REGISTERS", "PGAS_THREADS");

    private final String constants = DeviceConstants.text();
    private final String code = DeviceLibrary.text(true).replace(constants, "").replaceAll("//[^\n]*", "");

    private static List<String> all(Pattern pattern, String text, int group) {
        return pattern.matcher(text).results().map(match -> match.group(group)).toList();
    }

    @Test
    void shouldDefineEveryConstantOnce() {
        List<String> generated = all(DEFINE, constants, 1);
        List<String> written = all(DEFINE, code, 1);
        Set<String> defined = new HashSet<>(generated);
        assertEquals(generated.size(), defined.size(), "generated twice: " + generated);
        for (String name : written) {
            assertTrue(defined.add(name), name + " is defined twice");
        }

        Set<String> undefined = new TreeSet<>(all(USE, code, 0));
        undefined.removeAll(defined);
        assertEquals(OF_PROGRAMS, undefined);
    }

    /** Functions out of line would load from a context, and store to it, as if it could be anywhere. */
    @Test
    void shouldKnowThatContextsAreInSharedMemory() {
        List<String> unknowing = FUNCTION.matcher(code).results()
                .filter(match -> match.group().startsWith("PGAS_SLOW") && match.group().contains("(pgas_context *c"))
                .filter(match -> !match.group().contains("{\n    PGAS_IN_SHARED(c);\n"))
                .map(match -> match.group(1)).toList();

        assertEquals(List.of(), unknowing);
    }

    /** Programs in Java call these without a barrier of their own. */
    @Test
    void shouldLearnOfFaultsBetweenTheBarrierAndTheMessage() {
        for (String name : List.of("pgas_put_notify", "pgas_put_fast", "pgas_put_released", "pgas_put_group", "pgas_notify", "pgas_wait_notifications")) {
            String body = FUNCTION.matcher(code).results().filter(match -> match.group(1).equals(name)).findFirst().orElseThrow().group();
            int barrier = Pattern.compile("_sync\\(|pgas_expects_many\\(").matcher(body).results().mapToInt(match -> match.start())
                    .findFirst().orElse(0);
            int check = body.indexOf("pgas_check_faults(c);");
            int message = Pattern.compile("pgas_send_fast\\(|pgas_store_fast\\(|pgas_copy\\(|pgas_st2\\(|pgas_put_to\\(|pgas_await\\(").matcher(body).results()
                    .mapToInt(match -> match.start()).findFirst().orElseThrow();
            assertTrue(barrier > 0 && barrier < check && check < message, body);
        }
    }

    @Test
    void shouldKeepNoNumbersOfSharedMemory() {
        assertEquals(new TreeSet<>(OF_THE_DEVICE), new TreeSet<>(all(NUMBER, code, 1)));
        assertEquals(List.of(), all(OFFSET, code, 0));
    }

    @Test
    void shouldFindOffsets() {
        assertEquals(3, all(OFFSET, "pgas_st(slot + 16, a); pgas_ld(c->area + 640); at + 8", 0).size());
    }

    @Test
    void shouldHaveTheFailuresOfTheHost() {
        Set<String> used = new TreeSet<>(all(Pattern.compile("pgas_fail\\(c, PGAS_(\\w+)"), code, 1));
        Set<String> known = new TreeSet<>();
        for (Field field : BlockFailure.class.getDeclaredFields()) {
            if (field.getType() == int.class && Modifier.isStatic(field.getModifiers())) {
                known.add(field.getName());
            }
        }
        // Sources with a length and faults are of the host device, and of what stands on the library for programs in Java.
        known.removeAll(Set.of("THREW", "FAULTED", "SHORT_SOURCE", "SHORT_TARGET", "BAD_TYPE", "BARRIER_GRACE"));
        assertEquals(known, used);
    }

    @Test
    void shouldReadTheWorldDataThatTheHostWrites() {
        int end = 0;
        Set<String> fields = new TreeSet<>();
        for (WorldField field : WorldField.values()) {
            assertEquals(0, field.offset() % field.bytes(), field + " is not aligned");
            assertEquals(end, field.offset(), field.name());
            end += field.bytes();
            fields.add(field.cudaName());
        }
        assertTrue(end <= BlockLayout.ABORT, "world data of " + end + " bytes");
        assertTrue(fields.containsAll(all(Pattern.compile("world->(\\w+)"), code, 1)),
                "a field that the host does not write");
        assertTrue(constants.contains("static_assert(sizeof(pgas_world_data) == " + end + ","), constants);
    }

    @Test
    void shouldNameEachFileOnce() {
        List<String> files = all(LINE, DeviceLibrary.text(true), 1);
        assertEquals(DeviceLibrary.INTERNALS.size() + 3, files.size());
        assertEquals("pgas_device.cuh", files.getFirst());
        assertEquals(DeviceLibrary.INTERNALS, files.subList(3, files.size()));
    }

    @Test
    void shouldCompilePacketsWhereTheyAreAskedFor() {
        String with = DeviceLibrary.text(true);
        String without = DeviceLibrary.text(false);

        assertTrue(with.startsWith("#define PGAS_WITH_PACKETS 1\n"), with.substring(0, 40));
        assertTrue(without.startsWith("#define PGAS_WITH_PACKETS 0\n"), without.substring(0, 40));
        assertEquals(with.substring(with.indexOf('\n')), without.substring(without.indexOf('\n')));
    }

    @Test
    void shouldHaveNoLongFunctions() {
        List<String> names = all(FUNCTION, DeviceLibrary.text(true), 1);
        List<String> tooLong = FUNCTION.matcher(DeviceLibrary.text(true)).results()
                .filter(match -> match.group().lines().count() > MAX_FUNCTION_LINES)
                .map(match -> match.group(1) + ": " + match.group().lines().count() + " lines").toList();
        assertTrue(names.size() > 100, "the functions are not found any more: " + names);
        assertEquals(List.of(), tooLong);
    }
}
