package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that is a module, and the modules that it may use. */
@Timeout(180)
class ModulePathTest {

    private static final String OURS = "org.pgas4j.";
    /** Modules that programs compile against; the packages of the others are for each other. */
    private static final Set<String> PUBLIC = Set.of(OURS + "api", OURS + "launch", OURS + "library");
    private static final int MODULES = 13;
    private static final List<String> LIBRARIES = List.of("org.bytedeco.", "io.netty.", "jcuda", "HdrHistogram", "info.picocli",
            "com.grack.nanojson");
    private static final String NATIVE = "org.pgas4j.os,org.pgas4j.device,org.pgas4j.fastpath,org.pgas4j.space,jcuda,"
            + "org.bytedeco.javacpp,org.bytedeco.openblas,org.bytedeco.cuda";

    private static final String DESCRIPTOR = """
            module app {
                requires org.pgas4j.library;
            }
            """;
    private static final String PROGRAM = """
            package app;

            import java.util.List;
            import org.pgas4j.*;
            import org.pgas4j.array.*;

            public class Main {
                public static void main(String[] args) {
                    PgasConfig config = new PgasConfig().ranks(2).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
                    Pgas.run(config, List.of(), rank -> {
                        try (SharedCounter counter = SharedCounter.allocate(rank, 1)) {
                            counter.next();
                            multiply(rank);
                            rank.barrier();
                            if (rank.rank() == 0) {
                                System.out.println(rank.getClass().getModule().getName() + " " + counter.next());
                            }
                        }
                    });
                }

                /** By OpenBLAS, which JavaCPP loads from another module. */
                private static void multiply(Rank rank) {
                    try (Buffer one = rank.device().allocDoubles(1); Buffer product = rank.device().allocDoubles(1)) {
                        rank.stream().fill(one, 0);
                        rank.stream().gemm(1, 1, 1, one, one, product);
                        rank.stream().sync();
                    }
                }
            }
            """;

    @TempDir
    private Path folder;

    /** Our modules, and the libraries that they require. */
    private static Map<String, ModuleReference> modules() {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Map<String, ModuleReference> found = new TreeMap<>();
        for (String element : classPath.split(File.pathSeparator)) {
            Path path = Path.of(element);
            if (!Files.isDirectory(path) || Files.exists(path.resolve("module-info.class"))) {
                for (ModuleReference module : ModuleFinder.of(path).findAll()) {
                    String name = module.descriptor().name();
                    if (name.startsWith(OURS) ? !module.descriptor().isAutomatic()
                            : LIBRARIES.stream().anyMatch(name::startsWith)) {
                        found.put(name, module);
                    }
                }
            }
        }
        return found;
    }

    private static Stream<ModuleDescriptor> ours() {
        return modules().values().stream().map(ModuleReference::descriptor).filter(module -> module.name().startsWith(OURS));
    }

    @Test
    void shouldShowProgramsThePublicModulesAlone() {
        assertEquals(MODULES, ours().count());
        List<String> shown = ours().filter(module -> !PUBLIC.contains(module.name()))
                .flatMap(module -> module.exports().stream()).filter(exports -> !exports.isQualified()).map(Exports::source)
                .toList();
        assertEquals(List.of(), shown);
    }

    @Test
    @Tag("slow")
    void shouldRunAProgramThatIsAModule() throws Exception {
        String path = modules().values().stream().map(module -> Path.of(module.location().orElseThrow()).toString())
                .collect(Collectors.joining(File.pathSeparator));
        Files.writeString(folder.resolve("module-info.java"), DESCRIPTOR);
        Files.createDirectory(folder.resolve("app"));
        Files.writeString(folder.resolve("app/Main.java"), PROGRAM);
        Path classes = folder.resolve("classes");
        run("javac", "-p", path, "-d", classes.toString(), folder.resolve("module-info.java").toString(),
                folder.resolve("app/Main.java").toString());

        String said = run("java", "-p", path + File.pathSeparator + classes, "--add-modules", "ALL-MODULE-PATH",
                "--enable-native-access=" + NATIVE, "--illegal-native-access=deny", "-m", "app/app.Main");

        assertEquals("org.pgas4j.runtime 2", said.strip());
    }

    private String run(String tool, String... words) throws IOException, InterruptedException {
        List<String> command = Stream.concat(Stream.of(Path.of(System.getProperty("java.home"), "bin", tool).toString()),
                Stream.of(words)).toList();
        Path output = folder.resolve(tool + ".log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended = process.waitFor(120, TimeUnit.SECONDS);
        process.destroyForcibly();
        String said = Files.readString(output);
        assertTrue(ended && process.exitValue() == 0, said);
        return said;
    }
}
