package org.pgas4j.device;

/**
 * Names exported device memory to other processes of the node.
 *
 * @param backend {@code cuda} or {@code host}
 * @param ordinal device it is on
 * @param bytes   its size
 * @param token   the backend's own: a CUDA IPC handle, or the path of a memory file
 */
public record DeviceHandle(String backend, int ordinal, long bytes, byte[] token) {
}
