package org.pgas4j.space.transfer;

import java.util.Arrays;
import java.util.function.Supplier;
import org.pgas4j.Handle;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.DeviceWork;
import org.pgas4j.device.StreamEvent;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.helper.resident.ResidentBlock;
import org.pgas4j.helper.resident.ResidentOptions;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.sync.Waiter;

/**
 * The stream on which a rank's own transfers run, and how far it has come. A sequence number stands for each queued
 * transfer; they complete in order, so one event at the end tells about all before it. A second stream takes copies that may run
 * beside them; it begins after what is queued before its first copy, and the first one waits for its end before anything else is
 * queued or looked at.
 *
 * <p>A resident block takes small transfers while the streams have nothing left to do, and the streams take over when it has
 * nothing left to do. So what is not complete belongs to one of them, and all transfers still complete in order. Used by the
 * rank's thread.
 */
final class TransferStream implements AutoCloseable {

    private static final long SLICE_NS = 50_000_000;
    /** Looks that a small copy of the device ends in: they cost less than leaving what follows it to a service. */
    private static final int LOOKS = 512;
    private static final long SERVING_SLICE_NS = 20_000;
    private static final long CALM_SLICE_NS = 200_000;
    private static final long LONGEST_CALM_SLICE_NS = 1_000_000;
    private static final int CALM_SLICES = 16;

    private final int rank;
    private final Accelerator accelerator;
    private final Waiter waiter;
    private final ProgressEngine progress;
    private final StreamsAhead ahead;
    private final Supplier<AcceleratorStream> spare = this::created;
    private final Supplier<String> residentWait = this::describeResident;
    private ResidentOptions residentOptions = ResidentOptions.OFF;
    private ResidentBlock resident;
    private AcceleratorStream stream;
    private AcceleratorStream second;
    private boolean forked; // the second stream has copies that the first does not wait for
    private boolean secondIsLast; // to have been taken for a copy
    private long queued;
    private long completed;
    private StreamEvent marker;
    private long markerSequence;

    TransferStream(int rank, Accelerator accelerator, Waiter waiter, ProgressEngine progress) {
        this.rank = rank;
        this.accelerator = accelerator;
        this.waiter = waiter;
        this.progress = progress;
        this.ahead = new StreamsAhead(rank, waiter, progress);
    }

    /** How far streams of the rank may run ahead. */
    StreamsAhead ahead() {
        return ahead;
    }

    /** The stream; what is queued next follows everything before it. */
    AcceleratorStream stream() {
        join();
        return first();
    }

    /** The stream; what is queued next need not follow the second one. Most ranks of a large job on the host never make it. */
    AcceleratorStream first() {
        if (isResident()) {
            awaitResident(0);
        }
        return created();
    }

    /** The first stream as it is; what is queued next need not follow anything. */
    AcceleratorStream created() {
        if (stream == null) {
            stream = accelerator.newStream();
        }
        return stream;
    }

    /** The second stream; what is queued next need not precede what is queued on the first. */
    AcceleratorStream second() {
        AcceleratorStream before = first();
        if (second == null) {
            second = accelerator.newStream();
        }
        if (!forked) {
            follow(second, before);
            forked = true;
        }
        secondIsLast = true;
        return second;
    }

    /**
     * A stream for a copy that need not follow the one before it: where the second stream is in use, the one that the copy before
     * did not take, so that one copy begins while the other ends.
     */
    AcceleratorStream other() {
        if (forked && !secondIsLast) {
            return second();
        }
        secondIsLast = false;
        return first();
    }

    private void join() {
        if (forked) {
            forked = false;
            follow(stream, second);
        }
    }

    private static void follow(AcceleratorStream later, AcceleratorStream earlier) {
        if (!earlier.isIdle()) {
            try (StreamEvent end = earlier.record()) {
                later.await(end);
            }
        }
    }

    // ---- the resident block

    /** Sets whether the rank has a resident block, before the first transfer. */
    void resident(ResidentOptions options) {
        residentOptions = options;
    }

    /** Settings of the resident block. */
    ResidentOptions residentOptions() {
        return residentOptions;
    }

    /**
     * The resident block, if it can take a transfer of {@code bytes} bytes now, else null. Waits for room where it has too many;
     * {@link #posted} counts what it is given.
     */
    ResidentBlock residentFor(long bytes) {
        if (bytes > residentOptions.maxBytes() || !residentOptions.enabled() || !isResident() && !isComplete()) {
            return null;
        }
        if (resident == null) {
            resident = new ResidentBlock(accelerator, residentOptions);
        }
        if (resident.isFull()) {
            awaitResident(ResidentBlock.ROOM);
        }
        return resident.isReady() ? resident : null;
    }

    /** True if what is not complete is the resident block's. */
    private boolean isResident() {
        return resident != null && resident.outstanding() > 0;
    }

    /** Completes transfers of the resident block until it has that many. */
    private void awaitResident(int left) {
        waiter.activity().enter(Phase.TRANSFER);
        waiter.begin();
        try {
            while (!leavesResident(left)) {
                waiter.pause(residentWait);
            }
        } catch (RuntimeException e) {
            throw waiter.activity().failed(e);
        }
        waiter.activity().leave();
    }

    private boolean leavesResident(int left) {
        if (resident.outstanding() > left) {
            resident.poll(spare);
        }
        completed = queued - resident.outstanding();
        return resident.outstanding() <= left;
    }

    private String describeResident() {
        return "transfer of rank " + rank + " by its resident block, which has " + resident.outstanding() + " requests";
    }

    // ---- sequence

    /** Counts a transfer that was just queued on one of the streams; returns its number. */
    long transferQueued(AcceleratorStream on) {
        if (isResident()) {
            throw new IllegalStateException("rank " + rank + " has queued work while its resident block has "
                    + resident.outstanding() + " requests: their order is lost");
        }
        queued++;
        ahead.keepUp(on);
        return queued;
    }

    /** Counts a transfer that was just given to the resident block; returns its number. */
    long posted() {
        return ++queued;
    }

    /** A handle for the transfer queued last. */
    Handle handle() {
        long sequence = queued;
        return new Handle() {
            @Override
            public void sync() {
                if (completed < sequence) {
                    TransferStream.this.sync();
                }
            }

            @Override
            public boolean trySync() {
                if (isComplete(sequence)) {
                    return true;
                }
                waiter.throwIfAborted();
                return false;
            }
        };
    }

    /** True if something is queued that is not known to be complete. */
    boolean pending() {
        return completed < queued;
    }

    /** True if the transfer with this number is complete; never blocks. */
    boolean isComplete(long sequence) {
        if (completed >= sequence) {
            return true;
        }
        if (isResident()) {
            leavesResident(0);
            return completed >= sequence;
        }
        join();
        if (marker != null && marker.isDone()) {
            completed = markerSequence;
            dropMarker();
            if (completed >= sequence) {
                return true;
            }
        }
        if (stream.isIdle()) {
            completed = queued;
            dropMarker();
            return true;
        }
        if (marker == null) {
            marker = stream.record();
            markerSequence = queued;
        }
        return false;
    }

    /** True if everything queued is complete; never blocks. */
    boolean isComplete() {
        return isComplete(queued);
    }

    /** True if everything queued completes within a few looks; waits for a resident block, which takes no longer. */
    boolean completesSoon() {
        if (isResident()) {
            awaitResident(0);
        }
        join();
        if (pending()) {
            stream.expectEnd();
        }
        for (int look = 0; pending(); look++) {
            if (stream.isIdle()) {
                completed = queued;
                dropMarker();
            } else if (look == LOOKS) {
                return false;
            }
        }
        return true;
    }

    /** Completes everything queued. */
    void sync() {
        if (isResident()) {
            awaitResident(0);
        } else if (pending()) {
            join();
            if (stream.isKnownIdle()) {
                ahead.settle();
            } else {
                awaitStream();
            }
            completed = queued;
            dropMarker();
        }
    }

    private void awaitStream() {
        waiter.activity().enter(Phase.TRANSFER);
        try {
            syncBusy(stream, "transfer on the device");
        } catch (RuntimeException e) {
            throw waiter.activity().failed(e);
        }
        waiter.activity().leave();
    }

    /** Waits for the device; the rank is busy meanwhile, and helpers may serve it. */
    void syncBusy(DeviceWork work, String what) {
        progress.beginBusy();
        long startNs = System.nanoTime();
        try {
            sync(startNs, work, what);
            ahead.settle();
        } finally {
            waiter.activity().waitedForDevice(System.nanoTime() - startNs);
            progress.endBusy();
        }
    }

    /**
     * Time until services are looked at again that nobody waits for. A look takes 20 us of a processor, so that where ranks have them
     * all, a long wait looks less often: those ten in each 2 ms cost a product beside it a tenth.
     *
     * @param calmNs since they had nothing to do
     */
    long calmSliceNs(long calmNs) {
        return waiter.hasSpareProcessors() ? CALM_SLICE_NS
                : Math.clamp(calmNs / CALM_SLICES, CALM_SLICE_NS, LONGEST_CALM_SLICE_NS);
    }

    /**
     * Waits in slices, so that the end of the job elsewhere ends this wait too. Where there are services, the stream may wait for
     * what they do: they are polled in between, less often if nobody waits for them.
     */
    private void sync(long startNs, DeviceWork work, String what) {
        long deadline = waiter.deadline(startNs);
        long nowNs = startNs;
        long calmNs = startNs;
        while (true) {
            boolean serving = progress.hasServices();
            if (serving) {
                boolean served = progress.poll();
                nowNs = System.nanoTime();
                calmNs = served ? nowNs : calmNs;
            }
            long slice = nowNs + (!serving ? SLICE_NS : progress.hasUrgentServices() ? SERVING_SLICE_NS
                    : calmSliceNs(nowNs - calmNs));
            if (work.sync(slice - deadline < 0 ? slice : deadline)) {
                return;
            }
            waiter.throwIfAborted();
            nowNs = System.nanoTime();
            if (nowNs - deadline >= 0) {
                throw waiter.timeout(what + " of rank " + rank);
            }
        }
    }

    private void dropMarker() {
        if (marker != null) {
            marker.close();
            marker = null;
        }
    }

    @Override
    public void close() {
        dropMarker();
        ahead.close();
        CloseHelper.closeAll(Arrays.asList(stream, second, resident)); // streams may still read the block's memory
    }
}
