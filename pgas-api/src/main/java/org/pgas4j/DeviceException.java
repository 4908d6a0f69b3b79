package org.pgas4j;

/** A device is missing, refused a call or is out of memory. */
public sealed class DeviceException extends PgasException permits KernelException {

    private static final long serialVersionUID = 1L;

    public DeviceException(String message) {
        super(message);
    }

    public DeviceException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public int exitCode() {
        return ExitCode.DEVICE.number();
    }
}
