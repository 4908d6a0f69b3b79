package org.pgas4j.testkit.harness;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Lets the JVMs that tests start take their classes from an AOT cache, as those of {@code scripts/pgasrun} do: half of what
 * a short job costs is to load them. Such a cache wants jars, so directories of classes are packed first. All of it is in
 * the folder that the property {@value #FOLDER} names, under the hash of what it was made of; without the property, or if
 * a cache cannot be made, JVMs start without one. Thread-safe.
 */
public final class RememberedClasses {

    /** Property that names the folder of jars and caches; off if it is not set or empty. */
    public static final String FOLDER = "test.aot";

    private static final Duration DEADLINE = Duration.ofSeconds(180);

    private static final List<String> CLASSES_ALONE = List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTAdapterCaching");

    private static RememberedClasses current;

    private final String classPath;
    private final List<String> options;

    private RememberedClasses(String classPath, List<String> options) {
        this.classPath = classPath;
        this.options = options;
    }

    /** Those of this JVM's class path; made at the first call, which takes some seconds. */
    public static synchronized RememberedClasses get() {
        if (current == null) {
            current = make(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    System.getProperty(FOLDER, ""));
        }
        return current;
    }

    /** The same classes as this JVM has. */
    public String classPath() {
        return classPath;
    }

    /** Of a launcher's JVM that has the flags of {@link ProcessHarness}; it passes on what its ranks need. Maybe none. */
    public List<String> launcherOptions() {
        return options;
    }

    private static RememberedClasses make(String classPath, String folder) {
        if (folder.isEmpty()) {
            return new RememberedClasses(classPath, List.of());
        }
        try {
            Path root = Files.createDirectories(Path.of(folder).toAbsolutePath());
            List<Path> elements = Stream.of(classPath.split(File.pathSeparator)).map(Path::of).filter(Files::exists).toList();
            Path cache = root.resolve(fingerprint(elements));
            if (!Files.isDirectory(cache)) {
                clear(root);
                build(elements, root, cache);
            }
            List<String> options = new ArrayList<>();
            if (Files.exists(cache.resolve("rank"))) {
                options.addAll(CLASSES_ALONE);
                options.addAll(List.of("-XX:AOTCache=" + cache.resolve("launcher"), "-XX:-AOTReplayTraining",
                        "-Xlog:aot=off", "-Xlog:cds=off", "-Dpgas.launch.aot=" + cache.resolve("rank")));
            }
            return new RememberedClasses(packed(elements, cache), List.copyOf(options));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make an AOT cache in " + folder + " (" + FOLDER + ")", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while an AOT cache was made", e);
        }
    }

    /** The class path, with jars in {@code cache} in place of directories. */
    private static String packed(List<Path> elements, Path cache) {
        List<String> packed = new ArrayList<>();
        for (int i = 0; i < elements.size(); i++) {
            packed.add((Files.isDirectory(elements.get(i)) ? cache.resolve(jarName(i)) : elements.get(i)).toString());
        }
        return String.join(File.pathSeparator, packed);
    }

    private static String jarName(int element) {
        return "pgas-fastpath-classes-" + element + ".jar"; // a name in which the launcher looks for our own native library
    }

    private static String fingerprint(List<Path> elements) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((System.getProperty("java.home") + Runtime.version() + "\n").getBytes(StandardCharsets.UTF_8));
            for (Path element : elements) {
                for (Path file : files(element)) {
                    digest.update((file + " " + Files.size(file) + " " + Files.getLastModifiedTime(file).toMillis() + "\n")
                            .getBytes(StandardCharsets.UTF_8));
                }
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 12);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    private static List<Path> files(Path element) throws IOException {
        try (Stream<Path> files = Files.walk(element)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Under another name first: what is there under its own name is complete. */
    private static void build(List<Path> elements, Path root, Path cache) throws IOException, InterruptedException {
        Path fresh = Files.createTempDirectory(root, ".new-");
        for (int i = 0; i < elements.size(); i++) {
            if (Files.isDirectory(elements.get(i))) {
                pack(elements.get(i), fresh.resolve(jarName(i)));
            }
        }
        try {
            Files.move(fresh, cache, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            delete(fresh);
            if (!Files.isDirectory(cache)) { // else another was faster
                throw e;
            }
            return;
        }
        // In the place of its use: a cache knows the paths of its jars. Its two files get their names when both are whole. The second
        // compiler would take a third of the time, and most jobs of tests run without it.
        Path launcher = cache.resolve("new-launcher");
        Path rank = cache.resolve("new-rank");
        List<String> launcherOptions = new ArrayList<>(CLASSES_ALONE);
        launcherOptions.add("-XX:AOTCacheOutput=" + launcher);
        List<String> arguments = new ArrayList<>();
        CLASSES_ALONE.forEach(option -> arguments.add("--java-opt=" + option));
        arguments.addAll(List.of("--java-opt=-XX:AOTCacheOutput=" + rank, "--java-opt=-XX:TieredStopAtLevel=1", "--timeout",
                DEADLINE.toSeconds() + "s", "--device", "host", "--heap-host", "1m", "--heap-device", "1m",
                "org.pgas4j.launch.WarmUp", "all"));
        List<String> command = ProcessHarness.launcher(packed(elements, cache), launcherOptions, arguments);
        ProcessHarness.Result result = ProcessHarness.run(command, DEADLINE.plusSeconds(60));
        if (result.exitCode() == 0 && Files.exists(launcher) && Files.exists(rank)) {
            Files.move(launcher, cache.resolve("launcher"), StandardCopyOption.ATOMIC_MOVE);
            Files.move(rank, cache.resolve("rank"), StandardCopyOption.ATOMIC_MOVE);
        } else {
            System.err.println("pgas4j: no AOT cache for the JVMs of tests, they start more slowly: " + result);
        }
    }

    /** Not compressed: it is read more often than it is made. */
    private static void pack(Path classes, Path jar) throws IOException {
        try (OutputStream file = Files.newOutputStream(jar); ZipOutputStream zip = new ZipOutputStream(file)) {
            for (Path path : files(classes)) {
                byte[] bytes = Files.readAllBytes(path);
                CRC32 crc = new CRC32();
                crc.update(bytes);
                ZipEntry entry = new ZipEntry(classes.relativize(path).toString());
                entry.setMethod(ZipEntry.STORED);
                entry.setSize(bytes.length);
                entry.setCrc(crc.getValue());
                zip.putNextEntry(entry);
                zip.write(bytes);
                zip.closeEntry();
            }
        }
    }

    /** Caches of classes as they were before. */
    private static void clear(Path root) throws IOException {
        List<Path> old;
        try (Stream<Path> all = Files.list(root)) {
            old = all.filter(Files::isDirectory).toList();
        }
        for (Path path : old) {
            delete(path);
        }
    }

    /** Deletes a directory and all in it. */
    public static void delete(Path directory) throws IOException {
        List<Path> all;
        try (Stream<Path> files = Files.walk(directory)) {
            all = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}
