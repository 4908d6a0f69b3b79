package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.GridRank.Comm;

/** The device library, compiled by g++ for the host, looks for a window's entry where {@link BlockLayout} has it. */
class DeviceWindowsTest {

    private static final String BEFORE = """
            #include <cstdio>
            #include <cstdlib>
            #define PGAS_FN static inline
            typedef unsigned long long pgas_u64;
            typedef unsigned int pgas_u32;
            """;
    private static final String CONTEXT = """
            struct pgas_context {
                char *area;
                const pgas_u64 *entries[2];
                pgas_u64 slots[2];
                pgas_u32 windows[2], per_rank, blocks;
            };
            """;
    /** A line for each window and target that has an entry, and for each communicator the bits that are free once some are taken. */
    private static final String MAIN = """
            int main(int, char **argv) {
                pgas_world_data data = {};
                pgas_world_data *world = &data;
                world->host_ranks = atoi(argv[1]);
                world->per_rank = atoi(argv[2]);
                world->windows = atoi(argv[3]);
                world->windows_at = atoll(argv[4]);
                static pgas_context context;
                pgas_context *c = &context;
                c->area = (char *) 4096;
                load(c, world);
                for (int window = -300; window < 1200; window++) {
                    for (int target = -2; target < (int) c->blocks + 2; target++) {
                        if (pgas_is_member(c, window, target)) {
                            printf("%d %d %lld\\n", window, target, (long long) ((char *) pgas_entry(c, window, target) - c->area));
                        }
                    }
                }
                for (int comm = 0; comm < 2; comm++) {
                    c->slots[comm] = 5;
                    printf("free %llx\\n", free_windows(c, comm));
                }
            }
            """;

    @TempDir
    private static Path folder;
    private static Path program;

    @BeforeAll
    static void compile() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/g++")), "g++ is missing");
        String library = DeviceLibrary.text(true);
        StringBuilder load = new StringBuilder("static void load(pgas_context *c, pgas_world_data *world) {\n");
        Matcher lines = Pattern.compile("(?m)^    c->(?:per_rank|blocks|entries\\[\\w+\\]|windows\\[\\w+\\]) = .*;$").matcher(library);
        int count = 0;
        for (; lines.find(); count++) {
            load.append(lines.group()).append('\n');
        }
        assertEquals(6, count, load.toString());
        Matcher free = Pattern.compile("(?m)^    pgas_u64 free = (.*);$").matcher(library);
        assertTrue(free.find());
        Path file = Files.writeString(folder.resolve("windows.cpp"), BEFORE + DeviceConstants.text() + CONTEXT
                + load.append("}\n") + "static pgas_u64 free_windows(pgas_context *c, int comm) {\n    return " + free.group(1) + ";\n}\n"
                + function(library, "pgas_size") + function(library, "pgas_entry") + function(library, "pgas_is_member") + MAIN);
        program = folder.resolve("windows");
        run("/usr/bin/g++", "-std=c++17", "-Wall", "-Werror", "-Wno-unused-function", "-o", program.toString(), file.toString());
    }

    private static String function(String library, String name) {
        Matcher found = Pattern.compile("(?ms)^PGAS_FN [^;{]*?\\b" + name + "\\([^;{]*\\{\n.*?^}$").matcher(library);
        assertTrue(found.find(), name);
        return found.group() + "\n";
    }

    private static List<String> run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(100, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), output);
        return output.lines().toList();
    }

    private static List<String> found(BlockLayout layout) throws Exception {
        return run(program.toString(), Integer.toString(layout.hostRanks()), Integer.toString(layout.perRank()),
                Integer.toString(layout.windows()), Long.toString(layout.windowsAt()));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 3, 8", "3, 2, 63", "2, 2, 64"})
    void shouldFindTheEntriesOfTheLayoutAndNoOthers(int hostRanks, int perRank, int windows) throws Exception {
        BlockLayout layout = new BlockLayout(hostRanks, perRank, PacketRings.NONE, windows);
        List<String> expected = new ArrayList<>();
        for (int window = 0; window < layout.windows(Comm.WORLD); window++) {
            for (int target = 0; target < layout.blocks(); target++) {
                expected.add(window + " " + target + " " + layout.windowEntry(window, target));
            }
        }
        for (int slot = 0; slot < layout.windows(Comm.DEVICE); slot++) {
            int window = slot | BlockLayout.DEVICE_WINDOW;
            for (int target = 0; target < perRank; target++) {
                expected.add(window + " " + target + " " + layout.windowEntry(window, target));
            }
        }

        List<String> found = found(layout);

        assertEquals(expected, found.subList(0, found.size() - 2));
    }

    @Test
    void shouldGiveNumbersOfWindowsThatThereIsRoomFor() throws Exception {
        assertEquals(List.of("free fa", "free fffffffffffffffa"), free(8));
        assertEquals(List.of("free 0", "free fffffffffffffffa"), free(1));
        assertEquals(List.of("free fffffffffffffffa", "free fffffffffffffffa"), free(64));
    }

    private static List<String> free(int windows) throws Exception {
        List<String> found = found(new BlockLayout(2, 2, PacketRings.NONE, windows));
        return found.subList(found.size() - 2, found.size());
    }
}
