package org.pgas4j.helper.resident;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Kernel;

/** The same of the CUDA C++: on the host, by g++, where the threads of the block take turns; and nvcc compiles it for GPUs. */
@Tag("slow")
class ResidentCudaTest extends ResidentBlockTest {

    private static final String ENTRY = """

            struct resident_arguments { unsigned char *area; long long first, launch, idle_ns, life_ns; int staging_bytes; };

            static void resident_thread(void *arguments) {
                resident_arguments *all = (resident_arguments *) arguments;
                pgas_resident_block(all->area, all->first, all->launch, all->idle_ns, all->life_ns, all->staging_bytes);
            }

            extern "C" void resident_run(unsigned char *area, long long first, long long launch, long long idle_ns,
                                         long long life_ns, int staging_bytes) {
                resident_arguments all = {area, first, launch, idle_ns, life_ns, staging_bytes};
                one_block_run(PGAS_RESIDENT_THREADS, resident_thread, &all);
            }
            """;

    @TempDir
    private static Path folder;
    private static MethodHandle run;

    @BeforeAll
    @SuppressWarnings("restricted")
    static void compile() throws Exception {
        assumeTrue(isOnPath("g++"), "g++ is missing, which compiles the kernel for the host");
        String source = read("one-block.h") + ResidentKernel.KERNEL.cuda()
                .replace("asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(now));", "now = one_block_now();")
                .replace("asm volatile(\"trap;\");", "abort();") + ENTRY;
        Path file = Files.writeString(folder.resolve("resident.cpp"), source);
        Path library = folder.resolve("libresident.so");
        compileBy("g++", "-std=c++17", "-O1", "-fno-strict-aliasing", "-w", "-shared", "-fPIC", "-o",
                library.toString(), file.toString());
        run = Linker.nativeLinker().downcallHandle(
                SymbolLookup.libraryLookup(library, Arena.global()).findOrThrow("resident_run"),
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
    }

    private static boolean isOnPath(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    private static String read(String name) throws IOException {
        try (InputStream in = ResidentCudaTest.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void compileBy(String... command) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        Process compiler = new ProcessBuilder(List.of(command)).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!compiler.waitFor(200, TimeUnit.SECONDS)) {
            compiler.destroyForcibly();
        }
        assertEquals(0, compiler.waitFor(), Files.readString(log));
    }

    @Override
    Kernel kernel() {
        return new Kernel(ResidentKernel.KERNEL.name(), ResidentKernel.KERNEL.cuda(), (at, args) -> {
            if (at.thread() == 0) {
                runBlock(args);
            }
        });
    }

    private static void runBlock(Kernel.Args args) {
        try {
            run.invokeExact(args.segment(0).address(), args.longAt(1), args.longAt(2), args.longAt(3), args.longAt(4),
                    args.intAt(5));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldCompileForGpus() throws Exception {
        assumeTrue(isOnPath("nvcc"), "nvcc is missing, which compiles CUDA C++");
        Path file = Files.writeString(folder.resolve("resident.cu"), ResidentKernel.KERNEL.cuda());
        compileBy("nvcc", "-std=c++17", "-arch=sm_90", "--fmad=false", "-Werror", "all-warnings", "-ptx", "-o",
                folder.resolve("resident.ptx").toString(), file.toString());
    }
}
