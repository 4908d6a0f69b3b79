package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import org.pgas4j.DeviceMemory;

/** A fastpath get in progress: destination of its answers, and bytes missing. Used for one get after the other. */
final class Request implements Operation {

    private final int slot;
    private long id;
    private int target;
    private MemorySegment host;
    private DeviceMemory device;
    private long offset;
    private long bytes;
    private volatile long remaining;
    private long lostId = -1; // of the get that was given up last

    Request(int slot) {
        this.slot = slot;
        this.id = slot;
    }

    /** Begins another get, with a number that no get had before. */
    void begin(int peer, MemorySegment toHost, DeviceMemory toDevice, long toOffset, long size, int slots) {
        id += slots;
        target = peer;
        host = toHost;
        device = toDevice;
        offset = toOffset;
        bytes = size;
        remaining = size;
    }

    int slot() {
        return slot;
    }

    long id() {
        return id;
    }

    int target() {
        return target;
    }

    MemorySegment host() {
        return host;
    }

    DeviceMemory device() {
        return device;
    }

    long offset() {
        return offset;
    }

    long bytes() {
        return bytes;
    }

    void arrived(long length) {
        remaining = remaining - length; // one owner at a time writes it
    }

    long remaining() {
        return remaining;
    }

    /** Gives the get up: its rank is lost. */
    void lose() {
        lostId = id;
        remaining = 0;
    }

    @Override
    public boolean isComplete() {
        return remaining == 0;
    }

    @Override
    public boolean isLost() {
        return lostId == id;
    }

    /** The get begun last. */
    @Override
    public Operation kept() {
        long number = id;
        return new Operation() {
            @Override
            public boolean isComplete() {
                return id != number || remaining == 0;
            }

            @Override
            public boolean isLost() {
                return lostId == number;
            }

            @Override
            public String describe() {
                return Request.this.describe();
            }
        };
    }

    @Override
    public String describe() {
        return "memget from rank " + target + ", " + remaining + " bytes missing";
    }
}
