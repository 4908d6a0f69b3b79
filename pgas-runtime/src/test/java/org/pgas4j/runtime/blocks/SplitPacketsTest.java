package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The device library's all-reduces by packets, compiled by g++ for the host, where members are threads. */
class SplitPacketsTest {

    private static final String PACKETS = "pgas_split_packets.cuh";
    /** Of a wait; a machine that is busy takes more of them than one that is not. */
    private static final String FOREVER = "1000000000";
    private static final String SOON = "20000";
    private static final int LATE = 3;

    @TempDir
    private Path folder;

    private static String read(String name) throws IOException {
        try (InputStream in = DeviceLibrary.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** One piece of the library: a struct or a function. */
    private static String part(String file, String begin) throws IOException {
        Matcher found = Pattern.compile("(?ms)^" + begin + "\\b[^;]*?\\{\n.*?^\\};?$").matcher(read(file));
        assertTrue(found.find(), begin);
        return found.group() + "\n";
    }

    private String run(int status, String... command) throws Exception {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(100, TimeUnit.SECONDS), () -> String.join(" ", command));
        } finally {
            process.destroyForcibly();
        }
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertEquals(status, process.exitValue(), text);
        return text;
    }

    private String run(String packets, int status, String looks) throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/g++")), "g++ is missing");
        String defines = read("pgas_packets.cuh").lines().filter(line -> line.startsWith("#define")).collect(Collectors.joining("\n"));
        Files.writeString(folder.resolve("constants.h"), DeviceConstants.text() + defines + "\n");
        Files.writeString(folder.resolve("device.h"), part("pgas_split.cuh", "struct pgas_split_data")
                + part("pgas_packets.cuh", "PGAS_FN bool pgas_is_complete") + part("pgas_packets.cuh", "PGAS_FN pgas_u32 pgas_packets_for")
                + packets);
        Path source = Files.writeString(folder.resolve("split_packets.cpp"), read("split_packets.cpp"));
        Path program = folder.resolve("split_packets");
        run(0, "/usr/bin/g++", "-std=c++20", "-O1", "-Wall", "-Wno-unknown-pragmas", "-Wno-parentheses", "-pthread", "-o",
                program.toString(), source.toString());
        return run(status, program.toString(), looks);
    }

    @Test
    void shouldSumInTheOrderOfTheMembers() throws Exception {
        assertEquals("wrong 0, staged some\n", run(read(PACKETS), 0, FOREVER));
    }

    /** A round without elements, in which nobody waits, lets a member store over packets that another has not read. */
    @Test
    void shouldNoticeAMemberThatRunsAhead() throws Exception {
        String packets = read(PACKETS);
        String planted = packets.replace("} else if (count != 0) {", "} else {");
        assertNotEquals(packets, planted);

        assertTrue(run(planted, LATE, SOON).startsWith("late: member "));
    }
}
