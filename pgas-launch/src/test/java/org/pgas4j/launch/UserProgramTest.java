package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.pgas4j.testkit.Testkit;

/** A program with libraries and habits of its own, under pgasrun as under java. */
@Tag("multiprocess")
@Timeout(180)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class UserProgramTest {

    @TempDir
    private Path folder;

    private Path jar(boolean logs) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        Path jar = folder.resolve("user.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            if (logs) {
                out.putNextEntry(new JarEntry("META-INF/services/org.slf4j.spi.SLF4JServiceProvider"));
                out.write(UserProgram.Logging.class.getName().getBytes(StandardCharsets.US_ASCII));
            }
        }
        return jar;
    }

    private List<String> run(Path jar) throws Exception {
        try (Launched job = Launched.start(folder, "--no-tag-output", "-n", "2", "--processes", "2", "--device", "host",
                "--heap-host", "1m", "--heap-device", "1m", "-cp", jar.toString(), UserProgram.class.getName())) {
            assertEquals(0, job.await(), () -> job.out + "" + job.err);
            assertEquals(List.of(), job.err);
            return job.out;
        }
    }

    @Test
    void shouldRunAsUnderJava() throws Exception {
        Path jar = jar(false);
        List<String> out = run(jar);

        assertEquals(2, out.stream().filter(("first jar:" + jar.toUri().toURL() + "!/META-INF/MANIFEST.MF")::equals).count(),
                out::toString);
        assertEquals(2, out.stream().filter(("temporary " + System.getProperty("java.io.tmpdir"))::equals).count(),
                out::toString);
        assertEquals(2, out.stream().filter("read [a, b]"::equals).count(), out::toString);
        assertEquals(2, out.stream().filter("listed true"::equals).count(), out::toString);
        assertEquals(2, out.stream().filter("done"::equals).count(), out::toString);
    }

    /** Examples, studies and their libraries are for programs among them. */
    @Test
    void shouldLeaveToolsOffTheClassPath() throws Exception {
        Path runtime = Path.of(ClassPath.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        String own = runtime + ":/elsewhere/tools/a.jar:" + runtime.resolveSibling("tools").resolve("commons-math3.jar");

        assertEquals(runtime + ":/elsewhere/tools/a.jar", ClassPath.ownFor(own, "org.example.Main", "my.jar"));
        assertEquals(own, ClassPath.ownFor(own, "org.example.Main", null));
        assertEquals(own, ClassPath.ownFor(own, Testkit.class.getName(), "my.jar"));
    }

    @Test
    void shouldLogByTheUsersBinding() throws Exception {
        List<String> out = run(jar(true));

        assertTrue(out.contains("binding of the user") && out.contains("logger user"), out::toString);
    }
}
