package org.pgas4j.runtime.notify;

import java.lang.foreign.MemorySegment;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.HostBuffers;
import org.pgas4j.fastpath.protocol.NotificationSink;
import org.pgas4j.fastpath.protocol.Operation;
import org.pgas4j.helper.ProgressEngine;

/**
 * Performs descriptors one after the other without ever waiting: a call does what can be done and says whether the descriptor
 * is through. Used by one thread at a time, a service's.
 */
final class DescriptorEngine {

    private enum Stage { MOVE, LAND, NOTIFY, DRAIN }

    private final ProgressEngine progress;
    private final Notifier notifier;
    private final Accelerator accelerator;
    private AcceleratorStream stream;
    private Stage stage = Stage.MOVE;
    private Operation operation;

    DescriptorEngine(ProgressEngine progress, Notifier notifier, Accelerator accelerator) {
        this.progress = progress;
        this.notifier = notifier;
        this.accelerator = accelerator;
    }

    /** Sets the stream on which routes of the device copy. */
    void stream(AcceleratorStream own) {
        stream = own;
    }

    /** Moves on; true if the descriptor is performed and its source may be used again. */
    boolean perform(Descriptor what) {
        while (true) {
            switch (stage) {
                case MOVE -> {
                    if (!move(what)) {
                        return false;
                    }
                }
                case LAND -> {
                    accelerator.bind();
                    if (!stream.isIdle()) {
                        return false;
                    }
                    stage = Stage.NOTIFY;
                }
                case NOTIFY -> {
                    if (what.notifies() && !signal(what)) {
                        return false;
                    }
                    stage = Stage.DRAIN;
                }
                case DRAIN -> {
                    if (operation != null && !operation.isComplete() && !isDrained()) {
                        return false;
                    }
                    operation = null;
                    stage = Stage.MOVE;
                    return true;
                }
            }
        }
    }

    private boolean signal(Descriptor what) {
        if (what.block() != NotificationSink.RANK) {
            return notifier.tryNotifyBlock(what.target, what.endpoint, what.block(), what.tag());
        }
        if (!what.isReported()) {
            notifier.reportLater(what.target, what.tag(), what.kind() == NotificationSink.VALUE);
        }
        return notifier.tryNotify(what.target, what.endpoint, what.tag(), what.kind(), what.value());
    }

    private boolean move(Descriptor what) {
        if (what.route == null) {
            stage = Stage.NOTIFY;
            return true;
        }
        MemorySegment host = what.rma.host();
        if (host != null && !host.scope().isAlive()) {
            throw new IllegalStateException("put to rank " + what.target + ": " + HostBuffers.closed(host.byteSize()));
        }
        operation = what.route.tryPut(what.rma, stream);
        if (operation == null) {
            return false;
        }
        // A copy by a device is there when its stream is idle; messages and the conduit keep the notification behind the bytes.
        if (what.route.isByDevice()) {
            stream.expectEnd();
            stage = Stage.LAND;
        } else {
            stage = Stage.NOTIFY;
        }
        return true;
    }

    /** Looks as the port's owner, who sees what the others did. */
    private boolean isDrained() {
        if (progress.tryEnter() == null) {
            return false;
        }
        try {
            return operation.isComplete();
        } finally {
            progress.exit();
        }
    }
}
