package org.pgas4j;

/** Kind of memory: that of the host, or that of the device a rank is bound to. */
public enum MemoryKind {
    HOST(0),
    DEVICE(1);

    private static final MemoryKind[] BY_CODE = values();

    private final int code;

    MemoryKind(int code) {
        this.code = code;
    }

    /** Number of the kind in messages and shared memory; never reused. */
    public int code() {
        return code;
    }

    /**
     * The kind with a code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static MemoryKind ofCode(long code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("memory kind " + code + " (expected: 0.." + (BY_CODE.length - 1) + ")");
        }
        return BY_CODE[(int) code];
    }
}
