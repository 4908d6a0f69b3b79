package org.pgas4j.device.natives;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.pgas4j.os.Libc;

/**
 * Files of libraries, read into the page cache before they are loaded: code that comes page by page from a disk, as it is run, takes
 * several times as long. Any thread.
 */
public final class LibraryFiles {

    private static final System.Logger LOG = System.getLogger("pgas.gpu");
    private static final List<String> USUAL = List.of("/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64");

    private LibraryFiles() {
    }

    /** Starts to read the files whose names start with one of {@code names}, and does not wait. Files that are not found are left out. */
    public static void readAhead(String... names) {
        for (Path file : find(folders(System.getenv("LD_LIBRARY_PATH")), names)) {
            try {
                Libc.readAhead(file);
            } catch (Libc.LibcException e) {
                LOG.log(System.Logger.Level.DEBUG, "not read ahead", e);
            }
        }
    }

    /** Folders of a search path, which may be null, and the usual ones. */
    static List<Path> folders(String path) {
        return Stream.concat(path == null ? Stream.empty() : Stream.of(path.split(File.pathSeparator)), USUAL.stream())
                .filter(folder -> !folder.isEmpty()).map(Path::of).toList();
    }

    /** For each name the files that start with it, in the first folder that has one, without links. */
    static List<Path> find(List<Path> folders, String... names) {
        List<Path> found = new ArrayList<>();
        for (String name : names) {
            folders.stream().map(folder -> in(folder, name)).filter(files -> !files.isEmpty()).findFirst().ifPresent(found::addAll);
        }
        return found;
    }

    private static List<Path> in(Path folder, String name) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.getFileName().toString().startsWith(name)).toList()) {
                found.add(file.toRealPath());
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "not all of " + folder + " can be seen", e); // a link that leads nowhere
        }
        return found.stream().distinct().toList();
    }
}
