package org.pgas4j;

/**
 * The device a rank is bound to: a GPU, or the host device, on which everything runs with no GPU. Used by the rank's
 * thread.
 */
public interface Device {

    /** Kind of this device. */
    Backend backend();

    /** Number of this device in its backend, from 0. */
    int ordinal();

    /** Name that the device reports, for example {@code NVIDIA H200}. */
    String name();

    /** Memory of the device in bytes. */
    long totalBytes();

    /** Memory of the device free at this moment, in bytes. */
    long freeBytes();

    /**
     * Private memory of this rank on the device, uninitialised; freed by {@link Buffer#close()} or at the end
     * of the rank.
     *
     * @throws DeviceException if the device has not that much free
     */
    Buffer alloc(ElementType type, long length);

    /** As {@link #alloc}: floats. */
    default Buffer allocFloats(long length) {
        return alloc(ElementType.FLOAT, length);
    }

    /** As {@link #alloc}: doubles. */
    default Buffer allocDoubles(long length) {
        return alloc(ElementType.DOUBLE, length);
    }

    /** Number of blocks of {@code threads} threads of a program that can be resident on this device at once. */
    int residentBlocks(GridProgram program, int threads);

    /** A further stream; the rank closes it, or it ends with the rank. */
    Stream newStream();
}
