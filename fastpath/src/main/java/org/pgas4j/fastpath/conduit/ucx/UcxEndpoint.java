package org.pgas4j.fastpath.conduit.ucx;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.pgas4j.fastpath.conduit.Endpoint;

/** A segment reached through UCX: one call of the library per operation, and a wait if that does not complete it. */
final class UcxEndpoint implements Endpoint {

    private final UcxPeer peer;
    private final UcxWorker worker;
    private final long key;
    private final long base;
    private final long bytes;
    private final long orderedPutBytes;

    /** Unpacks the key, which {@link #close()} frees. */
    UcxEndpoint(UcxPeer peer, UcxKey remote) {
        this.peer = peer;
        this.worker = peer.owner();
        this.base = remote.base();
        this.bytes = remote.bytes();
        this.orderedPutBytes = Math.min(worker.orderedPutBytes(peer), remote.orderedPutBytes());
        this.key = Ucp.unpackKey(peer, remote.packed());
    }

    void close() {
        Ucp.destroyKey(key);
    }

    private long remote(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, bytes);
        return base + offset;
    }

    private long word(long offset) {
        if ((offset & Long.BYTES - 1) != 0) {
            throw new IllegalArgumentException("offset of a word: " + offset + " (expected: a multiple of 8)");
        }
        return remote(offset, Long.BYTES);
    }

    private static long local(MemorySegment memory, long offset, long length) {
        if (!memory.isNative() || !memory.scope().isAlive()) {
            throw new IllegalArgumentException("memory of an operation is " + (memory.isNative() ? "freed"
                    : "on the Java heap") + ": " + memory);
        }
        Objects.checkFromIndexSize(offset, length, memory.byteSize());
        return memory.address() + offset;
    }

    @Override
    public void put(long offset, MemorySegment src, long srcOffset, long length) {
        if (!src.isNative()) {
            putHeap(offset, src, srcOffset, length);
            return;
        }
        worker.complete(peer, Ucp.put(peer, key, local(src, srcOffset, length), length, remote(offset, length),
                Ucp.SPINS), "put");
        Reference.reachabilityFence(src);
    }

    private void putHeap(long offset, MemorySegment src, long srcOffset, long length) {
        Objects.checkFromIndexSize(srcOffset, length, src.byteSize());
        Objects.checkFromIndexSize(offset, length, bytes);
        ReentrantLock lock = worker.bounceLock();
        lock.lock();
        try {
            MemorySegment bounce = worker.bounce();
            for (long done = 0; done < length; ) {
                long part = Math.min(length - done, UcxWorker.BOUNCE_BYTES);
                MemorySegment.copy(src, srcOffset + done, bounce, 0, part);
                worker.complete(peer, Ucp.put(peer, key, bounce.address(), part, remote(offset + done, part),
                        Ucp.SPINS), "put");
                done += part;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void get(MemorySegment dst, long dstOffset, long offset, long length) {
        if (!dst.isNative()) {
            getHeap(dst, dstOffset, offset, length);
            return;
        }
        worker.complete(peer, Ucp.get(peer, key, local(dst, dstOffset, length), length, remote(offset, length),
                Ucp.SPINS), "get");
        Reference.reachabilityFence(dst);
    }

    private void getHeap(MemorySegment dst, long dstOffset, long offset, long length) {
        Objects.checkFromIndexSize(dstOffset, length, dst.byteSize());
        Objects.checkFromIndexSize(offset, length, bytes);
        ReentrantLock lock = worker.bounceLock();
        lock.lock();
        try {
            MemorySegment bounce = worker.bounce();
            for (long done = 0; done < length; ) {
                long part = Math.min(length - done, UcxWorker.BOUNCE_BYTES);
                worker.complete(peer, Ucp.get(peer, key, bounce.address(), part, remote(offset + done, part),
                        Ucp.SPINS), "get");
                MemorySegment.copy(bounce, 0, dst, dstOffset + done, part);
                done += part;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long startPut(long offset, MemorySegment src, long srcOffset, long length) {
        long ticket = Ucp.put(peer, key, local(src, srcOffset, length), length, remote(offset, length), 0);
        Reference.reachabilityFence(src);
        return ticket;
    }

    @Override
    public long startGet(MemorySegment dst, long dstOffset, long offset, long length) {
        long ticket = Ucp.get(peer, key, local(dst, dstOffset, length), length, remote(offset, length), 0);
        Reference.reachabilityFence(dst);
        return ticket;
    }

    @Override
    public boolean isComplete(long ticket) {
        return ticket == 0 || Ucp.test(peer, ticket, 1, "started operation") == 0;
    }

    @Override
    public void fill(long offset, long length, byte value) {
        Objects.checkFromIndexSize(offset, length, bytes);
        ReentrantLock lock = worker.bounceLock();
        lock.lock();
        try {
            MemorySegment pattern = worker.bounce();
            pattern.asSlice(0, Math.min(length, UcxWorker.BOUNCE_BYTES)).fill(value);
            for (long done = 0; done < length; ) {
                long part = Math.min(length - done, UcxWorker.BOUNCE_BYTES);
                worker.complete(peer, Ucp.put(peer, key, pattern.address(), part, remote(offset + done, part),
                        Ucp.SPINS), "fill");
                done += part;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void fence() {
        worker.order(peer);
        Ucp.fence(peer);
    }

    @Override
    public void putWordRelease(long offset, long value) {
        long remote = word(offset);
        worker.order(peer);
        int slot = worker.takeSlot();
        worker.complete(peer, Ucp.putWord(peer, key, worker.slotAddress(slot), value, remote), "put of a word");
        worker.giveBack(slot);
    }

    @Override
    public long getWordAcquire(long offset) {
        long remote = word(offset);
        int slot = worker.takeSlot();
        worker.complete(peer, Ucp.get(peer, key, worker.slotAddress(slot), Long.BYTES, remote, Ucp.SPINS),
                "get of a word");
        VarHandle.acquireFence();
        return worker.giveBack(slot);
    }

    @Override
    public boolean compareAndSetWord(long offset, long expected, long value) {
        long remote = word(offset);
        worker.order(peer);
        int slot = worker.takeSlot();
        worker.complete(peer, Ucp.compareSwap(peer, key, worker.slotAddress(slot), expected, value, remote),
                "compare and set");
        VarHandle.fullFence();
        return worker.giveBack(slot) == expected;
    }

    @Override
    public long fetchAndAddWord(long offset, long value) {
        long remote = word(offset);
        worker.order(peer);
        int slot = worker.takeSlot();
        worker.complete(peer, Ucp.fetchAdd(peer, key, worker.slotAddress(slot), value, remote), "fetch and add");
        VarHandle.fullFence();
        return worker.giveBack(slot);
    }

    @Override
    public long orderedPutBytes() {
        return orderedPutBytes;
    }

    @Override
    public boolean putsNeedTarget() {
        return peer.isOverTcp();
    }

    @Override
    public void flush() {
        worker.complete(peer, Ucp.flush(peer), "flush");
    }

    @Override
    public MemorySegment mapped() {
        return null;
    }
}
