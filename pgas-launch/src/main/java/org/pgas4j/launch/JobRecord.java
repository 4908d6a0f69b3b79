package org.pgas4j.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.JobSecret;
import org.pgas4j.bootstrap.ProcessLayout;

/**
 * Record that the launcher sends a JVM through its standard input: one line.
 *
 * @param job         id of the job
 * @param port        of the coordinator, on the loopback interface
 * @param process     number of the JVM
 * @param node        the JVMs of the job on this node, and its layout
 * @param launcherPid process id of the process that starts the JVM
 * @param graceMs     time for an orderly end after the job has failed
 * @param tag         true if lines of output carry their rank
 * @param directory   of the job; null if it has none
 * @param board       status board of the ranks of this node; null without
 * @param secret      of the job
 */
record JobRecord(String job, int port, int process, NodeShare node, long launcherPid, long graceMs, boolean tag,
                 Path directory, Path board, JobSecret secret) {

    private static final String MAGIC = "PGAS4J-JOB-3";
    private static final int MAX_BYTES = 8192;
    private static final int FIELDS = 16;

    /** Of the whole job. */
    ProcessLayout layout() {
        return node.layout();
    }

    byte[] encode() {
        String directoryText = directory == null ? "" : directory.toString();
        if (directoryText.contains("\t") || directoryText.contains("\n")) {
            throw new UsageException("the job directory has a tab or line end in its name: " + directoryText);
        }
        return (String.join("\t", MAGIC, job, Integer.toString(port), Integer.toString(process),
                Integer.toString(node.node()), node.host() == null ? "" : node.host(), Integer.toString(node.first()),
                Integer.toString(node.end()), Integer.toString(layout().processes()),
                Integer.toString(layout().ranks()), Long.toString(launcherPid),
                Long.toString(graceMs), Boolean.toString(tag), directoryText,
                board == null ? "" : board.toString(), secret.toHex()) + "\n")
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
            NodeShare node = new NodeShare(Integer.parseInt(fields[4]), fields[5].isEmpty() ? null : fields[5],
                    Integer.parseInt(fields[6]), Integer.parseInt(fields[7]),
                    new ProcessLayout(Integer.parseInt(fields[8]), Integer.parseInt(fields[9])));
            return new JobRecord(fields[1], Integer.parseInt(fields[2]), Integer.parseInt(fields[3]), node,
                    Long.parseLong(fields[10]), Long.parseLong(fields[11]), Boolean.parseBoolean(fields[12]),
                    fields[13].isEmpty() ? null : Path.of(fields[13]),
                    fields[14].isEmpty() ? null : Path.of(fields[14]), JobSecret.ofHex(fields[15]));
        } catch (IllegalArgumentException e) {
            throw new UsageException("the job on standard input is malformed: " + e.getMessage(), e);
        }
    }
}
