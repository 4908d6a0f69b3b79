package org.pgas4j.testkit.campaign;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.pgas4j.PgasException;

/**
 * Resources of the machine that this process holds, as the kernel counts them.
 *
 * @param residentBytes memory in use, what others use too included
 * @param privateBytes  of that, what is this process's alone and in no file (RssAnon)
 * @param codeBytes     of that, about: compiled code and classes, memory the JVM has committed outside its heap
 * @param threads       of any kind
 * @param files         open file descriptors
 * @param maps          mapped ranges of memory
 */
record Resources(long residentBytes, long privateBytes, long codeBytes, int threads, int files, int maps) {

    private static final Path SELF = Path.of("/proc/self");

    /** Opens files to look, which a look of another thread at that moment counts: let one thread do it while others are idle. */
    static Resources now() {
        try (Stream<Path> files = Files.list(SELF.resolve("fd")); Stream<String> maps = Files.lines(SELF.resolve("maps"))) {
            return new Resources(status("VmRSS:") << 10, status("RssAnon:") << 10,
                    ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted(), (int) status("Threads:"),
                    (int) files.count(), (int) maps.count());
        } catch (IOException e) {
            throw new PgasException("what this process holds cannot be read: " + e.getMessage(), e);
        }
    }

    /** As {@link #now()}, after what was freed and kept for later by the allocator of C is back with the machine. */
    static Resources trimmed() {
        try {
            Object[] noArguments = {new String[0]};
            ManagementFactory.getPlatformMBeanServer().invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "systemTrimNativeHeap", noArguments, new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new PgasException("memory that is free in this process cannot be given back (jcmd System.trim_native_heap): "
                    + e.getMessage(), e);
        }
        return now();
    }

    /** Bytes of memory in use; cheaper than all. */
    static long resident() {
        return status("VmRSS:") << 10;
    }

    private static long status(String field) {
        try {
            for (String line : Files.readAllLines(SELF.resolve("status"))) {
                if (line.startsWith(field)) {
                    return Long.parseLong(line.replaceAll("[^0-9]", ""));
                }
            }
            throw new PgasException("/proc/self/status has no " + field);
        } catch (IOException e) {
            throw new PgasException("/proc/self/status cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "resident=%.1f MiB private=%.1f MiB code=%.1f MiB threads=%d files=%d maps=%d",
                residentBytes / 1048576.0, privateBytes / 1048576.0, codeBytes / 1048576.0, threads, files, maps);
    }
}
