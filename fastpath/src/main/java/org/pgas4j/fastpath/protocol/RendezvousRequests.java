package org.pgas4j.fastpath.protocol;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.pgas4j.DeviceMemory;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;
import org.pgas4j.fastpath.ring.MessageHeader;
import org.pgas4j.fastpath.ring.RingLayout;

/** Requests rendezvous from peers. For the rank's own thread. */
final class RendezvousRequests {

    private static final int SPINS = 4096;
    private static final long PAGE = 4096;
    private static final long OVERHEAD_BYTES = 256 * 1024;

    private final LocalMemory memory;
    private final PortOptions options;
    private final Pairs pairs;
    private final Rendezvous rendezvous;
    private final PairWaits waits;
    private final CopyStreams own;
    private long ids;

    RendezvousRequests(LocalMemory memory, PortOptions options, Pairs pairs, Rendezvous rendezvous, PairWaits waits,
                       CopyStreams own) {
        this.memory = memory;
        this.options = options;
        this.pairs = pairs;
        this.rendezvous = rendezvous;
        this.waits = waits;
        this.own = own;
    }

    /**
     * Requests a put; its range has been checked. The source is host memory, or device memory if that is given.
     *
     * @param held false if bytes of the own segment stay as they are until the put is complete
     */
    Operation put(Pair pair, MemoryKind kind, long offset, MemorySegment host, DeviceMemory device, long srcOffset, long bytes,
                  boolean held) {
        return begin(pair, true, kind, offset, host, device, srcOffset, bytes, held);
    }

    /** Requests a get; its range has been checked. The sink is host memory, or device memory if that is given. */
    Operation get(Pair pair, MemoryKind kind, long offset, MemorySegment host, DeviceMemory device, long dstOffset, long bytes) {
        return begin(pair, false, kind, offset, host, device, dstOffset, bytes, false);
    }

    private Operation begin(Pair pair, boolean put, MemoryKind kind, long offset, MemorySegment host, DeviceMemory device,
                            long localOffset, long bytes, boolean held) {
        long piece = pieceBytes(bytes);
        Transfer transfer = new Transfer(put, true, nextId(put), pair, host, device, localOffset, bytes, piece,
                device == null ? null : own.lanes());
        long inSegment = host == null ? -1 : offsetInSegment(host, localOffset, bytes);
        int depth = Math.min(options.depth(), transfer.pieces());
        if (put && (inSegment >= 0 ? held : transfer.pieces() > depth) && reserve(transfer)) {
            inSegment = -1;
            depth = transfer.pieces();
        }
        if (inSegment >= 0) {
            transfer.slots(memory.host(), inSegment, 0);
        } else {
            Temporary temporary = rendezvous.cache().acquire(depth * piece);
            transfer.temporary(temporary);
            transfer.slots(temporary.segment().memory(), 0, depth);
            transfer.step();
        }
        // A single piece is copied before it is announced, if that does not take long: then one message is enough.
        if (put && transfer.pieces() == 1) {
            for (int i = 0; i < SPINS && !transfer.isComplete() && inSegment < 0; i++) {
                transfer.step();
            }
        }
        transfer.step();
        return request(transfer, kind, offset, inSegment, depth);
    }

    /**
     * Memory for a put that is one piece, which a stream fills before it is requested; null if it would be more, or registered for
     * this put alone.
     */
    Temporary stage(long bytes) {
        return pieceBytes(bytes) < bytes || !rendezvous.cache().keeps(bytes) ? null : rendezvous.cache().acquire(bytes);
    }

    /** Requests a put of bytes that are staged. */
    Operation putStaged(Pair pair, MemoryKind kind, long offset, Temporary staged, long bytes) {
        MemorySegment memory = staged.memory();
        Transfer transfer = new Transfer(true, true, nextId(true), pair, memory, null, 0, bytes, pieceBytes(bytes), null);
        transfer.temporary(staged);
        transfer.slots(memory, 0, 1);
        transfer.staged();
        return request(transfer, kind, offset, -1, 1);
    }

    private long nextId(boolean put) {
        return ++ids << 1 | (put ? 0 : 1);
    }

    private Operation request(Transfer transfer, MemoryKind kind, long offset, long inSegment, int depth) {
        Pair pair = transfer.pair();
        boolean put = transfer.source();
        long sequence = waits.claim(pair, options.keptFromRendezvous());
        int length = writeRegion(pair, sequence, transfer.temporary(), inSegment, transfer.pieceBytes(), depth);
        int ready = put ? transfer.toAnnounce() : 0;
        transfer.announced(ready);
        pairs.send(pair, sequence, put ? MessageHeader.RENDEZVOUS_PUT : MessageHeader.RENDEZVOUS_GET,
                kind == MemoryKind.DEVICE ? MessageHeader.DEVICE : 0, length, offset, transfer.id(), transfer.bytes(), ready);
        rendezvous.begun(transfer);
        return transfer;
    }

    /** Takes room to hold a put whole, if there is any: it is complete once it is copied, whatever the owner does. */
    private boolean reserve(Transfer transfer) {
        long reserved = transfer.pieces() > PortOptions.MAX_SLOTS ? 0
                : rendezvous.reserve(transfer.pieces() * transfer.pieceBytes());
        if (reserved > 0) {
            transfer.buffered(reserved, options.depth());
        }
        return reserved > 0;
    }

    /**
     * Size of a piece. A transfer of n pieces takes the time of its bytes once, that of one piece more (nothing
     * overlaps the first and the last), and n times that of starting and announcing one. The sum is least at the root
     * of the bytes times those that could be copied in that last time, some 256 KiB.
     */
    private long pieceBytes(long bytes) {
        long wanted = Math.min(options.pieceBytes(), Math.max(PAGE, (long) Math.sqrt((double) bytes * OVERHEAD_BYTES)));
        long even = Math.ceilDiv(bytes, Math.ceilDiv(bytes, wanted));
        return Math.min(options.pieceBytes(), Math.ceilDiv(even, PAGE) * PAGE);
    }

    private long offsetInSegment(MemorySegment host, long offset, long bytes) {
        if (!host.isNative()) {
            return -1;
        }
        long at = host.address() + offset - memory.host().address();
        return at >= 0 && at <= memory.host().byteSize() - bytes ? at : -1;
    }

    /**
     * Writes the payload of a request, the address of the slots; path and key the first time only. Returns its length.
     */
    private int writeRegion(Pair pair, long sequence, Temporary temporary, long inSegment, long piece, int depth) {
        boolean known = temporary == null || temporary.knownTo().get(pair.peer());
        byte[] path = known ? new byte[0] : temporary.segment().address().path().getBytes(StandardCharsets.US_ASCII);
        byte[] key = known ? new byte[0] : temporary.segment().address().key();
        int length = Region.FIELDS + path.length + key.length;
        if (length > options.ring().capacity()) {
            throw new PgasException("the address of registered memory takes " + length + " bytes, a chunk holds "
                    + options.ring().capacity() + "; raise pgas.fastpath.chunk");
        }
        long at = RingLayout.payload(options.ring().header(sequence), length);
        if (temporary == null) {
            Region.write(pair.out(), at, Region.OWN_SEGMENT, inSegment, piece, memory.host().byteSize(), 0, path, key);
        } else {
            Region.write(pair.out(), at, temporary.id(), 0, piece, temporary.bytes(), depth, path, key);
            temporary.knownTo().set(pair.peer());
        }
        return length;
    }
}
