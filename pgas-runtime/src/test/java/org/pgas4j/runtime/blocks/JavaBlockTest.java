package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.KernelException;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.kernels.BlockLibrary;
import org.pgas4j.kernels.KernelForm;
import org.pgas4j.kernels.KernelScan;
import org.pgas4j.kernels.ScannedKernel;
import org.pgas4j.testkit.Testkit;

/** Block programs written in Java: on the host device with ranks as threads, and their C++ by CUDA's compiler. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class JavaBlockTest {

    @ParameterizedTest(name = "ranks {0}, devices {1}")
    @CsvSource({"1, 1", "2, 2"})
    void shouldKeepTheContract(int ranks, int devices) {
        List<String> words = List.of("contract", "java-blocks");
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST).set(PgasKey.HOST_DEVICES, Integer.toString(devices));

        Pgas.run(config, words, Testkit::run);
    }

    private static List<ScannedKernel> programs() {
        return KernelScan.of("org.pgas4j.testkit.contract.JavaBlockPrograms", JavaBlockTest.class.getClassLoader()).stream()
                .filter(kernel -> kernel.form() == KernelForm.BLOCKS).toList();
    }

    @Test
    void shouldTranslateAllProgramsOfTheContract() {
        List<ScannedKernel> programs = programs();

        assertFalse(programs.isEmpty());
        for (ScannedKernel program : programs) {
            assertEquals(null, program.refusal());
        }
    }

    /** As a GPU writes it down: the exception of the place is the cause. */
    @Test
    void shouldReportAFaultOfAProgram() {
        try (Arena arena = Arena.ofConfined()) {
            HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, Long.BYTES));
            page.set(HostPage.ERROR_BLOCK, 1);
            page.set(HostPage.ERROR, BlockFailure.FAULTED);
            RuntimeException fault = new ArithmeticException("division by zero at Program.main(Program.java:7)");

            RuntimeException e = BlockFailure.of(page, "Program.main", 2, 8, 1_000_000, fault);

            assertTrue(BlockFailure.isOfJava(page));
            assertEquals("rank 2 block 9, program Program.main: division by zero at Program.main(Program.java:7)", e.getMessage());
            assertEquals(KernelException.class, e.getClass());
            assertSame(fault, e.getCause());
        }
    }

    /** One file with all programs would define the library more than once, so each is compiled alone. */
    @Test
    @Tag("slow")
    void shouldCompileForGpus(@TempDir Path folder) throws IOException, InterruptedException {
        Assumptions.assumeTrue(Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, "nvcc"))),
                "nvcc is missing, which compiles CUDA C++");
        for (ScannedKernel program : programs()) {
            String source = BlockLibrary.find().orElseThrow().expand(program.name(), program.cuda());
            Path file = Files.writeString(folder.resolve(program.name() + ".cu"), source);
            Path log = folder.resolve(program.name() + ".log");
            Process compiler = new ProcessBuilder("nvcc", "-std=c++17", "-arch=sm_90", "--fmad=false", "-w", "-ptx", "-o",
                    folder.resolve("program.ptx").toString(), file.toString()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
            if (!compiler.waitFor(200, TimeUnit.SECONDS)) {
                compiler.destroyForcibly();
            }
            assertEquals(0, compiler.waitFor(), () -> "nvcc refuses " + program.origin() + ":\n" + read(log));
        }
    }

    private static String read(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
