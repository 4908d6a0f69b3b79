package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts in an unpacked distribution whose Java only says how it was started. */
@Timeout(60)
class ScriptsTest {

    private static final Path SCRIPTS = Path.of("..", "scripts").toAbsolutePath().normalize();

    @TempDir
    private Path folder;

    private record Result(int status, List<String> lines) {
    }

    @BeforeEach
    void unpack() throws IOException {
        for (String name : List.of("scripts", "lib/tools", "jre/bin", "bin")) {
            Files.createDirectories(folder.resolve(name));
        }
        for (String name : List.of("lib.sh", "pgas", "pgasrun", "matmul", "bench", "suite", "dist")) {
            Files.copy(SCRIPTS.resolve(name), folder.resolve("scripts").resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.writeString(folder.resolve("lib/pgas-runtime-1.jar"), "");
        Files.writeString(folder.resolve("lib/tools/ring-1.jar"), "");
        Files.writeString(folder.resolve("jre/release"), "JAVA_VERSION=\"25.0.1\"\n");
        Path java = folder.resolve("jre/bin/java");
        Files.writeString(java, "#!/bin/sh\necho \"locale ${LC_ALL:-none} ${LC_CTYPE:-none}\"\nprintf '%s\\n' \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Result run(Path command, Map<String, String> environment, String... words) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command.toString()).redirectErrorStream(true).directory(folder.toFile());
        builder.command().addAll(List.of(words));
        builder.environment().keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        List<String> lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        return new Result(process.exitValue(), lines);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pgas", "pgasrun", "matmul", "bench"})
    void shouldStartThroughALink(String name) throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("bin").resolve(name), folder.resolve("scripts").resolve(name));
        Path again = Files.createSymbolicLink(folder.resolve(name), Path.of("bin", name));

        for (Path command : List.of(link, again)) {
            Result result = run(command, Map.of(), "word");
            assertEquals(0, result.status(), result.lines()::toString);
            String lib = folder.resolve("lib").toString();
            assertTrue(result.lines().contains(lib + "/*:" + lib + "/tools/*"), result.lines()::toString);
            assertTrue(result.lines().contains("word"), result.lines()::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"'', '', '', none C.UTF-8", "C, '', '', C.UTF-8 none", "POSIX, C, de_DE.UTF-8, C.UTF-8 C",
            "'', POSIX, '', none C.UTF-8", "'', '', C, none C.UTF-8", "'', '', de_DE.UTF-8, none none"})
    void shouldTakeNamesForUtf8WithoutALocale(String all, String type, String language, String expected) throws Exception {
        Result result = run(folder.resolve("scripts/pgasrun"), Map.of("LC_ALL", all, "LC_CTYPE", type, "LANG", language), "word");

        assertEquals("locale " + expected, result.lines().getFirst(), result.lines()::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--hlp", "-x", "--out=file"})
    void shouldNotTakeAnOptionForTheFileOfADistribution(String option) throws Exception {
        Result result = run(folder.resolve("scripts/dist"), Map.of(), option);

        assertEquals(2, result.status());
        assertEquals(List.of("pgas4j: dist " + option + ": one FILE or none is expected; see scripts/dist --help"),
                result.lines());
    }

    @ParameterizedTest
    @ValueSource(strings = {"nowhere/made.tar.xz", "."})
    void shouldTakeAFileFromTheCallersDirectory(String file) throws Exception {
        Result result = run(SCRIPTS.resolve("dist"), Map.of(), file);

        assertEquals(2, result.status(), result.lines()::toString);
        assertEquals(List.of("pgas4j: " + folder.toRealPath().resolve(file).normalize()
                + ": its directory is missing, or it is one itself"), result.lines());
    }

    /** Those without Java; {@link PgasRunUsageTest} and others have the commands. */
    @ParameterizedTest
    @ValueSource(strings = {"bench-ucx", "dist", "netns", "netns-check", "rdma-vm", "reliability", "ucx-check"})
    void shouldHelpWithin80ColumnsAndKnowItsVersion(String script) throws Exception {
        Result help = run(SCRIPTS.resolve(script), Map.of(), "--help");

        assertEquals(0, help.status(), () -> help.lines().toString());
        assertTrue(help.lines().getFirst().startsWith("Usage: scripts/" + script), () -> help.lines().toString());
        assertEquals(List.of(), help.lines().stream().filter(line -> line.length() > 80).toList());
        for (String option : List.of("--version", "-V")) {
            Result version = run(SCRIPTS.resolve(script), Map.of(), option);
            assertEquals(0, version.status(), () -> version.lines().toString());
            assertTrue(version.lines().getFirst().matches("pgas4j [0-9]+\\.[0-9]+.*"), () -> version.lines().toString());
        }
    }
}
