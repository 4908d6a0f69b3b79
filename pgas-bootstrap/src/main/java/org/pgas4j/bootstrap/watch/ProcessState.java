package org.pgas4j.bootstrap.watch;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** State of a process of this node, from the kernel. */
public final class ProcessState {

    private ProcessState() {
    }

    /** True if it is stopped, by SIGSTOP or a debugger. */
    public static boolean isStopped(long pid) {
        if (pid <= 0) {
            return false;
        }
        try {
            // pid (name) state ...: the name may hold anything
            String text = new String(Files.readAllBytes(Path.of("/proc/" + pid + "/stat")), StandardCharsets.ISO_8859_1);
            int state = text.lastIndexOf(')') + 2;
            return state < text.length() && (text.charAt(state) == 'T' || text.charAt(state) == 't');
        } catch (IOException e) {
            System.getLogger("pgas.watch").log(Level.DEBUG, "process " + pid + " cannot be seen", e);
            return false;
        }
    }
}
