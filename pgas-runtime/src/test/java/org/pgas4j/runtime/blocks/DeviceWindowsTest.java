package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            struct { pgas_u32 x; } blockIdx;
            """;
    private static final String CONTEXT = """
            struct pgas_context {
                char *area;
                pgas_world_data *world;
                const pgas_u64 *entries[2];
                const pgas_u32 *partners;
                pgas_u64 slots[2];
                pgas_u32 windows[2], per_rank, host_rank, host_ranks, blocks, table_blocks;
                float per_rank_inverse;
            };
            """;
    /**
     * A line for each window and target that has an entry, for each own entry of block 0 in the tables of a rank, and for each
     * communicator the bits that are free once some are taken.
     */
    private static final String MAIN = """
            int main(int, char **argv) {
                pgas_world_data data = {};
                pgas_world_data *world = &data;
                world->host_ranks = atoi(argv[1]);
                world->per_rank = atoi(argv[2]);
                world->windows = atoi(argv[3]);
                world->windows_at = atoll(argv[4]);
                world->host_rank = atoi(argv[5]);
                world->partners = atoi(argv[6]);
                static pgas_context context;
                pgas_context *c = &context;
                c->world = world;
                c->area = (char *) calloc(world->windows_at, 1);
                world->segment = (pgas_u64) c->area;
                load(c, world);
                for (pgas_u32 r = 0; world->partners != 0 && r < world->host_ranks; r++) {
                    ((pgas_u32 *) c->partners)[r] = (pgas_u32) atoll(argv[7 + r]);
                }
                for (int window = -300; window < 1200; window++) {
                    for (int target = -2; target < (int) c->blocks + 2; target++) {
                        if (pgas_is_member(c, window, target)) {
                            printf("%d %d %lld\\n", window, target, (long long) ((char *) pgas_entry(c, window, target) - c->area));
                        }
                    }
                }
                for (pgas_u32 r = 0; r < world->host_ranks; r++) {
                    printf("own %llu\\n", pgas_own_entry(c, 0, r));
                }
                for (int comm = 0; comm < 2; comm++) {
                    c->slots[comm] = 5;
                    printf("free %llx\\n", free_windows(c, comm));
                }
            }
            """;

    @TempDir
    private static Path folder;
    private static HostProgram program;

    @BeforeAll
    static void compile() throws Exception {
        String library = DeviceLibrary.text(true);
        StringBuilder load = new StringBuilder("static void load(pgas_context *c, pgas_world_data *world) {\n");
        Matcher lines = Pattern.compile("(?m)^    c->(?:per_rank\\w*|host_ranks?|\\w*blocks|entries\\[\\w+\\]|windows\\[\\w+\\]|partners) = .*;$").matcher(library);
        int count = 0;
        for (; lines.find(); count++) {
            load.append(lines.group()).append('\n');
        }
        assertEquals(11, count, load.toString());
        Matcher free = Pattern.compile("(?m)^    pgas_u64 free = (.*);$").matcher(library);
        assertTrue(free.find());
        String functions = Stream.of("pgas_size", "pgas_host_of", "pgas_local_of", "pgas_here", "pgas_is_partner", "pgas_numbered_entry",
                "pgas_entry_number", "pgas_entry", "pgas_is_member", "pgas_own_entry").map(name -> HostProgram.function(library, name))
                .collect(Collectors.joining());
        Path file = Files.writeString(folder.resolve("windows.cpp"), BEFORE + DeviceConstants.text() + CONTEXT
                + HostProgram.function(library, "pgas_checked_in") + load.append("}\n") + "static pgas_u64 free_windows(pgas_context *c, int comm) {\n    return " + free.group(1) + ";\n}\n"
                + functions + MAIN);
        program = HostProgram.compile(file, "-std=c++17", "-Werror", "-Wno-unused-function");
    }

    private static List<String> found(BlockLayout layout, Partners partners) throws Exception {
        MemorySegment words = MemorySegment.ofArray(new int[layout.hostRanks()]);
        partners.write(words, 0);
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(layout.hostRanks()),
                Integer.toString(layout.perRank()), Integer.toString(layout.windows()), Long.toString(layout.windowsAt()),
                Integer.toString(partners.rank()), Integer.toString(layout.partners())));
        for (int r = 0; r < layout.hostRanks(); r++) {
            arguments.add(Long.toString(Integer.toUnsignedLong(words.getAtIndex(ValueLayout.JAVA_INT, r))));
        }
        return program.run(0, arguments).lines().toList();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 3, 8", "3, 2, 63", "2, 2, 64"})
    void shouldFindTheEntriesOfTheLayoutAndNoOthers(int hostRanks, int perRank, int windows) throws Exception {
        for (int rank = 0; rank < hostRanks; rank++) {
            verify(new BlockLayout(hostRanks, perRank, PacketRings.NONE, windows, 0), Partners.all(rank));
        }
    }

    /** Rank 3 of five has the partners 0 and 4, for which it is the first and the second; rank 1 has three, so there is room for four. */
    @Test
    void shouldFindTheEntriesOfPartnersAlone() throws Exception {
        int none = BlockLayout.NO_PLACE;
        Partners partners = new Partners(3, 4, new int[] {1, none, none, 0, 2}, new int[] {1, none, none, 0, 2});

        List<String> own = verify(new BlockLayout(5, 3, PacketRings.NONE, 2, 4), partners);

        assertEquals("own 0", own.get(1));
        assertEquals("own 0", own.get(2));
    }

    private static List<String> verify(BlockLayout layout, Partners partners) throws Exception {
        List<String> expected = new ArrayList<>();
        for (int window = 0; window < layout.windows(Comm.WORLD); window++) {
            for (int target = 0; target < layout.blocks(); target++) {
                int place = partners.here(target / layout.perRank());
                if (place != BlockLayout.NO_PLACE) {
                    expected.add(window + " " + target + " " + layout.windowEntry(window, place, target % layout.perRank()));
                }
            }
        }
        for (int slot = 0; slot < layout.windows(Comm.DEVICE); slot++) {
            int window = slot | BlockLayout.DEVICE_WINDOW;
            for (int target = 0; target < layout.perRank(); target++) {
                expected.add(window + " " + target + " " + layout.windowEntry(window, 0, target));
            }
        }
        int first = expected.size();
        for (int r = 0; r < layout.hostRanks(); r++) {
            expected.add("own " + (partners.has(r) ? layout.windowEntry(0, partners.there(r), 0) : 0));
        }

        List<String> found = found(layout, partners);

        assertEquals(expected, found.subList(0, found.size() - 2));
        return expected.subList(first, expected.size());
    }

    @Test
    void shouldGiveNumbersOfWindowsThatThereIsRoomFor() throws Exception {
        assertEquals(List.of("free fa", "free fffffffffffffffa"), free(8));
        assertEquals(List.of("free 0", "free fffffffffffffffa"), free(1));
        assertEquals(List.of("free fffffffffffffffa", "free fffffffffffffffa"), free(64));
    }

    private static List<String> free(int windows) throws Exception {
        List<String> found = found(new BlockLayout(2, 2, PacketRings.NONE, windows, 0), Partners.all(0));
        return found.subList(found.size() - 2, found.size());
    }
}
