package org.pgas4j.launch.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.pgas4j.UsageException;
import org.pgas4j.bootstrap.node.NodeIdentity;

/**
 * A process that cannot be mistaken for a later one of the same number.
 *
 * @param boot      id of the kernel's boot
 * @param namespace of process numbers
 * @param pid       process number
 * @param start     time of its start, ticks since boot
 */
public record ProcessIdentity(String boot, String namespace, long pid, long start) {

    private static final int START_FIELD = 22;

    /** Of this process. */
    public static ProcessIdentity current() throws IOException {
        long pid = ProcessHandle.current().pid();
        return new ProcessIdentity(NodeIdentity.bootId(), pidNamespace(), pid, startOf(pid));
    }

    /** One line. */
    public String encode() {
        return boot + " " + namespace + " " + pid + " " + start + "\n";
    }

    /**
     * Decodes a text of {@link #encode()}.
     *
     * @throws UsageException if the text is none
     */
    public static ProcessIdentity decode(String text) {
        String[] fields = text.strip().split(" ");
        try {
            if (fields.length == 4) {
                return new ProcessIdentity(fields[0], fields[1], Long.parseLong(fields[2]), Long.parseLong(fields[3]));
            }
        } catch (NumberFormatException e) {
            throw new UsageException("not a process identity: " + text.strip(), e);
        }
        throw new UsageException("not a process identity: " + text.strip());
    }

    /** True if it certainly runs no more; one of another namespace of process numbers cannot be judged. */
    public boolean isDead() throws IOException {
        if (!boot.equals(NodeIdentity.bootId())) {
            return true;
        }
        return namespace.equals(pidNamespace()) && startOf(pid) != start;
    }

    private static String pidNamespace() throws IOException {
        return NodeIdentity.namespace("pid");
    }

    /** -1 if there is no such process. */
    private static long startOf(long pid) throws IOException {
        String stat;
        try {
            stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        } catch (NoSuchFileException _) {
            return -1;
        }
        // the second field is the command in parentheses and may contain anything
        String[] rest = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(rest[START_FIELD - 3]);
    }
}
