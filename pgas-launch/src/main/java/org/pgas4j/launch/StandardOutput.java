package org.pgas4j.launch;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.pgas4j.ExitCode;

/**
 * Standard output that keeps its first failure, which a {@link java.io.PrintStream} would hide; output after it is
 * dropped. Thread-safe.
 */
final class StandardOutput extends OutputStream {

    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/1");

    /** The first failure to write. */
    record Failure(String message, boolean noReader) {

        /** Code of a process that SIGPIPE ends, or of one with a wrong file. */
        int exitCode() {
            return (noReader ? ExitCode.NO_READER : ExitCode.USAGE).number();
        }

        String line() {
            return "standard output cannot be written: " + message + "; what was printed is lost";
        }
    }

    private final FileOutputStream to = new FileOutputStream(FileDescriptor.out);
    private final Consumer<Failure> onFailure;
    private Failure failure;

    /** @param onFailure receives the first failure, on the thread that writes */
    StandardOutput(Consumer<Failure> onFailure) {
        this.onFailure = onFailure;
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        synchronized (this) {
            if (failure != null) {
                return;
            }
            try {
                to.write(bytes, offset, length);
                return;
            } catch (IOException e) {
                failure = new Failure(String.valueOf(e.getMessage()), isPipe());
            }
        }
        onFailure.accept(failure);
    }

    /** The first failure; null if all was written. */
    synchronized Failure failure() {
        return failure;
    }

    /** A pipe fails only when it has no reader; the system's own message depends on the locale. */
    private static boolean isPipe() {
        try {
            String target = Files.readSymbolicLink(DESCRIPTOR).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException e) {
            System.getLogger("pgas.boot").log(System.Logger.Level.DEBUG, () -> DESCRIPTOR + " cannot be read", e);
            return false;
        }
    }
}
