package org.pgas4j.launch.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs with kernels in a module of the user's, and in an interactive shell, whose classes are nowhere on disk. */
@Tag("slow")
@Tag("multiprocess")
@Timeout(600)
class KernelsElsewhereTest {

    private static final long TIMEOUT_S = 240;
    private static final String SUM = "sum 1002000.0"; // of 2 i + 3 for i below 1000
    private static final String NATIVE = "--enable-native-access=";
    private static final List<String> TEST_LIBRARIES = List.of("junit", "opentest4j", "apiguardian", "surefire");

    private static final String PROGRAM = """
            package my.kernels;

            import org.pgas4j.*;

            public final class Main {

                record Line(double slope, double start) {
                }

                static double at(Line line, double x) {
                    return line.slope() * x + line.start();
                }

                static void body(Rank rank) {
                    SharedDoubles c;
                    try (Scope device = rank.onDevice()) {
                        c = rank.allAllocDoubles(Layout.even(), 1000);
                    }
                    Line line = new Line(2, 3);
                    c.forAll(i -> c.put(i, at(line, i)));
                    double sum = c.reduce(rank.stream(), ReduceOp.SUM, i -> c.get(i));
                    if (rank.rank() == 0) {
                        System.out.println("sum " + sum);
                    }
                }

                public static void main(String[] args) {
                    Pgas.run(new PgasConfig().ranks(2).device(Backend.HOST).deviceHeap(16 << 20), Main::body);
                }
            }
            """;

    private static final String SHELL = """
            import org.pgas4j.*;
            double at(double x) { return 2 * x + 3; }
            void body(Rank rank) {
                SharedDoubles c;
                try (Scope device = rank.onDevice()) {
                    c = rank.allAllocDoubles(Layout.even(), 1000);
                }
                c.forAll(i -> c.put(i, at(i)));
                System.out.println("sum " + c.reduce(rank.stream(), ReduceOp.SUM, i -> c.get(i)));
            }
            Pgas.run(new PgasConfig().ranks(1).device(Backend.HOST).deviceHeap(16 << 20), rank -> body(rank))
            /exit
            """;

    @TempDir
    private Path folder;

    /** Class path of the program, without what tests need. */
    private static List<String> path() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.endsWith("test-classes") && TEST_LIBRARIES.stream().noneMatch(entry.substring(
                        entry.lastIndexOf('/') + 1)::contains)).toList();
    }

    private String run(String program, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", program).toString()));
        command.addAll(arguments);
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null"))).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(TIMEOUT_S, TimeUnit.SECONDS), () -> program + " has not ended: " + command);
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }

    private static void tool(String name, String... arguments) {
        assertEquals(0, ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, arguments), name);
    }

    /** Output of the program in a jar whose module has these further words. */
    private String runInModule(String opens) throws IOException, InterruptedException {
        Path source = Files.createDirectories(folder.resolve("src/my/kernels"));
        Files.writeString(folder.resolve("src/module-info.java"), "module my.kernels { requires org.pgas4j.api; " + opens + " }");
        Files.writeString(source.resolve("Main.java"), PROGRAM);
        String libraries = String.join(File.pathSeparator, path());
        tool("javac", "-d", folder.resolve("classes").toString(), "-p", libraries,
                folder.resolve("src/module-info.java").toString(), source.resolve("Main.java").toString());
        String jar = folder.resolve("my.jar").toString();
        tool("jar", "--create", "--file", jar, "-C", folder.resolve("classes").toString(), ".");
        return run("java", List.of("-p", jar + File.pathSeparator + libraries, "--add-modules", "ALL-MODULE-PATH", NATIVE
                + "org.pgas4j.os,org.pgas4j.device,org.pgas4j.fastpath,org.pgas4j.space", "-m", "my.kernels/my.kernels.Main"));
    }

    @Test
    void shouldRunInAModuleThatIsOpen() throws IOException, InterruptedException {
        String output = runInModule("opens my.kernels to org.pgas4j.kernels;");
        assertTrue(output.contains(SUM), output);
    }

    @Test
    void shouldAskForAModuleToBeOpened() throws IOException, InterruptedException {
        String output = runInModule("");
        assertTrue(output.contains("open its package to org.pgas4j.kernels (opens ... in module-info)"), output);
    }

    @Test
    void shouldRunInAShell() throws IOException, InterruptedException {
        Path script = Files.writeString(folder.resolve("program.jsh"), SHELL);
        String output = run("jshell", List.of("-s", "--class-path", String.join(File.pathSeparator, path()),
                "-R" + NATIVE + "ALL-UNNAMED", script.toString()));
        assertTrue(output.contains(SUM), output);
    }
}
