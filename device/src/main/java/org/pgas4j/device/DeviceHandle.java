package org.pgas4j.device;

/**
 * Handle of exported device memory, for other processes of the node.
 *
 * @param backend {@code cuda} or {@code host}
 * @param ordinal ordinal of its device
 * @param bytes   size of the memory
 * @param token   data of the backend: a CUDA IPC handle, or the path of a memory file
 */
public record DeviceHandle(String backend, int ordinal, long bytes, byte[] token) {
}
