package org.pgas4j.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.pgas4j.bootstrap.stats.JobStats;
import org.pgas4j.bootstrap.stats.MatrixPicture;
import org.pgas4j.bootstrap.stats.StatsJson;
import org.pgas4j.bootstrap.stats.StatsReport;

/**
 * Summary of a job at its end.
 *
 * @param print   true for standard error
 * @param json    file for all counters, or null
 * @param picture file for the communication matrix, or null
 */
record StatsOutput(boolean print, Path json, Path picture) {

    StatsOutput {
        OutputFile.check("--stats-json", json);
        OutputFile.check("--stats-picture", picture);
    }

    /** True if the ranks are to hand in their counters. */
    boolean isWanted() {
        return print || json != null || picture != null;
    }

    /**
     * Prints and writes what is wanted; a file that cannot be written is reported and does not change the job's status.
     *
     * @param ranks of the job
     * @param files counters of the JVMs that have handed them in
     */
    void write(int ranks, List<byte[]> files) {
        JobStats stats = new JobStats(ranks);
        try {
            for (byte[] file : files) {
                stats.add(file);
            }
        } catch (IOException e) {
            System.err.println("pgas4j: counters of a JVM cannot be read: " + e.getMessage());
        }
        if (print) {
            System.err.print(StatsReport.of(stats));
            System.err.flush();
        }
        write(json, StatsJson.of(stats));
        write(picture, MatrixPicture.of(stats));
    }

    private static void write(Path file, String text) {
        if (file != null) {
            try {
                Files.writeString(file, text);
            } catch (IOException e) {
                System.err.println("pgas4j: cannot write " + file + ": " + e);
            }
        }
    }
}
