package org.pgas4j.runtime.bootstrap;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where a process is, for messages. */
public final class Place {

    private static final String HOST = host();

    private Place() {
    }

    /** For example {@code node7 pid 4711 ranks 2-3}. */
    public static String of(long pid, String ranks) {
        return HOST + " pid " + pid + " " + ranks;
    }

    /** The same of this process. */
    public static String here(String ranks) {
        return of(ProcessHandle.current().pid(), ranks);
    }

    /** For example {@code node7 pid 4711}. */
    public static String process() {
        return HOST + " pid " + ProcessHandle.current().pid();
    }

    /** From the kernel: asking a name service could take long. */
    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "no host name", e);
            return "localhost";
        }
    }
}
