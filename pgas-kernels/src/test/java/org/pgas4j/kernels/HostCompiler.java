package org.pgas4j.kernels;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Compiles the C++ of kernels for this machine, so that a test can run it where there is no GPU. */
@SuppressWarnings("restricted")
final class HostCompiler {

    private static final long TIMEOUT_S = 300;

    private HostCompiler() {
    }

    /** The functions of {@code source}, until the arena is closed; skips the test where there is no g++. */
    static SymbolLookup compile(String source, Path folder, Arena arena) throws IOException, InterruptedException {
        return compile(source, "-O1", folder, arena);
    }

    /** The same with another option of optimization than {@code -O1}. */
    static SymbolLookup compile(String source, String optimization, Path folder, Arena arena)
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(exists(), "g++ is missing, which compiles the C++ of kernels");
        Path file = Files.writeString(folder.resolve("kernel.cpp"), source);
        Path library = folder.resolve("kernel.so");
        Path log = folder.resolve("g++.log");
        Process compiler = new ProcessBuilder("g++", "-std=c++17", optimization, "-fwrapv", "-ffp-contract=off",
                "-fno-fast-math", "-shared", "-fPIC", "-o", library.toString(), file.toString()).redirectErrorStream(true)
                        .redirectOutput(log.toFile()).start();
        if (!compiler.waitFor(TIMEOUT_S, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
            compiler.destroyForcibly();
            throw new AssertionError("g++ refuses the kernel:\n" + Files.readString(log, StandardCharsets.UTF_8) + "\n" + source);
        }
        return SymbolLookup.libraryLookup(library, arena);
    }

    private static boolean exists() {
        for (String folder : System.getenv("PATH").split(":")) {
            if (Files.isExecutable(Path.of(folder, "g++"))) {
                return true;
            }
        }
        return false;
    }

    /** A function of a library. */
    static MethodHandle function(SymbolLookup library, String name, FunctionDescriptor type) {
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type);
    }
}
