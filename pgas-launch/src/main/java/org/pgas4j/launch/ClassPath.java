package org.pgas4j.launch;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import org.pgas4j.UsageException;

/**
 * The class path of a job as a list of files and directories of this machine, absolute, without wildcards.
 *
 * @param own     of the launcher, and so of the agents
 * @param program part that {@code -cp} adds in front of it for the ranks
 */
record ClassPath(List<Path> own, List<Path> program) {

    private static final String TOOLS = "tools";

    /** @param program may be null */
    static ClassPath of(String own, String program) throws IOException {
        return new ClassPath(expand(own), program == null ? List.of() : expand(program));
    }

    /**
     * The launcher's class path as far as a program needs it: examples, studies and their libraries, which are in a folder
     * {@value #TOOLS} beside the runtime's jar, are for programs among them only.
     *
     * @param own     as Java has it
     * @param program as {@code -cp} has it, or null
     */
    static String ownFor(String own, String mainClass, String program) {
        if (program == null || ClassLoader.getSystemResource(mainClass.replace('.', '/') + ".class") != null) {
            return own;
        }
        Path tools = Path.of(URI.create(ClassPath.class.getProtectionDomain().getCodeSource().getLocation().toString()))
                .resolveSibling(TOOLS);
        return Stream.of(own.split(File.pathSeparator)).filter(element -> !tools.equals(Path.of(element).toAbsolutePath()
                .normalize().getParent())).collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Checks that all that {@code -cp} gives is there.
     *
     * @param program   may be null
     * @param directory that relative elements are of; null is this process's
     * @throws UsageException naming the first element that is not
     */
    static void check(String program, Path directory) {
        for (String element : program == null ? new String[0] : program.split(File.pathSeparator)) {
            Path path = Path.of(isWildcard(element) ? element.substring(0, element.length() - 1) : element);
            if (!Files.exists(directory == null ? path : directory.resolve(path))) {
                throw new UsageException("-cp " + element + ": no such file or directory");
            }
        }
    }

    private static boolean isWildcard(String element) {
        return element.equals("*") || element.endsWith("/*");
    }

    private static List<Path> expand(String text) throws IOException {
        List<Path> elements = new ArrayList<>();
        for (String element : text.split(File.pathSeparator)) {
            if (isWildcard(element)) {
                Path directory = Path.of(element.substring(0, element.length() - 1)).toAbsolutePath();
                if (Files.isDirectory(directory)) {
                    try (Stream<Path> files = Files.list(directory)) {
                        files.filter(file -> file.toString().endsWith(".jar")).sorted().forEach(elements::add);
                    }
                }
            } else if (!element.isEmpty() && Files.exists(Path.of(element))) { // java ignores missing elements
                elements.add(Path.of(element).toAbsolutePath().normalize());
            }
        }
        return elements;
    }

    /** Of the ranks: a program's own libraries before those of the same name that we bring. */
    List<Path> all() {
        return Stream.concat(program.stream(), own.stream()).toList();
    }

    /** Name of the copy of an element: a directory becomes a jar. */
    static String nameOf(Path element) {
        if (!Files.isDirectory(element)) {
            return element.getFileName().toString();
        }
        return Natives.hasOwnLibrary(element) ? Natives.OWN_JAR + "classes.jar" : "classes.jar";
    }

    /** Writes a directory as a jar, without compression. */
    static void writeJar(Path directory, OutputStream to) throws IOException {
        try (JarOutputStream jar = new JarOutputStream(to); Stream<Path> tree = Files.walk(directory)) {
            jar.setLevel(Deflater.BEST_SPEED);
            for (Path file : (Iterable<Path>) tree.filter(Files::isRegularFile).sorted()::iterator) {
                jar.putNextEntry(new JarEntry(directory.relativize(file).toString()));
                Files.copy(file, jar);
                jar.closeEntry();
            }
        }
    }
}
