package org.pgas4j.runtime.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.pgas4j.UsageException;
import org.pgas4j.runtime.bootstrap.JobSecret;
import org.pgas4j.runtime.bootstrap.ProcessLayout;

/**
 * What the launcher tells a JVM through its standard input: one line.
 *
 * @param job         id of the job
 * @param port        of the coordinator, on the loopback interface
 * @param process     number of the JVM
 * @param layout      of the job
 * @param launcherPid process id of the launcher
 * @param graceMs     time for an orderly end after the job has failed
 * @param tag         true if lines of output carry their rank
 * @param directory   of the job; null if it has none
 * @param secret      of the job
 */
record JobRecord(String job, int port, int process, ProcessLayout layout, long launcherPid, long graceMs, boolean tag,
                 Path directory, JobSecret secret) {

    private static final String MAGIC = "PGAS4J-JOB-1";
    private static final int MAX_BYTES = 8192;
    private static final int FIELDS = 11;

    byte[] encode() {
        String directoryText = directory == null ? "" : directory.toString();
        if (directoryText.contains("\t") || directoryText.contains("\n")) {
            throw new UsageException("the job directory has a tab or line end in its name: " + directoryText);
        }
        return (String.join("\t", MAGIC, job, Integer.toString(port), Integer.toString(process),
                Integer.toString(layout.processes()), Integer.toString(layout.ranks()), Long.toString(launcherPid),
                Long.toString(graceMs), Boolean.toString(tag), directoryText, secret.toHex()) + "\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the line and nothing after it. */
    static JobRecord read(InputStream in) throws IOException {
        byte[] bytes = new byte[MAX_BYTES];
        int length = 0;
        while (true) {
            int next = in.read();
            if (next == '\n') {
                break;
            }
            if (next < 0 || length == MAX_BYTES) {
                throw new UsageException("no job on standard input: RankMain is started by pgasrun only");
            }
            bytes[length++] = (byte) next;
        }
        String[] fields = new String(bytes, 0, length, StandardCharsets.UTF_8).split("\t", -1);
        if (fields.length != FIELDS || !fields[0].equals(MAGIC)) {
            throw new UsageException("standard input starts with something else than a job (" + fields.length
                    + " fields): launcher and ranks must run the same pgas4j");
        }
        try {
            return new JobRecord(fields[1], Integer.parseInt(fields[2]), Integer.parseInt(fields[3]),
                    new ProcessLayout(Integer.parseInt(fields[4]), Integer.parseInt(fields[5])),
                    Long.parseLong(fields[6]), Long.parseLong(fields[7]), Boolean.parseBoolean(fields[8]),
                    fields[9].isEmpty() ? null : Path.of(fields[9]), JobSecret.ofHex(fields[10]));
        } catch (IllegalArgumentException e) {
            throw new UsageException("the job on standard input is malformed: " + e.getMessage(), e);
        }
    }
}
