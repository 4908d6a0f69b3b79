package org.pgas4j.testkit;

import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.Rank;
import org.pgas4j.SharedPointer;

/** The ways to start a put that a fence completes. */
enum PutForm {

    BLOCKING,
    HANDLE,
    IMPLICIT,
    DEVICE,
    STREAM;

    /** True if the device's block is put. */
    boolean isFromDevice() {
        return this == DEVICE || this == STREAM;
    }

    /** Starts a put of one of two blocks, of the host and of the rank's device, which stays untouched until the next fence. */
    void start(Rank rank, SharedPointer dst, Buffer host, Buffer device) {
        switch (this) {
            case BLOCKING -> rank.memput(dst, host);
            case HANDLE -> rank.rma().put(dst, host, Completion.HANDLE);
            case IMPLICIT -> rank.rma().put(dst, host, Completion.IMPLICIT);
            case DEVICE -> rank.memput(dst, device);
            case STREAM -> rank.stream().memput(dst, device);
        }
    }
}
