package org.pgas4j.kernels;

/** Faults of kernels, with the numbers that pgas_java.cuh has for them. */
enum FaultKind {
    INDEX(1),
    DIVISION(2),
    UNREACHABLE(3),
    THROWN(4),
    MEMORY(5),
    DIMENSIONS(6);

    private final int number;

    FaultKind(int number) {
        this.number = number;
    }

    static FaultKind of(int number) {
        for (FaultKind kind : values()) {
            if (kind.number == number) {
                return kind;
            }
        }
        throw new IllegalArgumentException("fault of a kernel: " + number);
    }
}
