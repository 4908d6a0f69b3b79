package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Commands of a block of the host device to its host, which carries what the device does not reach itself; with the counts of
 * those that are waited for. Used by the block's thread.
 */
final class HostBlockCommands {

    private static final VarHandle LONG = HostPage.LONG;

    private final HostBlock.World world;
    private final int block;
    private final MemorySegment own;
    private final long record;
    private final HostBlockWaits waits;
    private long bulk; // puts from the segment, started since the grid was made
    private long gets;

    HostBlockCommands(HostBlock.World world, int block, HostBlockWaits waits) {
        this.world = world;
        this.block = block;
        this.own = world.ownSegment();
        this.record = world.area() + world.layout().record(block);
        this.waits = waits;
        bulk = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.BULK);
        gets = own.get(ValueLayout.JAVA_LONG, record + BlockLayout.GETS);
    }

    /** Keeps the counts for the next launch. */
    void save() {
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.BULK, bulk);
        own.set(ValueLayout.JAVA_LONG, record + BlockLayout.GETS, gets);
    }

    /** Queues a command behind all that this block has stored. */
    void send(int op, int tag, int length, int target, long offset, long value, long bytes) {
        waits.requireOperations();
        VarHandle.fullFence();
        HostPage page = world.page();
        long index = (long) LONG.getAndAdd(own, world.area() + BlockLayout.QUEUE_TAIL, 1L);
        waits.await(BlockFailure.LATE_QUEUE, tag, index - HostPage.QUEUE_ENTRIES + 1,
                () -> page.get(HostPage.QUEUE_HEAD));
        Command.write(page, index, op, tag, length, block, target, offset, value, bytes);
    }

    /** Stores a word in the segment of a host rank: by the host where this device does not reach it. */
    void writeWord(int hostRank, long offset, long value) {
        MemorySegment segment = hostRank == world.hostRank() ? own : world.segments()[hostRank];
        if (segment != null) {
            LONG.setRelease(segment, offset, value);
        } else {
            send(Command.WORD, 0, Long.BYTES, hostRank, offset, value, 0);
        }
    }

    /** True if memory is in this rank's segment, where hosts and other devices can find it. */
    boolean reaches(MemorySegment memory, long bytes) {
        long offset = memory.address() - own.address();
        return memory.isNative() && offset >= 0 && bytes <= own.byteSize() - offset;
    }

    /** Puts to a place in the segment of block {@code to} of the world; with a notification unless {@code tag} is negative. */
    void put(int to, long place, MemorySegment src, long bytes, int tag) {
        if (tag >= 0 && bytes > Long.BYTES && bytes <= HostPage.MAX_STAGED && putStaged(to, place, src, bytes, tag)) {
            return;
        }
        int with = tag >= 0 ? Command.WITH_NOTIFY : 0;
        int low = Math.max(tag, 0);
        if (bytes == 0) {
            if (tag >= 0) {
                send(Command.NOTIFY, low, 0, to, 0, 0, 0);
            }
        } else if (bytes <= Long.BYTES || !reaches(src, bytes)) {
            // A source that the host cannot reach goes in pieces, with the commands.
            long done = 0;
            for (; bytes - done > Long.BYTES; done += Long.BYTES) {
                send(Command.PUT_INLINE, 0, Long.BYTES, to, place + done, payload(src, done, Long.BYTES), 0);
            }
            int rest = (int) (bytes - done);
            send(Command.PUT_INLINE | with, low, rest, to, place + done, payload(src, done, rest), 0);
        } else {
            long from = src.address() - own.address();
            long done = 0;
            for (; bytes - done > Command.MAX_PUT_BYTES; done += Command.MAX_PUT_BYTES) {
                bulk++;
                send(Command.PUT, 0, 0, to, place + done, from + done, Command.MAX_PUT_BYTES);
            }
            bulk++;
            send(Command.PUT | with, low, 0, to, place + done, from + done, bytes - done);
        }
    }

    /** A notified put whose bytes lie beside the queue; false, and nothing is done, if no place is free there. */
    private boolean putStaged(int to, long place, MemorySegment src, long bytes, int tag) {
        HostPage page = world.page();
        long tail = world.area() + BlockLayout.STAGED_TAIL;
        long at = (long) LONG.getAcquire(own, tail);
        while (true) {
            if (at - page.get(HostPage.STAGED_FREED) >= HostPage.STAGED_PLACES) {
                return false;
            }
            long was = (long) LONG.compareAndExchange(own, tail, at, at + 1);
            if (was == at) {
                break;
            }
            at = was;
        }
        MemorySegment.copy(src, 0, page.memory(), HostPage.staged(at, place), bytes);
        send(Command.PUT_STAGED | Command.WITH_NOTIFY, tag, 0, to, place, at, bytes);
        return true;
    }

    private static long payload(MemorySegment src, long from, int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (src.get(ValueLayout.JAVA_BYTE, from + i) & 0xffL) << Byte.SIZE * i;
        }
        return value;
    }

    /**
     * Starts a get from a place in the segment of block {@code from} of the world; with a notification of that block unless
     * {@code tag} is negative.
     */
    void get(int from, long place, MemorySegment dst, long bytes, int tag) {
        if (bytes == 0) {
            if (tag >= 0) {
                send(Command.NOTIFY, tag, 0, from, 0, 0, 0);
            }
            return;
        }
        boolean shared = reaches(dst, bytes);
        // A destination that the host cannot reach is filled in pieces, by way of a word that it can.
        long piece = shared ? Command.MAX_PUT_BYTES : Long.BYTES;
        long landing = record + BlockLayout.LANDING;
        for (long done = 0; done < bytes; done += piece) {
            long part = Math.min(piece, bytes - done);
            boolean last = done + part == bytes;
            gets++;
            int with = last && tag >= 0 ? Command.WITH_NOTIFY : 0;
            send(Command.GET | with, last ? Math.max(tag, 0) : 0, 0, from, place + done, shared ? dst.address() - own.address() + done
                    : landing, part);
            if (!shared) {
                awaitGets();
                MemorySegment.copy(own, landing, dst, done, part);
            }
        }
    }

    /** Number of puts from the segment that this block has given to the host, of all launches. */
    long given() {
        return bulk;
    }

    /** Number of them whose sources the host has read. */
    long flushed() {
        return word(record + BlockLayout.FLUSHED);
    }

    /** Waits until the host has read the sources of all puts. */
    void flush() {
        waits.requireOperations();
        waits.await(BlockFailure.LATE_FLUSH, -1, bulk, this::flushed);
    }

    /** Waits until the bytes of all gets are there. */
    void awaitGets() {
        waits.requireOperations();
        waits.await(BlockFailure.LATE_GET, -1, gets, () -> word(record + BlockLayout.GOT));
    }

    private long word(long offset) {
        return (long) LONG.getAcquire(own, offset);
    }
}
