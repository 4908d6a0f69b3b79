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
    private static final int SEEDS = 5;

    /** Instructions of PTX, by the beginning of their statement, and what does the same here. */
    private static final Map<String, String> PTX = Map.of(
            "griddepcontrol.wait", "", // no kernel is before or behind
            "griddepcontrol.launch_dependents", "",
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

    /** The kernel's text in a namespace of its own. */
    private static String onThreads(String name, Kernel kernel) {
        String text = kernel.cuda();
        for (Map.Entry<String, String> each : PTX.entrySet()) {
            text = text.replaceAll("asm volatile\\(\"" + java.util.regex.Pattern.quote(each.getKey()) + "[^;]*;(?:\"[^;]*;)?",
                    each.getValue());
        }
        assertFalse(text.contains("asm"), text);
        return "namespace in_" + name + " {\n" + text + "}\n";
    }

    private static String list(String array, int count) {
        return TeamKernelText.list(count, array + "[", "], ") + "]";
    }

    /** A kernel of packets, which calls are forwarded to. */
    private static String packets(String name, Kernel kernel, boolean hasRoot) {
        return onThreads(name, kernel)
                + "static void " + name + "(long long *dst, long long *src, char *own, char **areas, long long count,"
                + " long long stride, int me, int root) {\n    in_" + name + "::" + kernel.name()
                + "((in_" + name + "::pgas_element *) dst, (in_" + name + "::pgas_element *) src, own, " + list("areas", MEMBERS)
                + ", count, stride, me, 20000000000ll" + (hasRoot ? ", root" : "") + ");\n}\n";
    }

    /** A kernel that reads and writes memory of members, which calls are forwarded to. */
    private static String direct(String name, Kernel kernel, int sources, int destinations) {
        String element = "in_" + name + "::pgas_element *";
        return onThreads(name, kernel)
                + "static void " + name + "(char *own, char **areas, void **from, void **to, long long count, int me) {\n"
                + "    in_" + name + "::" + kernel.name() + "(own, " + list("areas", MEMBERS) + ", "
                + list("(" + element + ") from", sources) + ", " + list("(" + element + ") to", destinations)
                + ", count, me, 20000000000ll);\n}\n";
    }

    /** A kernel that writes to members, which calls are forwarded to. */
    private static String pushed(String name, Kernel kernel) {
        String element = "in_" + name + "::pgas_element *";
        return onThreads(name, kernel)
                + "static void " + name + "(char *own, char **areas, void **from, void **to, long long each, long long count,"
                + " long long chunk, long long pushed, int me) {\n"
                + "    in_" + name + "::" + kernel.name() + "(own, " + list("areas", MEMBERS) + ", "
                + list("(" + element + ") from", MEMBERS) + ", " + list("(" + element + ") to", MEMBERS)
                + ", each, count, chunk, pushed, me, 20000000000ll);\n}\n";
    }

    private static String memory() {
        return "static const int MEMBERS = " + MEMBERS + ";\nstatic const long AREA_BYTES = " + DeviceArea.bytes(MEMBERS, MEMBERS, MEMBERS)
                + ", PUSHED = " + DeviceArea.bytes(MEMBERS, MEMBERS, 0) + ";\n";
    }

    private static String run(Path folder, List<String> command) throws Exception {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        process.destroyForcibly();
        return (ended ? process.waitFor() : "not at all") + ": " + Files.readString(log);
    }

    private void rightForEverySeed(String text) throws Exception {
        assumeTrue(System.getenv("PATH") != null && List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(each -> Files.isExecutable(Path.of(each, "g++"))), "g++ is missing, which compiles kernels");
        Path source = folder.resolve("mixed.cpp");
        Path program = folder.resolve("mixed");
        Files.writeString(source, text);
        assertEquals("0: ", run(folder, List.of("g++", "-std=c++20", "-O1", "-pthread", "-Wno-unknown-pragmas", "-o",
                program.toString(), source.toString())));
        for (int seed = 1; seed <= SEEDS; seed++) {
            assertEquals("0: right\n", run(folder, List.of(program.toString(), Integer.toString(seed))), "seed " + seed);
        }
    }

    @Test
    @Tag("slow")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void shouldMixPacketsInAnyOrder() throws Exception {
        rightForEverySeed(resource("cuda_on_threads.h")
                + packets("broadcast", PacketKernels.broadcasting(ElementType.LONG, MEMBERS), true)
                + packets("combine", PacketKernels.combining(ElementType.LONG, ReduceOp.SUM, MEMBERS), false)
                + packets("broadcast_parts", PacketKernels.broadcastingParts(ElementType.LONG, MEMBERS), true)
                + packets("combine_parts", PacketKernels.combiningParts(ElementType.LONG, ReduceOp.SUM, MEMBERS), false)
                + packets("move", PacketKernels.moving(ElementType.LONG, MEMBERS), false)
                + memory() + resource("mixed_packets.cpp"));
    }

    /** Of 16 bits, so that vectors have several elements and vectors that are not aligned are many. */
    @Test
    @Tag("slow")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void shouldReadAndWriteTheMembersMemory() throws Exception {
        rightForEverySeed(resource("cuda_on_threads.h")
                + direct("combine", DirectKernels.combining(ElementType.SHORT, ReduceOp.SUM, MEMBERS, MEMBERS), MEMBERS, MEMBERS)
                + direct("move", DirectKernels.moving(ElementType.SHORT, MEMBERS, MEMBERS, 1), MEMBERS, 1)
                + direct("pass_on", DirectKernels.moving(ElementType.SHORT, MEMBERS, 1, MEMBERS - 1), 1, MEMBERS - 1)
                + pushed("push", PushKernels.combining(ElementType.SHORT, ReduceOp.SUM, MEMBERS))
                + memory() + resource("direct.cpp"));
    }
}
