package org.pgas4j;

/**
 * Java code of a kernel uses something that devices cannot run. Thrown before anything is launched. The message names the kernel,
 * class, method and line, and says what to write instead.
 */
public final class KernelRefusedException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    public KernelRefusedException(String message) {
        super(message);
    }

    public KernelRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
