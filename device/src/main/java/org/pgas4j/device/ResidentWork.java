package org.pgas4j.device;

/**
 * A kernel that stays on a device until it is stopped, such as the resident block. Calls of a driver that wait for all running
 * kernels, such as freeing memory, would wait for it: the device suspends it before and resumes it after.
 */
public interface ResidentWork {

    /**
     * Stops the kernel, and keeps it from being launched until {@link #resume} has been called as often. Returns without
     * waiting for the kernel's end. Any thread, even one that launches the kernel.
     */
    void suspend();

    /** Undoes one {@link #suspend}. */
    void resume();
}
