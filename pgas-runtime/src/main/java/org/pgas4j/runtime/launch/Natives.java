package org.pgas4j.runtime.launch;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.pgas4j.UsageException;

/**
 * The native libraries of the class path's jars, extracted once for all JVMs of all jobs with these jars. Files that are the
 * same as those of the jars used last are shared with them, so that a build does not cost 150 MB. JVMs that extract for
 * themselves race for the same files, and load a planted one from a shared directory.
 */
final class Natives {

    private static final String SETTING = "XDG_CACHE_HOME";
    private static final String CLASSIFIER = "-linux-x86_64.jar";
    private static final Duration KEPT = Duration.ofDays(30);
    /** The one library of our own, where UCX's headers were there when it was built, and the jar it is in. */
    private static final String OWN = "org/pgas4j/fastpath/conduit/ucx/linux-x86_64/libjniucp.so";
    static final String OWN_JAR = "fastpath-";
    private static final Pattern LIBRARY = Pattern.compile("(?:.*/)?(lib[^/]+\\.so(?:\\.[0-9.]+)?)");
    /** What Chronicle calls the system by: a jar for all platforms, whose JVMs would leave a copy behind when they are killed. */
    private static final Pattern FOREIGN_JAR = Pattern.compile("jffi-.*-native\\.jar");
    private static final Pattern FOREIGN_LIBRARY = Pattern.compile("jni/x86_64-Linux/(libjffi[^/]*\\.so)");

    private Natives() {
    }

    /** {@code $XDG_CACHE_HOME/pgas4j} or {@code ~/.cache/pgas4j}; may be missing. */
    static Path cachePath() {
        String home = System.getenv(SETTING);
        Path base = home != null && Path.of(home).isAbsolute() ? Path.of(home)
                : Path.of(System.getProperty("user.home"), ".cache");
        return base.resolve("pgas4j");
    }

    /**
     * The same, made if missing.
     *
     * @throws UsageException if that cannot be done
     */
    static Path cache() {
        Path cache = cachePath();
        try {
            Files.createDirectories(cache.getParent());
            return PrivateDirectory.ensure(cache, SETTING);
        } catch (IOException e) {
            throw new UsageException("cannot make " + cache + ": " + e + "; set " + SETTING
                    + " to a directory of yours with 200 MB free", e);
        }
    }

    /**
     * The directory with the libraries of the class path.
     *
     * @throws UsageException if they cannot be put there; says where and what to set
     */
    static Path prepare(Path cache, String classPath) {
        Path directory = cache;
        try {
            List<Path> jars = jars(classPath);
            Path natives = PrivateDirectory.ensure(cache.resolve("natives"), SETTING);
            directory = natives.resolve(fingerprint(jars));
            if (!Files.isDirectory(directory)) {
                extract(jars, natives, directory);
                removeUnused(natives);
            }
            PrivateDirectory.check(directory, SETTING);
            Files.setLastModifiedTime(directory, FileTime.from(Instant.now())); // in use
            return directory;
        } catch (IOException e) {
            throw new UsageException("cannot put native libraries into " + directory + ": " + e
                    + "; set " + SETTING + " to a directory of yours with 200 MB free", e);
        }
    }

    /** Jars with native libraries for this platform; {@code *} in a class path means all jars of a directory. */
    static List<Path> jars(String classPath) throws IOException {
        TreeSet<Path> jars = new TreeSet<>();
        for (String element : classPath.split(File.pathSeparator)) {
            if (element.endsWith("/*") || element.equals("*")) {
                Path directory = Path.of(element.substring(0, element.length() - 1).isEmpty() ? "."
                        : element.substring(0, element.length() - 1));
                if (Files.isDirectory(directory)) {
                    try (Stream<Path> files = Files.list(directory)) {
                        files.filter(Natives::hasLibraries).forEach(jars::add);
                    }
                }
            } else if (hasLibraries(Path.of(element)) && Files.isRegularFile(Path.of(element))) {
                jars.add(Path.of(element));
            } else if (hasOwnLibrary(Path.of(element))) {
                jars.add(Path.of(element).resolve(OWN)); // classes that are not in a jar yet
            }
        }
        return new ArrayList<>(jars);
    }

    /** True of a directory of classes with our own library among them. */
    static boolean hasOwnLibrary(Path classes) {
        return Files.isRegularFile(classes.resolve(OWN));
    }

    private static boolean hasLibraries(Path jar) {
        return jar.toString().endsWith(CLASSIFIER) || isForeign(jar) || jar.getFileName().toString().startsWith(OWN_JAR)
                && jar.toString().endsWith(".jar");
    }

    private static boolean isForeign(Path jar) {
        return FOREIGN_JAR.matcher(jar.getFileName().toString()).matches();
    }

    private static String fingerprint(List<Path> jars) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path jar : jars) {
                digest.update((jar.getFileName() + " " + Files.size(jar) + " "
                        + Files.getLastModifiedTime(jar).toMillis() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 12);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
    }

    /** Libraries of jars that no job has used for a month. */
    private static void removeUnused(Path natives) throws IOException {
        Instant limit = Instant.now().minus(KEPT);
        List<Path> unused;
        try (Stream<Path> all = Files.list(natives)) {
            unused = all.filter(path -> path.toFile().lastModified() < limit.toEpochMilli()).toList();
        }
        for (Path path : unused) {
            PrivateDirectory.delete(path);
        }
    }

    /** Into a directory of another name first: under its own name it is complete or not there. */
    private static void extract(List<Path> jars, Path natives, Path directory) throws IOException {
        Path newest = newest(natives);
        Path temporary = PrivateDirectory.create(natives.resolve(".new-" + ProcessHandle.current().pid() + "-"
                + Long.toHexString(System.nanoTime())));
        try {
            for (Path jar : jars) {
                extract(jar, temporary, newest);
            }
            // JavaCPP's OpenBLAS preset wants the library under this name too, and would make a copy of 37 MB each time
            if (Files.exists(temporary.resolve("libopenblas.so.0"))) {
                Files.createSymbolicLink(temporary.resolve("libopenblas_nolapack.so.0"), Path.of("libopenblas.so.0"));
            }
            Files.move(temporary, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            if (!Files.isDirectory(directory)) { // else another launcher was faster
                throw e;
            }
        } finally {
            PrivateDirectory.delete(temporary);
        }
    }

    /** The directory that was used last: most of it serves again after a build. Null if there is none. */
    private static Path newest(Path natives) throws IOException {
        try (Stream<Path> all = Files.list(natives)) {
            return all.filter(path -> !path.getFileName().toString().startsWith("."))
                    .max(Comparator.comparingLong(path -> path.toFile().lastModified())).orElse(null);
        }
    }

    private static void extract(Path jar, Path into, Path newest) throws IOException {
        if (jar.endsWith(OWN)) {
            Files.copy(jar, into.resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        Pattern wanted = isForeign(jar) ? FOREIGN_LIBRARY : LIBRARY;
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
                JarEntry entry = entries.nextElement();
                var library = wanted.matcher(entry.getName());
                if (library.matches() && !linked(entry, newest, into, library.group(1))) {
                    try (InputStream bytes = file.getInputStream(entry)) {
                        Files.copy(bytes, into.resolve(library.group(1)), StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
        }
    }

    /** True if the file in {@code newest} is this entry, byte by byte, and has another name in {@code into} now. */
    private static boolean linked(JarEntry entry, Path newest, Path into, String name) throws IOException {
        if (newest == null) {
            return false;
        }
        Path there = newest.resolve(name);
        try {
            if (!Files.isRegularFile(there, LinkOption.NOFOLLOW_LINKS) || Files.size(there) != entry.getSize()
                    || checksum(there) != entry.getCrc()) {
                return false;
            }
            Files.deleteIfExists(into.resolve(name));
            Files.createLink(into.resolve(name), there);
            return true;
        } catch (UnsupportedOperationException | FileSystemException _) {
            return false; // this file system has no links, or the file is gone
        }
    }

    private static long checksum(Path file) throws IOException {
        try (CheckedInputStream bytes = new CheckedInputStream(Files.newInputStream(file), new CRC32())) {
            bytes.transferTo(OutputStream.nullOutputStream());
            return bytes.getChecksum().getValue();
        }
    }
}
