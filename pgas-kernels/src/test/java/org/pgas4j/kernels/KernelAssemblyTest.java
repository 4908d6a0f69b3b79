package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.kernel.KernelThread;
import org.pgas4j.kernel.ThreadKernel;

/** Instructions that NVIDIA's compiler makes of kernels; skipped where there is no {@code nvcc}. */
class KernelAssemblyTest {

    private static final long TIMEOUT_S = 300;
    private static final int SIDE = 32;

    @TempDir
    private Path folder;

    /** Rows of a matrix in private arrays, times vectors, which all threads of a warp read. */
    private static TranslatedKernel products() {
        Buffer a = buffer();
        Buffer x = buffer();
        Buffer y = buffer();
        long vectors = 1;
        ThreadKernel kernel = self -> {
            float[] row = new float[SIDE];
            load(a, self.lane(), row);
            multiply(self, row, x, y, vectors);
        };
        return KernelTranslator.translate(kernel, KernelForm.GRID);
    }

    private static void load(Buffer a, int i, float[] row) {
        for (int k = 0; k < SIDE; k++) {
            row[k] = a.getFloat(SIDE * k + i);
        }
    }

    private static void multiply(KernelThread self, float[] row, Buffer x, Buffer y, long vectors) {
        for (long v = self.warp(); v < vectors; v += self.threads() / SIDE) {
            float sum = 0;
            for (int k = 0; k < SIDE; k++) {
                sum += row[k] * x.getFloat(v * SIDE + k);
            }
            y.putFloat(v * SIDE + self.lane(), sum);
        }
    }

    private static Buffer buffer() {
        return Buffer.ofHost(MemorySegment.ofArray(new float[SIDE]), ElementType.FLOAT);
    }

    private static Optional<Path> nvcc() {
        return Stream.concat(Stream.of(System.getenv("PATH").split(":")), Stream.of("/usr/local/cuda/bin"))
                .map(path -> Path.of(path, "nvcc")).filter(Files::isExecutable).findFirst();
    }

    private String ptx(TranslatedKernel kernel) throws IOException, InterruptedException {
        compile(kernel, "-ptx");
        return Files.readString(folder.resolve("kernel.out"), StandardCharsets.UTF_8);
    }

    /** Compiles a kernel; returns what the compiler prints. */
    private String compile(TranslatedKernel kernel, String... options) throws IOException, InterruptedException {
        Optional<Path> nvcc = nvcc();
        Assumptions.assumeTrue(nvcc.isPresent(), "nvcc is missing, which compiles kernels for GPUs");
        Path source = Files.writeString(folder.resolve("kernel.cu"), kernel.cuda());
        Path log = folder.resolve("nvcc.log");
        List<String> command = new ArrayList<>(List.of(nvcc.get().toString(), "-arch=sm_90", "-std=c++17", "-w", "-o",
                folder.resolve("kernel.out").toString(), source.toString()));
        command.addAll(List.of(options));
        command.addAll(kernel.options(256));
        Process compiler = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!compiler.waitFor(TIMEOUT_S, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            compiler.destroyForcibly();
            throw new AssertionError("nvcc refuses the kernel:\n" + Files.readString(log, StandardCharsets.UTF_8));
        }
        return Files.readString(log, StandardCharsets.UTF_8);
    }

    /** The kernel alone, without functions that it calls. */
    private static String entry(String ptx) {
        return ptx.substring(ptx.indexOf(".entry"));
    }

    private static int count(String text, String pattern) {
        return text.split(pattern, -1).length - 1;
    }

    @Test
    void shouldKeepPrivateArraysInRegistersBesideCheckedLoops() throws Exception {
        String ptx = entry(ptx(products()));
        assertEquals(0, count(ptx, "\\.local"), "uses of memory of the thread");
    }

    /** 48 registers are five blocks of 256 threads on a multiprocessor; with checked loops beside the others it had 55, and four. */
    @Test
    void shouldGiveNoRegistersToCheckedLoops() throws Exception {
        String log = compile(products(), "-cubin", "-Xptxas", "-v");
        int registers = Pattern.compile("Used (\\d+) registers").matcher(log).results()
                .mapToInt(found -> Integer.parseInt(found.group(1))).max().orElseThrow();
        assertTrue(registers <= 48, registers + " registers");
    }

    /** The assembler moves such loads ahead of stores, so that those of several rounds of a loop are under way at once. */
    @Test
    void shouldKnowThatNobodyWritesWhatAKernelReads() throws Exception {
        Buffer x = buffer();
        Buffer z = buffer();
        ThreadKernel kernel = self -> {
            for (long i = self.global(); i < SIDE; i += self.globals()) {
                z.putFloat(i, 2 * x.getFloat(i));
            }
        };
        String ptx = ptx(KernelTranslator.translate(kernel, KernelForm.GRID));
        assertEquals(0, count(ptx, "ld\\.global\\.f32"), "loads of memory that may change");
        assertTrue(count(ptx, "ld\\.global\\.nc\\.f32") >= 4, "loads of memory that nobody writes");
    }

    /** Else the assembler makes a conversion from int of it, and loses the sign. */
    @Test
    void shouldNotChooseBetweenConstantsOfWhichOneIsNegativeZero() throws Exception {
        Buffer x = buffer();
        ThreadKernel kernel = self -> x.putFloat(0, x.getFloat(0) > 3 ? -1f : -0f);
        TranslatedKernel translated = KernelTranslator.translate(kernel, KernelForm.GRID);
        assertTrue(translated.cuda().contains("pgas_negative_zero();"), translated.cuda());
        assertEquals(0, count(entry(ptx(translated)), "0f80000000"), "constants that are negative zero");
    }
}
