package org.pgas4j.space.transfer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.pgas4j.DeviceException;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ReduceOp;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.DeviceHandle;
import org.pgas4j.device.ExportedRange;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Private device memory of ranks that all others have mapped: each rank shows a range of its own, or none. Made collectively by
 * ranks whose devices reach each other. Used by the rank's thread.
 */
public final class SharedRegion implements AutoCloseable {

    private static final int PART = ScalarAllReduce.MAX_WORDS - 1; // of a broadcast

    private final int rank;
    private final int ranks;
    private final Segments segments;
    private final Peers peers;
    private final Accelerator accelerator;
    private final ScalarAllReduce words;
    private final long address;
    private final List<DeviceMemory> mapped = new ArrayList<>();
    private final long[] shifts;

    /**
     * Shows a range and maps those of the others.
     *
     * @param address as kernels of the rank's device see it
     * @param bytes   0 if this rank shows nothing
     * @throws DeviceException on every rank, if one could not export its range or map another's
     */
    public SharedRegion(int rank, int ranks, Segments segments, Peers peers, Accelerator accelerator, ScalarAllReduce words,
                        long address, long bytes) {
        this.rank = rank;
        this.ranks = ranks;
        this.segments = segments;
        this.peers = peers;
        this.accelerator = accelerator;
        this.words = words;
        this.address = address;
        Shown own = new Shown(address, bytes, start(rank), null);
        DeviceException failure = null;
        try {
            if (bytes > 0 && !isOneJvm()) {
                own = new Shown(address, bytes, start(rank), accelerator.exportRange(address, bytes));
            }
        } catch (DeviceException e) {
            failure = e;
        }
        agree(failure);
        long[] found = new long[ranks]; // what is to be added to an owner's offset from its segment
        for (int owner = 0; owner < ranks; owner++) {
            long[] record = new long[Shown.WORDS];
            if (owner == rank) {
                own.write(record);
            }
            broadcast(owner, record);
            try {
                Shown shown = Shown.read(record, accelerator.backend());
                found[owner] = failure != null || owner == rank || shown.bytes() == 0 ? 0 : shift(owner, shown);
            } catch (DeviceException e) {
                failure = e;
            }
        }
        try {
            agree(failure);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        this.shifts = gather(found);
    }

    /** True if all ranks are of this JVM, and find each range where its owner does. */
    public boolean isOneJvm() {
        return segments.isLocal(0) && segments.isLocal(ranks - 1);
    }

    /** Address of a rank's segment on this device. */
    private long start(int owner) {
        return peers.device(owner).address() + segments.deviceOffset(owner);
    }

    private long shift(int owner, Shown shown) {
        long here = shown.address();
        if (!segments.isLocal(owner)) {
            DeviceMemory memory = accelerator.importMemory(shown.range().handle());
            mapped.add(memory);
            here = memory.address() + shown.range().offset();
        }
        return here - start(owner) - (shown.address() - shown.segment());
    }

    private void agree(DeviceException failure) {
        long failed = words.allReduce(failure == null ? -1 : rank, ReduceOp.MAX);
        if (failure != null) {
            throw failure;
        }
        if (failed >= 0) {
            throw new DeviceException("memory to be shown by rank " + rank + ": rank " + failed + " could not share its own or map"
                    + " that of others");
        }
    }

    private void broadcast(int root, long[] record) {
        for (int first = 0; first < record.length; first += PART) {
            long[] part = Arrays.copyOfRange(record, first, Math.min(first + PART, record.length));
            words.broadcast(root, part);
            System.arraycopy(part, 0, record, first, part.length);
        }
    }

    /** Shifts of this rank's range, as each rank has found them. */
    private long[] gather(long[] found) {
        long[] own = new long[ranks];
        for (int of = 0; of < ranks; of++) {
            long[] theirs = of == rank ? found.clone() : new long[ranks];
            broadcast(of, theirs);
            own[of] = theirs[rank];
        }
        return own;
    }

    /** Address of this rank's range on its own device. */
    public long address() {
        return address;
    }

    /**
     * Bytes to be added to an offset of this rank's range from its segment, for rank {@code by}: counted from where that rank finds
     * the segment, it finds the memory there.
     */
    public long shift(int by) {
        return shifts[by];
    }

    /** Unmaps the others' ranges; nothing here may use them any more. A rank frees its own when all have closed this. */
    @Override
    public void close() {
        CloseHelper.closeAll(mapped);
    }

    /**
     * A rank's range, in words.
     *
     * @param segment address of the rank's segment
     * @param range   as exported; null if all ranks are of one JVM
     */
    private record Shown(long address, long bytes, long segment, ExportedRange range) {

        private static final int TOKEN = 7;
        private static final int MAX_TOKEN = 15; // words
        static final int WORDS = TOKEN + MAX_TOKEN;

        void write(long[] record) {
            record[0] = address;
            record[1] = bytes;
            record[2] = segment;
            if (range == null) {
                return;
            }
            byte[] token = range.handle().token();
            if (token.length > MAX_TOKEN * Long.BYTES) {
                throw new IllegalStateException("handle of " + token.length + " bytes (expected: at most " + MAX_TOKEN * Long.BYTES + ")");
            }
            record[3] = range.offset();
            record[4] = range.handle().bytes();
            record[5] = range.handle().ordinal();
            record[6] = token.length;
            for (int i = 0; i < token.length; i++) {
                record[TOKEN + i / Long.BYTES] |= (token[i] & 0xffL) << i % Long.BYTES * Byte.SIZE;
            }
        }

        static Shown read(long[] record, String backend) {
            byte[] token = new byte[(int) record[6]];
            for (int i = 0; i < token.length; i++) {
                token[i] = (byte) (record[TOKEN + i / Long.BYTES] >>> i % Long.BYTES * Byte.SIZE);
            }
            return new Shown(record[0], record[1], record[2],
                    new ExportedRange(new DeviceHandle(backend, (int) record[5], record[4], token), record[3]));
        }
    }
}
