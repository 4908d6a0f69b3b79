package org.pgas4j.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.pgas4j.UsageException;
import org.pgas4j.launch.files.PrivateDirectory;

@Timeout(300)
class NativesTest {

    @TempDir
    private Path folder;
    private Path jar;

    @BeforeEach
    void makeJar() throws IOException {
        jar = folder.resolve("blas-1.0-linux-x86_64.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (String name : List.of("org/blas/libblas.so.0", "lib/libJBlas-12.6.0-linux-x86_64.so", "org/blas/x.h",
                    "../libescape.so")) {
                out.putNextEntry(new ZipEntry(name));
                out.write(name.getBytes(StandardCharsets.UTF_8));
            }
        }
        PrivateDirectory.create(folder.resolve("cache"));
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> !name.startsWith(".")).sorted().toList();
        }
    }

    @Test
    void shouldExtractOnceIntoOnePlace() throws IOException {
        Path natives = Natives.prepare(folder.resolve("cache"), folder + "/*:other.jar");
        FileTime made = Files.getLastModifiedTime(natives.resolve("libblas.so.0"));

        assertEquals(List.of("libJBlas-12.6.0-linux-x86_64.so", "libblas.so.0", "libescape.so"), names(natives));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(natives)));
        assertEquals(natives, Natives.prepare(folder.resolve("cache"), "x.jar:" + jar));
        assertEquals(made, Files.getLastModifiedTime(natives.resolve("libblas.so.0")));
        assertEquals(1, names(natives.getParent()).size());
    }

    /** Of a jar for all platforms only what this one needs; a killed JVM that made a copy would leave it. */
    @Test
    void shouldTakeThisPlatformsLibraryOfAForeignJar() throws IOException {
        Path all = folder.resolve("jffi-1.3.13-native.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(all))) {
            for (String name : List.of("jni/x86_64-Linux/libjffi-1.2.so", "jni/i386-Linux/libjffi-1.2.so",
                    "jni/Darwin/libjffi-1.2.so")) {
                out.putNextEntry(new ZipEntry(name));
                out.write(name.getBytes(StandardCharsets.UTF_8));
            }
        }

        Path natives = Natives.prepare(folder.resolve("cache"), all.toString());

        assertEquals(List.of("libjffi-1.2.so"), names(natives));
        assertEquals("jni/x86_64-Linux/libjffi-1.2.so", Files.readString(natives.resolve("libjffi-1.2.so")));
    }

    @Test
    void shouldTakeAnotherPlaceForOtherJars() throws IOException {
        Path natives = Natives.prepare(folder.resolve("cache"), jar.toString());
        Files.setLastModifiedTime(jar, FileTime.fromMillis(1_000_000));

        assertNotEquals(natives, Natives.prepare(folder.resolve("cache"), jar.toString()));
    }

    @Test
    void shouldShareTheFilesThatAreTheSame() throws IOException {
        Path before = Natives.prepare(folder.resolve("cache"), jar.toString());
        Files.writeString(before.resolve("libescape.so"), "../libescape.sO"); // of the same length
        Files.setLastModifiedTime(jar, FileTime.fromMillis(1_000_000));
        Path after = Natives.prepare(folder.resolve("cache"), jar.toString());

        assertEquals(names(before), names(after));
        assertTrue(Files.isSameFile(before.resolve("libblas.so.0"), after.resolve("libblas.so.0")));
        assertFalse(Files.isSameFile(before.resolve("libescape.so"), after.resolve("libescape.so")));
        assertEquals("../libescape.so", Files.readString(after.resolve("libescape.so")));
        PrivateDirectory.delete(before);
        assertEquals("org/blas/libblas.so.0", Files.readString(after.resolve("libblas.so.0")));
    }

    /** Truncated, with other bytes and the old time, missing, a link: half a library would end the JVMs that load it. */
    @Test
    void shouldMendWhatIsNotAsInTheJar() throws IOException {
        Path natives = Natives.prepare(folder.resolve("cache"), jar.toString());
        Path blas = natives.resolve("libblas.so.0");
        Path escape = natives.resolve("libescape.so");
        FileTime time = Files.getLastModifiedTime(blas);
        Files.writeString(blas, "org/");
        Files.setLastModifiedTime(blas, time);
        assertEquals(natives, Natives.prepare(folder.resolve("cache"), jar.toString()));
        assertEquals("org/blas/libblas.so.0", Files.readString(blas));

        time = Files.getLastModifiedTime(blas);
        Files.writeString(blas, "org/blas/libblas.sO.0");
        Files.setLastModifiedTime(blas, time);
        Files.delete(escape);
        Files.createSymbolicLink(escape, jar);
        Files.delete(natives.resolve("libJBlas-12.6.0-linux-x86_64.so"));
        assertEquals(natives, Natives.prepare(folder.resolve("cache"), jar.toString()));

        assertEquals("org/blas/libblas.so.0", Files.readString(blas));
        assertFalse(Files.isSymbolicLink(escape));
        assertEquals("../libescape.so", Files.readString(escape));
        assertEquals(List.of("libJBlas-12.6.0-linux-x86_64.so", "libblas.so.0", "libescape.so"), names(natives));
    }

    @Test
    void shouldCompareOnlyWhatHasChanged() throws IOException {
        Path natives = Natives.prepare(folder.resolve("cache"), jar.toString());
        Path checked = natives.resolve(".checked");
        Object first = Files.readAttributes(checked, "unix:ino").get("ino");
        Natives.prepare(folder.resolve("cache"), jar.toString());
        assertEquals(first, Files.readAttributes(checked, "unix:ino").get("ino"));

        Files.writeString(checked, Files.readString(checked).replaceFirst("^[^\n]*", "another boot"));
        Files.writeString(natives.resolve("libblas.so.0"), "half");
        Natives.prepare(folder.resolve("cache"), jar.toString());
        assertEquals("org/blas/libblas.so.0", Files.readString(natives.resolve("libblas.so.0")));
        assertFalse(Files.readString(checked).startsWith("another boot"));
    }

    @Test
    void shouldSweepWhatKilledLaunchersHaveNotFinished() throws IOException {
        Path natives = PrivateDirectory.create(folder.resolve("cache/natives"));
        Path old = Files.createDirectory(natives.resolve(".new-1-abc"));
        Files.writeString(old.resolve("libblas.so.0"), "half");
        Files.setLastModifiedTime(old, FileTime.fromMillis(System.currentTimeMillis() - 2L * 3600 * 1000));
        Path young = Files.createDirectory(natives.resolve(".new-1-def"));
        Natives.prepare(folder.resolve("cache"), jar.toString());

        assertFalse(Files.exists(old));
        assertTrue(Files.exists(young));
    }

    /** As of two classes: a program's own library comes first on its class path. */
    @Test
    void shouldTakeTheFirstOfTwoLibrariesOfOneName() throws IOException {
        Path other = Files.createDirectory(folder.resolve("z")).resolve("own-linux-x86_64.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(other))) {
            out.putNextEntry(new ZipEntry("libblas.so.0"));
            out.write('x');
        }

        assertEquals("x", Files.readString(Natives.prepare(folder.resolve("cache"), other + ":" + jar).resolve("libblas.so.0")));
        assertEquals("org/blas/libblas.so.0",
                Files.readString(Natives.prepare(folder.resolve("cache"), jar + ":" + other).resolve("libblas.so.0")));
    }

    @Test
    void shouldRemoveWhatWasNotUsedForAMonth() throws IOException {
        Path old = Natives.prepare(folder.resolve("cache"), jar.toString());
        Files.setLastModifiedTime(old, FileTime.fromMillis(System.currentTimeMillis() - 31L * 24 * 3600 * 1000));
        Files.setLastModifiedTime(jar, FileTime.fromMillis(1_000_000));
        Path current = Natives.prepare(folder.resolve("cache"), jar.toString());

        assertEquals(List.of(current.getFileName().toString()), names(current.getParent()));
    }

    @Test
    void shouldGiveManyLaunchersTheSamePlace() throws Exception {
        try (ExecutorService launchers = Executors.newFixedThreadPool(8)) {
            List<Future<Path>> places = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                places.add(launchers.submit(() -> Natives.prepare(folder.resolve("cache"), jar.toString())));
            }
            for (Future<Path> place : places) {
                assertEquals(places.getFirst().get(), place.get());
            }
        }
        assertEquals(1, names(folder.resolve("cache/natives")).size());
    }

    @Test
    void shouldSayWhereItCannotWriteAndWhatToSet() throws IOException {
        Files.writeString(folder.resolve("cache/natives"), "in the way");

        var refused = assertThrows(UsageException.class, () ->
                Natives.prepare(folder.resolve("cache"), jar.toString()));

        assertTrue(refused.getMessage().contains("natives is no directory"), refused.getMessage());
        assertTrue(refused.getMessage().contains("XDG_CACHE_HOME"));
    }

    /** The jar is recognised by its name, which is that of the module. */
    @Test
    void shouldFindTheJarOfTheModuleByItsName() throws IOException {
        String pom = Files.readString(Path.of("..", "fastpath", "pom.xml"));

        assertTrue(pom.contains("<artifactId>" + Natives.OWN_JAR.substring(0, Natives.OWN_JAR.length() - 1) + "</artifactId>"),
                pom);
    }
}
