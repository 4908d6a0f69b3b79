package org.pgas4j.launch;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
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
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.node.NodeIdentity;
import org.pgas4j.launch.files.PrivateDirectory;

/**
 * The native libraries of the class path's jars, extracted once for all JVMs of all jobs with these jars. Files that are the
 * same as those of the jars used last are shared with them, so that a build does not cost 150 MB. Files that have changed since
 * they were compared with the jars, and all of them after a start of the machine, are compared again and replaced if they
 * differ: half a library would end the JVMs that load it. JVMs that extract for themselves race for the same files, and load a
 * planted one from a shared directory.
 */
final class Natives {

    private static final String SETTING = "XDG_CACHE_HOME";
    private static final String CLASSIFIER = "-linux-x86_64.jar";
    private static final Duration KEPT = Duration.ofDays(30);
    /** Longer than it takes to extract everything anywhere. */
    private static final Duration UNFINISHED = Duration.ofHours(1);
    private static final String NEW = ".new-";
    /** File in each directory with the state of its files when they were compared with the jars. */
    private static final String CHECKED = ".checked";
    private static final int TRIALS = 3;
    /** The library of pgas4j itself, if UCX's headers were present at its build, and its jar. */
    private static final String OWN = "org/pgas4j/fastpath/conduit/ucx/linux-x86_64/libjniucp.so";
    static final String OWN_JAR = "pgas-fastpath-";
    private static final Pattern LIBRARY = Pattern.compile("(?:.*/)?(lib[^/]+\\.so(?:\\.[0-9.]+)?)");
    /**
     * Library of Chronicle's system calls: a jar for all platforms, of which a killed JVM would leave a copy behind.
     */
    private static final Pattern FOREIGN_JAR = Pattern.compile("jffi-.*-native\\.jar");
    private static final Pattern FOREIGN_LIBRARY = Pattern.compile("jni/x86_64-Linux/(libjffi[^/]*\\.so)");

    private Natives() {
    }

    /**
     * {@code $XDG_CACHE_HOME/pgas4j} or {@code ~/.cache/pgas4j}; may be missing.
     *
     * @throws UsageException if the locale has not the characters of its name
     */
    static Path cachePath() {
        String given = System.getenv(SETTING);
        String home = System.getProperty("user.home");
        try {
            Path base = given != null && Path.of(given).isAbsolute() ? Path.of(given) : Path.of(home, ".cache");
            return base.resolve("pgas4j");
        } catch (InvalidPathException e) {
            throw new UsageException("the home directory, " + home + ", or " + SETTING + " cannot be named in this locale ("
                    + System.getProperty("sun.jnu.encoding") + "); set LC_ALL=C.UTF-8", e);
        }
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
     * @throws UsageException if they cannot be written; names the directory and the variable to set
     */
    static Path prepare(Path cache, String classPath) {
        Path directory = cache;
        try {
            List<Path> jars = jars(classPath);
            Path natives = PrivateDirectory.ensure(cache.resolve("natives"), SETTING);
            directory = natives.resolve(fingerprint(jars));
            removeUnfinished(natives);
            if (!Files.isDirectory(directory)) {
                extract(jars, natives, directory);
                removeUnused(natives);
            }
            PrivateDirectory.check(directory, SETTING);
            check(jars, directory);
            Files.setLastModifiedTime(directory, FileTime.from(Instant.now())); // in use
            return directory;
        } catch (IOException e) {
            throw new UsageException("cannot put native libraries into " + directory + ": " + e
                    + "; set " + SETTING + " to a directory of yours with 200 MB free", e);
        }
    }

    /**
     * Jars with native libraries for this platform, in the order of the class path; {@code *} there means all jars of a
     * directory.
     */
    static List<Path> jars(String classPath) throws IOException {
        Set<Path> jars = new LinkedHashSet<>();
        for (String element : classPath.split(File.pathSeparator)) {
            if (element.endsWith("/*") || element.equals("*")) {
                Path directory = Path.of(element.substring(0, element.length() - 1).isEmpty() ? "."
                        : element.substring(0, element.length() - 1));
                if (Files.isDirectory(directory)) {
                    try (Stream<Path> files = Files.list(directory)) {
                        files.filter(Natives::hasLibraries).sorted().forEach(jars::add);
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

    /** Removes the folders of launchers that were killed while they extracted. */
    private static void removeUnfinished(Path directory) throws IOException {
        Instant limit = Instant.now().minus(UNFINISHED);
        List<Path> unfinished;
        try (Stream<Path> all = Files.list(directory)) {
            unfinished = all.filter(path -> path.getFileName().toString().startsWith(NEW)
                    && path.toFile().lastModified() < limit.toEpochMilli()).toList();
        }
        for (Path path : unfinished) {
            PrivateDirectory.delete(path);
        }
    }

    private static Path unfinished(Path directory) {
        return directory.resolve(NEW + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime()));
    }

    /** Into a directory of another name first: under its own name it is complete or not there. */
    private static void extract(List<Path> jars, Path natives, Path directory) throws IOException {
        Path newest = newest(natives);
        Path temporary = PrivateDirectory.create(unfinished(natives));
        try {
            complete(jars, temporary, newest);
            Files.move(temporary, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            if (!Files.isDirectory(directory)) { // else another launcher was faster
                throw e;
            }
        } finally {
            PrivateDirectory.delete(temporary);
        }
    }

    /** Compares files that have changed since they were compared last, and mends them. */
    private static void check(List<Path> jars, Path directory) throws IOException {
        Path checked = directory.resolve(CHECKED);
        for (int trial = 0; trial < TRIALS; trial++) {
            String now = stamp(directory);
            if (Files.exists(checked) && Files.readString(checked).equals(now)) {
                return;
            }
            removeUnfinished(directory);
            if (complete(jars, directory, null)) {
                Path unfinished = unfinished(directory);
                Files.writeString(unfinished, now);
                Files.move(unfinished, checked, StandardCopyOption.ATOMIC_MOVE);
                return;
            }
        }
        throw new IOException("its files differ from those of the jars again and again");
    }

    /**
     * Inode, size and change time, which change with the contents of a file. After a crash the contents may not
     * be those that were written.
     */
    private static String stamp(Path directory) throws IOException {
        StringBuilder stamp = new StringBuilder(NodeIdentity.bootId()).append('\n');
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(path -> !path.getFileName().toString().startsWith(".")).sorted().toList();
        }
        for (Path file : files) {
            Map<String, Object> attributes = Files.readAttributes(file, "unix:ino,size,ctime", LinkOption.NOFOLLOW_LINKS);
            stamp.append(file.getFileName()).append(' ').append(attributes.get("ino")).append(' ')
                    .append(attributes.get("size")).append(' ').append(attributes.get("ctime")).append('\n');
        }
        return stamp.toString();
    }

    /** The directory that was used last: most of it serves again after a build. Null if there is none. */
    private static Path newest(Path natives) throws IOException {
        try (Stream<Path> all = Files.list(natives)) {
            return all.filter(path -> !path.getFileName().toString().startsWith("."))
                    .max(Comparator.comparingLong(path -> path.toFile().lastModified())).orElse(null);
        }
    }

    /**
     * Writes files that are missing in a directory, or differ from their jar. Of two libraries of one name it is the
     * first's, as of two classes.
     *
     * @param newest another directory whose files may serve, or null
     * @return true if all was there
     */
    private static boolean complete(List<Path> jars, Path into, Path newest) throws IOException {
        Set<String> names = new HashSet<>();
        boolean complete = true;
        for (Path jar : jars) {
            complete &= jar.endsWith(OWN) ? completeOwn(jar, into, names) : complete(jar, into, newest, names);
        }
        // JavaCPP's OpenBLAS preset wants the library under this name too, and would make a copy of 37 MB each time
        Path again = into.resolve("libopenblas_nolapack.so.0");
        Path library = Path.of("libopenblas.so.0");
        if (names.contains(library.toString()) && !(Files.isSymbolicLink(again)
                && Files.readSymbolicLink(again).equals(library))) {
            Files.deleteIfExists(again);
            Files.createSymbolicLink(again, library);
            complete = false;
        }
        return complete;
    }

    private static boolean completeOwn(Path library, Path into, Set<String> names) throws IOException {
        String name = library.getFileName().toString();
        Path there = into.resolve(name);
        if (!names.add(name) || Files.isRegularFile(there, LinkOption.NOFOLLOW_LINKS) && Files.mismatch(library, there) < 0) {
            return true;
        }
        try (InputStream bytes = Files.newInputStream(library)) {
            put(bytes, there);
        }
        return false;
    }

    private static boolean complete(Path jar, Path into, Path newest, Set<String> names) throws IOException {
        Pattern wanted = isForeign(jar) ? FOREIGN_LIBRARY : LIBRARY;
        boolean complete = true;
        try (JarFile file = new JarFile(jar.toFile())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements();) {
                JarEntry entry = entries.nextElement();
                var library = wanted.matcher(entry.getName());
                if (library.matches() && names.add(library.group(1)) && !isSame(entry, into.resolve(library.group(1)))) {
                    complete = false;
                    if (!linked(entry, newest, into, library.group(1))) {
                        try (InputStream bytes = file.getInputStream(entry)) {
                            put(bytes, into.resolve(library.group(1)));
                        }
                    }
                }
            }
        }
        return complete;
    }

    /** Writes a file as a whole or not at all: JVMs may be loading the old one. */
    private static void put(InputStream bytes, Path to) throws IOException {
        Path unfinished = unfinished(to.getParent());
        Files.copy(bytes, unfinished);
        Files.move(unfinished, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** True if the file is this entry, byte by byte. */
    private static boolean isSame(JarEntry entry, Path file) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) == entry.getSize()
                && checksum(file) == entry.getCrc();
    }

    /** True if the file in {@code newest} is this entry and has another name in {@code into} now. */
    private static boolean linked(JarEntry entry, Path newest, Path into, String name) throws IOException {
        if (newest == null) {
            return false;
        }
        Path there = newest.resolve(name);
        try {
            if (!isSame(entry, there)) {
                return false;
            }
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
