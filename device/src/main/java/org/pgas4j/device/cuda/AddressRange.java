package org.pgas4j.device.cuda;

/** Addresses of an allocation, as kernels see them. */
record AddressRange(long start, long bytes) {

    long end() {
        return start + bytes;
    }
}
