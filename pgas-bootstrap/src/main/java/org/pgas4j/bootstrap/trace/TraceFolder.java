package org.pgas4j.bootstrap.trace;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Parts of a timeline in a directory of the job, one for each JVM and run. */
public final class TraceFolder {

    private static final String PREFIX = "trace-";

    private TraceFolder() {
    }

    /** File of one JVM and run. */
    static Path file(Path folder, int run, int process) {
        return folder.resolve(PREFIX + run + "-" + process);
    }

    /** The parts that are there. */
    public static List<Path> list(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, PREFIX + "*")) {
            found.forEach(files::add);
        }
        files.sort(null);
        return files;
    }
}
