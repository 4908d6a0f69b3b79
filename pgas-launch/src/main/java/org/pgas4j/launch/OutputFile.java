package org.pgas4j.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import org.pgas4j.UsageException;

/** Files that are written when a job has ended. */
final class OutputFile {

    private OutputFile() {
    }

    /**
     * Refuses, before the job, a file that cannot be written; null is none.
     *
     * @throws UsageException if it is a directory, or in one that cannot be written
     */
    static void check(String option, Path file) {
        if (file != null) {
            Path parent = file.toAbsolutePath().getParent();
            if (Files.isDirectory(file) || parent == null || !Files.isWritable(parent)) {
                throw new UsageException(option + " " + file + ": not a file in a directory that can be written");
            }
        }
    }
}
