package org.pgas4j;

/**
 * The Java body of a {@link Kernel} or of a {@link GridProgram} threw on the host device. The message names program, rank and
 * block; {@link #getCause()} is what the body threw. The device itself is well, so the exit code is that of a program's exception.
 */
public final class KernelException extends DeviceException {

    private static final long serialVersionUID = 1L;

    public KernelException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.PROGRAM.number();
    }
}
