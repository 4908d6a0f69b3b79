package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pgas4j.os.Libc;
import org.pgas4j.os.SharedMemory;

/** Whether another process of this user can open shared memory of this one, as the ranks of several JVMs do. */
final class SharingCheck implements Check {

    private static final String WHAT = "shared memory";
    private static final long BYTES = 4096;
    private static final byte MARK = 42;
    private static final long WAIT_S = 5;

    @Override
    public String name() {
        return WHAT;
    }

    @Override
    public List<Verdict> run() throws IOException, InterruptedException {
        try (SharedMemory memory = SharedMemory.create("pgas-doctor", BYTES)) {
            memory.segment().set(ValueLayout.JAVA_BYTE, BYTES - 1, MARK);
            return List.of(fromChild(memory.path()), ofChild());
        } catch (Libc.LibcException e) {
            return List.of(judgeMade(e.getMessage()));
        }
    }

    private static Verdict fromChild(String path) throws IOException, InterruptedException {
        Process child = new ProcessBuilder("cat", path).redirectErrorStream(true).start();
        try {
            byte[] seen = child.getInputStream().readNBytes((int) BYTES);
            boolean ended = child.waitFor(WAIT_S, TimeUnit.SECONDS);
            return judgeOpened(ended && child.exitValue() == 0 && seen.length == BYTES && seen[(int) BYTES - 1] == MARK,
                    new String(seen, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("nothing read"));
        } finally {
            child.destroyForcibly();
        }
    }

    /** A rank also reads the owner of a peer, and its open files. */
    private static Verdict ofChild() throws IOException {
        Process child = new ProcessBuilder("cat").start(); // until its input ends
        try {
            return judgeChild(Files.isReadable(Path.of("/proc/" + child.pid() + "/fd"))
                    && Files.exists(Path.of("/proc/" + child.pid() + "/fd/0")), child.pid());
        } finally {
            child.destroyForcibly();
        }
    }

    static Verdict judgeMade(String failure) {
        return Verdict.fail(WHAT, failure, failure.contains("memfd_create") ? "let the container's seccomp profile allow"
                + " memfd_create (docker: its default profile does)" : "free memory, or raise the container's limit");
    }

    /** @param said output of the process if it failed */
    static Verdict judgeOpened(boolean works, String said) {
        return works ? Verdict.ok(WHAT, "another process opens it through /proc")
                : Verdict.fail(WHAT, "another process cannot open it: " + said, "mount /proc into the container; all"
                        + " processes of a job need one user and one PID namespace");
    }

    static Verdict judgeChild(boolean readable, long pid) {
        return readable ? Verdict.ok("/proc", "/proc/<pid>/fd of a child can be read")
                : Verdict.fail("/proc", "/proc/" + pid + "/fd of a child cannot be read",
                        "run all processes as one user, without setuid or file capabilities on java");
    }
}
