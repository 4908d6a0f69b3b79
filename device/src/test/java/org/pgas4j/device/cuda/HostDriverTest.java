package org.pgas4j.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.DeviceMemory;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorGraph;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceBackend;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.select.Devices;

/** Streams of the CUDA backend in a JVM whose driver is the host: what they ask it to do, and that the data arrives. */
@Tag("slow")
@Timeout(120)
class HostDriverTest {

    private static final long LIMIT_NS = 20_000_000_000L;

    @TempDir
    private Path folder;

    /** Passes messages of some sizes to and fro between two streams, one by one and from a graph; prints what is wrong. */
    public static final class Messages {

        private static final int ROUNDS = 3;

        private Messages() {
        }

        public static void main(String[] args) {
            long bytes = Long.parseLong(args[1]);
            try (DeviceBackend backend = Devices.probeCuda("none", 1).backend().orElseThrow(); Arena arena = Arena.ofConfined()) {
                Accelerator device = backend.open(0);
                device.bind();
                try (AcceleratorStream one = stream(device, args[0]); AcceleratorStream two = stream(device, args[0]);
                     PinnedMemory words = device.allocatePinned(64); DeviceMemory memory = device.allocate(3 * bytes, false)) {
                    MemorySegment word = words.segment().fill((byte) 0);
                    MemorySegment host = arena.allocate(bytes);
                    MemorySegment back = arena.allocate(bytes);
                    for (long i = 0; i < bytes; i++) {
                        host.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + 7));
                    }
                    one.copyIn(memory, 0, host, 0, bytes);
                    System.err.println("one by one");
                    for (int i = 0; i < ROUNDS; i++) {
                        there(one, memory, bytes, word);
                        back(two, memory, bytes, word);
                    }
                    System.err.println("from a graph");
                    try (AcceleratorGraph leads = one.capture(on -> there(on, memory, bytes, word));
                         AcceleratorGraph follows = two.capture(on -> back(on, memory, bytes, word))) {
                        for (int i = 0; i < ROUNDS; i++) {
                            one.launch(leads);
                            two.launch(follows);
                        }
                        System.err.println("end");
                        one.copyOut(back, 0, memory, 2 * bytes, bytes);
                        boolean ended = one.sync(System.nanoTime() + LIMIT_NS) && two.sync(System.nanoTime() + LIMIT_NS);
                        System.out.println(ended + " " + host.mismatch(back) + " " + word.get(ValueLayout.JAVA_LONG, 0) + " "
                                + word.get(ValueLayout.JAVA_LONG, 8));
                    }
                }
            }
        }

        private static AcceleratorStream stream(Accelerator device, String kind) {
            return switch (kind) {
                case "usual" -> device.newStream();
                case "low-latency" -> device.newLowLatencyStream(true, LIMIT_NS);
                default -> device.newLowLatencyStream(false, LIMIT_NS); // others compute on the device
            };
        }

        private static void there(AcceleratorStream on, DeviceMemory memory, long bytes, MemorySegment word) {
            on.copyAndWrite(memory, bytes, memory, 0, bytes, word, 0, 5);
            on.takeNonZero(word, 8);
        }

        private static void back(AcceleratorStream on, DeviceMemory memory, long bytes, MemorySegment word) {
            on.takeNonZero(word, 0);
            on.copyAndWrite(memory, 2 * bytes, memory, bytes, bytes, word, 8, 6);
        }
    }

    private void buildDriver() throws IOException, InterruptedException {
        Path source = folder.resolve("driver.cpp");
        try (InputStream in = HostDriverTest.class.getResourceAsStream("host_driver.cpp")) {
            Files.copy(in, source);
        }
        Process compiler;
        try {
            compiler = new ProcessBuilder("g++", "-std=c++17", "-shared", "-fPIC", "-pthread", "-o",
                    folder.resolve("libcuda.so.1").toString(), source.toString()).redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "g++ is missing: " + e.getMessage());
            return;
        }
        String said = new String(compiler.getInputStream().readAllBytes());
        assertTrue(compiler.waitFor(60, TimeUnit.SECONDS) && compiler.exitValue() == 0, said);
        Files.copy(folder.resolve("libcuda.so.1"), folder.resolve("libnvrtc.so.13"));
    }

    /** Lines of the driver, one for each call that queues part of a message. */
    private List<String> messages(String kind, long bytes) throws IOException, InterruptedException {
        Path said = folder.resolve("said");
        Path asked = folder.resolve("asked");
        ProcessBuilder builder = new ProcessBuilder(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("surefire.test.class.path",
                System.getProperty("java.class.path")), Messages.class.getName(), kind, String.valueOf(bytes)))
                .redirectOutput(said.toFile()).redirectError(asked.toFile());
        builder.environment().put("LD_LIBRARY_PATH", folder.toString());
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        builder.environment().remove("CUDA_VISIBLE_DEVICES");
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "did not end");
        } finally {
            process.destroyForcibly();
        }
        List<String> lines = Files.readAllLines(asked);
        assertEquals("true -1 0 0", Files.readString(said).strip(), lines.toString());
        return lines;
    }

    private static List<String> between(List<String> lines, String from, String to) {
        return lines.subList(lines.indexOf(from) + 1, lines.indexOf(to));
    }

    private static List<String> times(int count, String... lines) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.addAll(List.of(lines));
        }
        return all;
    }

    private static String kernel(String what, int blocks, int threads, int priority) {
        return "driver: " + what + " of " + blocks + " x " + threads + ", priority " + priority;
    }

    @Test
    void shouldPassMessagesByTheCallsOfEachKindOfStream() throws Exception {
        buildDriver();
        String wait = kernel("early kernel pgas_message_await", 1, 32, -5);
        String write = kernel("early kernel pgas_message_send", 1, 32, -5);
        String large = kernel("early kernel pgas_message_send", 1, 512, -5);
        String copy = kernel("kernel pgas_copy", 25, 256, -5);

        List<String> usual = messages("usual", 40_000);
        assertEquals(times(Messages.ROUNDS, "driver: copy of 40000", "driver: write", "driver: wait", "driver: write",
                "driver: wait", "driver: write", "driver: copy of 40000", "driver: write"),
                between(usual, "one by one", "from a graph"));
        assertEquals(List.of("driver: copy of 40000", "driver: write", "driver: wait", "driver: write", "driver: graph of 4, flags 8",
                "driver: wait", "driver: write", "driver: copy of 40000", "driver: write", "driver: graph of 4, flags 8"),
                between(usual, "from a graph", "end"));

        List<String> small = messages("low-latency", 8);
        assertEquals(times(Messages.ROUNDS, write, wait, wait, write), between(small, "one by one", "from a graph"));
        assertEquals(List.of(write, wait, "driver: graph of 2, flags 8", wait, write, "driver: graph of 2, flags 8"),
                between(small, "from a graph", "end"));

        List<String> middle = messages("low-latency", 40_000);
        assertEquals(times(Messages.ROUNDS, large, wait, wait, large), between(middle, "one by one", "from a graph"));
        assertEquals(List.of(kernel("kernel pgas_copy", 10, 256, -5), write, wait, "driver: graph of 3, flags 8", wait,
                kernel("kernel pgas_copy", 10, 256, -5), write, "driver: graph of 3, flags 8"), between(middle, "from a graph", "end"));

        assertEquals(times(Messages.ROUNDS, copy, write, wait, wait, copy, write),
                between(messages("low-latency", 100_000), "one by one", "from a graph"));

        assertEquals(times(Messages.ROUNDS, large, "driver: wait", "driver: write", "driver: wait", "driver: write", large),
                between(messages("beside others", 40_000), "one by one", "from a graph"));
    }
}
