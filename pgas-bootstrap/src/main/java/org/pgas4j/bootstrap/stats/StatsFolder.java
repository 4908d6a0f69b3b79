package org.pgas4j.bootstrap.stats;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.RankCounters;

/** Files of counters in a directory of the job, one for each JVM and run. */
public final class StatsFolder {

    private static final String PREFIX = "stats-";

    private StatsFolder() {
    }

    /**
     * Writes the counters of a JVM's ranks; the file is there whole or not at all, and replaces one of the same run. Any thread.
     *
     * @param run     number of the run in the job
     * @param process number of the JVM
     */
    public static void write(Path folder, int run, int process, List<RankCounters> ranks) throws IOException {
        Path temporary = Files.createTempFile(folder, "new-" + PREFIX, null); // readable by its owner alone
        Files.write(temporary, CountersCodec.encode(ranks));
        Files.move(temporary, folder.resolve(PREFIX + run + "-" + process), StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** The files of a directory, each as {@link JobStats#add} takes it. */
    public static List<byte[]> read(Path folder) throws IOException {
        List<byte[]> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, PREFIX + "*")) {
            for (Path file : found) {
                files.add(Files.readAllBytes(file));
            }
        }
        return files;
    }
}
