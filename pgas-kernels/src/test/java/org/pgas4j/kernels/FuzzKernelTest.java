package org.pgas4j.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.Buffer;
import org.pgas4j.kernel.ThreadKernel;
import org.pgas4j.testkit.fuzz.FuzzClass;

/** The kernel around generated methods, as GPUs get it. */
class FuzzKernelTest {

    private static final int METHODS = 6;

    @TempDir
    private Path folder;

    @Test
    void shouldHaveEachMethodOnceBesideItsOwnForms() throws Exception {
        FuzzClass program = new FuzzClass("Fuzz", 18, METHODS);
        compile(program);
        String cuda;
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
            ThreadKernel kernel = (ThreadKernel) loader.loadClass(program.kernelName()).getMethod("of", Buffer.class, Buffer.class,
                    Buffer.class, Buffer.class, Buffer.class, Buffer.class, long.class).invoke(null, null, null, null, null, null, null, 9L);
            cuda = KernelTranslator.translate(kernel, KernelForm.GRID).cuda();
        }

        assertEquals(List.of("run_first"), found(cuda, "run"));
        for (int method = 0; method < METHODS; method++) {
            String whole = "m" + method + "(_first)?";
            assertEquals(1, found(cuda, "m" + method).stream().filter(form -> form.matches(whole)).count(), "method " + method);
        }
    }

    /** Definitions of a method's forms: {@code run} or {@code run_checked}. */
    private static List<String> found(String cuda, String method) {
        return Pattern.compile("PGAS_FUNCTION long long j_Fuzz_(" + method + ")_\\d+(_\\w+)?\\(").matcher(cuda).results()
                .map((MatchResult one) -> one.group(1) + (one.group(2) == null ? "" : one.group(2))).toList();
    }

    private void compile(FuzzClass program) throws Exception {
        Path methods = Files.writeString(folder.resolve(program.name() + ".java"), program.source());
        Path kernel = Files.writeString(folder.resolve(program.kernelName() + ".java"), program.kernel(32));
        String api = Path.of(URI.create(Buffer.class.getProtectionDomain().getCodeSource().getLocation().toString())).toString();
        assertEquals(0, ToolProvider.findFirst("javac").orElseThrow().run(System.out, System.err, "-nowarn", "-proc:none", "-cp", api,
                "-d", folder.toString(), methods.toString(), kernel.toString()));
    }
}
