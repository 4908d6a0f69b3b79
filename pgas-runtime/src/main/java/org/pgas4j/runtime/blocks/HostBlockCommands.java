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
    private final int piece; // longest put that brings its bytes with it
    private long bulk; // puts from the segment, started since the grid was made
    private long gets;

    HostBlockCommands(HostBlock.World world, int block, HostBlockWaits waits) {
        this.world = world;
        this.block = block;
        this.own = world.ownSegment();
        this.record = world.area() + world.layout().record(block);
        this.waits = waits;
        this.piece = Math.max(world.stagedBytes(), Command.MAX_WORDS);
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
        long index = claim(tag, 1);
        Command.write(world.page(), index, op, tag, length, block, target, offset, value, bytes);
    }

    /** Claims entries of the queue behind all that this block has stored, and returns the first when all of them are free. */
    private long claim(int tag, int entries) {
        waits.requireOperations();
        VarHandle.fullFence();
        HostPage page = world.page();
        long index = (long) LONG.getAndAdd(own, world.area() + BlockLayout.QUEUE_TAIL, (long) entries);
        waits.await(BlockFailure.LATE_QUEUE, tag, index - HostPage.QUEUE_ENTRIES + entries,
                () -> page.get(HostPage.QUEUE_HEAD));
        return index;
    }

    /** Queues a put with its bytes, {@link #piece} at most. */
    private void sendBytes(int with, int tag, int to, long place, MemorySegment src, long from, int bytes) {
        if (bytes <= Long.BYTES) {
            send(Command.PUT_INLINE | with, tag, bytes, to, place, Command.value(src, from, bytes), 0);
            return;
        }
        boolean words = bytes <= Command.MAX_WORDS;
        long index = claim(tag, words ? 1 : HostPage.stagedEntries(bytes));
        long at = words ? 0 : Command.staging(index);
        if (words) {
            Command.writeWords(world.page(), index, src, from, bytes);
        } else {
            MemorySegment.copy(src, from, world.page().memory(), at, bytes);
        }
        int op = (words ? Command.PUT_WORDS : Command.PUT_STAGED) | with;
        Command.write(world.page(), index, op, tag, bytes, block, to, place, at, 0);
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
        int with = tag >= 0 ? Command.WITH_NOTIFY : 0;
        int low = Math.max(tag, 0);
        if (bytes == 0) {
            if (tag >= 0) {
                send(Command.NOTIFY, low, 0, to, 0, 0, 0);
            }
        } else if (bytes <= piece || !reaches(src, bytes)) {
            // A source that the host cannot reach goes in pieces, with the commands.
            long done = 0;
            for (; bytes - done > piece; done += piece) {
                sendBytes(0, 0, to, place + done, src, done, piece);
            }
            sendBytes(with, low, to, place + done, src, done, (int) (bytes - done));
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

    /** Waits until the host has read the sources of all puts. */
    void flush() {
        waits.requireOperations();
        waits.await(BlockFailure.LATE_FLUSH, -1, bulk, () -> word(record + BlockLayout.FLUSHED));
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
