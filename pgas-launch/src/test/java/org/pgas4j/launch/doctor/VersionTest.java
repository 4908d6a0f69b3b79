package org.pgas4j.launch.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.pgas4j.launch.command.Version;
import picocli.CommandLine;

@Isolated("takes the standard output")
@Timeout(30)
class VersionTest {

    @TempDir
    private Path folder;

    @Test
    void shouldReadTheManifestOfItsJar() throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, "4.7.11");

        assertEquals("pgas4j 4.7.11, Java " + Runtime.version(), textOf(manifest));
    }

    @Test
    void shouldSayWithoutAVersionThatItIsBuiltFromSource() throws Exception {
        assertEquals("pgas4j built from source, Java " + Runtime.version(), textOf(new Manifest()));
    }

    private String textOf(Manifest manifest) throws Exception {
        Path jar = folder.resolve("runtime.jar");
        String name = Version.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                InputStream in = Version.class.getClassLoader().getResourceAsStream(name)) {
            out.putNextEntry(new JarEntry(name));
            in.transferTo(out);
        }
        URL[] path = {jar.toUri().toURL(), CommandLine.class.getProtectionDomain().getCodeSource().getLocation()};
        try (URLClassLoader loader = new URLClassLoader(path, null)) {
            return (String) loader.loadClass(Version.class.getName()).getMethod("text").invoke(null);
        }
    }

    @Test
    void shouldAnswerTheSameFromEachCommand() throws IOException {
        assertEquals(Version.text(), output("--version"));
        assertEquals(Version.text(), output("doctor", "--version"));
    }

    private static String output(String... args) throws IOException {
        PrintStream old = System.out;
        try (ByteArrayOutputStream out = new ByteArrayOutputStream()) {
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            assertEquals(0, PgasTool.run(args));
            return out.toString(StandardCharsets.UTF_8).strip();
        } finally {
            System.setOut(old);
        }
    }
}
