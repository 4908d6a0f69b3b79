package org.pgas4j.device;

/**
 * A range of exported device memory.
 *
 * @param handle of the allocation that the range is in
 * @param offset bytes from the start of that allocation
 */
public record ExportedRange(DeviceHandle handle, long offset) {
}
