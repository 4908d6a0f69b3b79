package org.pgas4j.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.MemoryKind;

@Tag("multiprocess")
@Timeout(300)
@Tag("slow")
class ChronicleNodeDirectoryTest {

    /** The directory gives up after a quarter of a second, on a machine that runs it; one that waits for a dead JVM's lock, a minute. */
    private static final long ANSWER_MS = 30_000;

    @TempDir
    private Path folder;

    private static Process start(String what, Path file) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(arg -> arg.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Dchronicle.analytics.disable=true", "-cp",
                System.getProperty("java.class.path"), DirectoryProgram.class.getName(), what, file.toString()));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private static String line(Process process) throws IOException {
        try (BufferedReader output = output(process)) {
            return output.readLine();
        }
    }

    @Test
    void shouldAnswerNothingAndReturnAtOnceWhileItOpens() {
        long start = System.nanoTime();
        try (ChronicleNodeDirectory directory = ChronicleNodeDirectory.open(folder.resolve("map"), true, 4, 30_000)) {
            assertTrue(directory.lookup(0, MemoryKind.HOST).isEmpty());
            assertFalse(directory.publish(EntryCodecTest.entry(0, MemoryKind.HOST, new byte[0])));
        }
        assertTrue(System.nanoTime() - start < ANSWER_MS * 1_000_000);
    }

    /** As the class does that Chronicle generates and compiles where it does not find ours. */
    @Test
    void shouldLayOutTheMapsStateAsChronicleDoes() throws Exception {
        Process program = start("generated", folder);

        assertEquals(DirectoryProgram.filled(new GlobalMutableState()), line(program));
        assertTrue(program.waitFor(30, TimeUnit.SECONDS));
    }

    @Test
    void shouldKeepTheFieldsOfTheStateApartAndCheckThem() {
        GlobalMutableState state = new GlobalMutableState();
        String before = DirectoryProgram.filled(state);

        state.setExtraTiersInUse((1L << 40) - 1);
        state.setExtraTiersInUse(0x0807_0605_04L);
        assertEquals(before, DirectoryProgram.bytes(state));
        assertEquals(0x030201, state.getAllocatedExtraTierBulks());
        assertEquals(0x0908_0706_05L, state.getFirstFreeTierIndex());
        assertEquals(0xfffe_fdfcL, state.getSegmentHeadersOffset());
        assertEquals(1L << 40, state.addDataStoreSize((1L << 40) - state.getDataStoreSize()));
        assertThrows(IllegalArgumentException.class, () -> state.setFirstFreeTierIndex(1L << 40));
        assertThrows(IllegalArgumentException.class, () -> state.setAllocatedExtraTierBulks(-1));
        assertThrows(ArithmeticException.class, () -> state.addDataStoreSize(Long.MAX_VALUE));
        GlobalMutableState other = new GlobalMutableState();
        DirectoryProgram.filled(other);
        other.copyFrom(state);
        assertEquals(DirectoryProgram.bytes(state), DirectoryProgram.bytes(other));
    }

    @Test
    void shouldReadWhatAnotherJvmWroteAndKeepWhatWasPublishedEarly() throws Exception {
        Path file = folder.resolve("map");
        ChronicleNodeDirectory directory = DirectoryProgram.patient(file, true);
        directory.publish(EntryCodecTest.entry(1, MemoryKind.HOST, new byte[0]));
        Process reader = start("read", file);

        assertEquals("read 4711", line(reader));
        assertTrue(reader.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, reader.exitValue());
        assertTrue(directory.publish(EntryCodecTest.entry(2, MemoryKind.DEVICE, new byte[64])));
        assertEquals(64, directory.lookup(2, MemoryKind.DEVICE).orElseThrow().token().length);
        assertTrue(directory.lookup(3, MemoryKind.HOST).isEmpty());
        directory.close();
        assertTrue(directory.lookup(1, MemoryKind.HOST).isEmpty());
    }

    @Test
    void shouldAnswerInTimeAfterTheWriterWasKilled() throws Exception {
        Path file = folder.resolve("map");
        Process writer = start("write", file);
        try (BufferedReader output = output(writer)) {
            assertEquals("writing", output.readLine());
            ChronicleNodeDirectory directory = DirectoryProgram.opened(file, false);
            Thread.sleep(50);
            writer.destroyForcibly().waitFor();
            for (int i = 0; i < 8; i++) {
                long start = System.nanoTime();
                directory.lookup(i % 4, MemoryKind.HOST);
                directory.publish(EntryCodecTest.entry(i % 4, MemoryKind.HOST, new byte[64]));
                assertTrue(System.nanoTime() - start < 2 * ANSWER_MS * 1_000_000);
            }
            long start = System.nanoTime();
            directory.close();
            assertTrue(System.nanoTime() - start < ANSWER_MS * 1_000_000);
        } finally {
            writer.destroyForcibly();
        }
    }

    @Test
    void shouldAnswerInTimeFromACorruptedFile() throws Exception {
        assertSpoiled("corrupt");
    }

    @Test
    void shouldAnswerInTimeFromATruncatedFile() throws Exception {
        assertSpoiled("truncate");
    }

    /**
     * One byte changed, before it is opened or after, a file that is cut, or made by two at once; {@link DirectoryMain} does a
     * thousand.
     */
    @Test
    void shouldAnswerRightOrNothingWhateverIsSpoiled() throws Exception {
        Process program = start("trials", folder);
        String line = line(program);

        assertTrue(program.waitFor(60, TimeUnit.SECONDS), "did not end");
        assertEquals(0, program.exitValue(), line);
        assertTrue(line.startsWith("directory: 40 trials"), line);
    }

    private void assertSpoiled(String how) throws Exception {
        Process program = start(how, folder.resolve("map"));
        String line = line(program);

        assertTrue(program.waitFor(60, TimeUnit.SECONDS), "did not end");
        assertEquals(0, program.exitValue());
        assertTrue(line.startsWith("found 0 worst "), line);
        assertTrue(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)) <= ANSWER_MS, line);
    }
}
