package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The device library's all-reduces by packets, compiled by g++ for the host, where members are threads. */
class SplitPacketsTest {

    private static final String PACKETS = DeviceLibrary.read("pgas_split_packets.cuh");
    /** Of a wait; a machine that is busy takes more of them than one that is not. */
    private static final String FOREVER = "1000000000";
    private static final String SOON = "20000";
    private static final int LATE = 3;

    @TempDir
    private Path folder;

    private String run(String packets, int status, String looks) throws Exception {
        String library = DeviceLibrary.text(true);
        String defines = DeviceLibrary.read("pgas_packets.cuh").lines().filter(line -> line.startsWith("#define"))
                .collect(Collectors.joining("\n"));
        Files.writeString(folder.resolve("constants.h"), DeviceConstants.text() + defines + "\n");
        Files.writeString(folder.resolve("device.h"), HostProgram.struct(library, "pgas_split_data")
                + HostProgram.function(library, "pgas_is_complete") + HostProgram.function(library, "pgas_packets_for") + packets);
        Path source = Files.writeString(folder.resolve("split_packets.cpp"), DeviceLibrary.read("split_packets.cpp"));
        return HostProgram.compile(source, "-std=c++20", "-O1", "-Wno-unknown-pragmas", "-Wno-parentheses", "-pthread")
                .run(status, List.of(looks));
    }

    @Test
    void shouldSumInTheOrderOfTheMembers() throws Exception {
        assertEquals("wrong 0, staged some\n", run(PACKETS, 0, FOREVER));
    }

    /** A round without elements, in which nobody waits, lets a member store over packets that another has not read. */
    @Test
    void shouldNoticeAMemberThatRunsAhead() throws Exception {
        String planted = PACKETS.replace("} else if (count != 0) {", "} else {");
        assertNotEquals(PACKETS, planted);

        assertTrue(run(planted, LATE, SOON).startsWith("late: member "));
    }
}
