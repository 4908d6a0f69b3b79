package org.pgas4j.bootstrap;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;

/** Place of a process, for messages. */
public final class Place {

    private static volatile String host = host();

    private Place() {
    }

    /** Sets the name that this host has in the job; at the start of a process. */
    public static void onHost(String name) {
        host = name;
    }

    /** For example {@code node7 pid 4711 ranks 2-3}. */
    public static String of(long pid, String ranks) {
        return host + " pid " + pid + " " + ranks;
    }

    /** The same of this process. */
    public static String here(String ranks) {
        return of(ProcessHandle.current().pid(), ranks);
    }

    /** Name of this host. */
    public static String hostName() {
        return host;
    }

    /** For example {@code node7 pid 4711}. */
    public static String process() {
        return host + " pid " + ProcessHandle.current().pid();
    }

    /** From the kernel: a name service could take long. */
    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(Level.DEBUG, "no host name", e);
            return "localhost";
        }
    }
}
