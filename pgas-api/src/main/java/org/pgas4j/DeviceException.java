package org.pgas4j;

/** A device is missing, refused a call or is out of memory. */
public class DeviceException extends PgasException {

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
