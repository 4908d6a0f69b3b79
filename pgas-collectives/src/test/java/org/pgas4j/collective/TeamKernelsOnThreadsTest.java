package org.pgas4j.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.ReduceOp;

/**
 * The CUDA C++ of kernels in which members meet, compiled by g++ and run with a thread of the processor for each of theirs. Shows
 * that they follow the protocol; not that a GPU orders their loads and stores as it needs.
 */
class TeamKernelsOnThreadsTest {

    private static final int MEMBERS = 3;

    /** Instructions of PTX, by the beginning of their statement, and what does the same here. */
    private static final Map<String, String> PTX = Map.of(
            "mov.u64 %0, %%globaltimer", "now = time_ns();",
            "st.release.sys.global.u32", "store_flag(flag, epoch);",
            "ld.acquire.sys.global.u32", "found = load_flag(flag);",
            "st.volatile.global.v4.u32", "store_packet(to, word.half[0], epoch, word.half[1]);",
            "ld.volatile.global.v4.u32", "load_packet(from, data->half[0], first, data->half[1], second);");

    @TempDir
    private Path folder;

    private static String resource(String name) throws IOException {
        try (InputStream in = TeamKernelsOnThreadsTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The kernel in a namespace of its own, which calls are forwarded to. */
    private static String onThreads(String name, Kernel kernel, boolean hasRoot) {
        String text = kernel.cuda();
        for (Map.Entry<String, String> each : PTX.entrySet()) {
            text = text.replaceAll("asm volatile\\(\"" + java.util.regex.Pattern.quote(each.getKey()) + "[^;]*;(?:\"[^;]*;)?",
                    each.getValue());
        }
        assertFalse(text.contains("asm"), text);
        String areas = TeamKernelText.list(MEMBERS, "areas[", "], ") + "]";
        return "namespace in_" + name + " {\n" + text + "}\n"
                + "static void " + name + "(long long *dst, long long *src, char *own, char **areas, long long count,"
                + " long long stride, int me, int root) {\n    in_" + name + "::" + kernel.name()
                + "((in_" + name + "::pgas_element *) dst, (in_" + name + "::pgas_element *) src, own, " + areas
                + ", count, stride, me, 20000000000ll" + (hasRoot ? ", root" : "") + ");\n}\n";
    }

    private static String run(Path folder, List<String> command) throws Exception {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        process.destroyForcibly();
        return (ended ? process.waitFor() : "not at all") + ": " + Files.readString(log);
    }

    @Test
    @Tag("slow")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void shouldMixPacketsInAnyOrder() throws Exception {
        assumeTrue(System.getenv("PATH") != null && List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(each -> Files.isExecutable(Path.of(each, "g++"))), "g++ is missing, which compiles kernels");
        Path source = folder.resolve("mixed.cpp");
        Path program = folder.resolve("mixed");
        Files.writeString(source, resource("cuda_on_threads.h")
                + onThreads("broadcast", PacketKernels.broadcasting(ElementType.LONG, MEMBERS), true)
                + onThreads("combine", PacketKernels.combining(ElementType.LONG, ReduceOp.SUM, MEMBERS), false)
                + onThreads("broadcast_parts", PacketKernels.broadcastingParts(ElementType.LONG, MEMBERS), true)
                + onThreads("combine_parts", PacketKernels.combiningParts(ElementType.LONG, ReduceOp.SUM, MEMBERS), false)
                + onThreads("move", PacketKernels.moving(ElementType.LONG, MEMBERS), false)
                + "static const int MEMBERS = " + MEMBERS + ";\nstatic const long AREA_BYTES = " + DeviceArea.bytes(MEMBERS, 2)
                + ";\n" + resource("mixed_packets.cpp"));
        assertEquals("0: ", run(folder, List.of("g++", "-std=c++20", "-O1", "-pthread", "-Wno-unknown-pragmas", "-o",
                program.toString(), source.toString())));

        for (int seed = 1; seed <= 5; seed++) {
            assertEquals("0: right\n", run(folder, List.of(program.toString(), Integer.toString(seed))), "seed " + seed);
        }
    }
}
