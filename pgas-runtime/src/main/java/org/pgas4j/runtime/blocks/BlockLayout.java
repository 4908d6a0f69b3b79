package org.pgas4j.runtime.blocks;

import org.pgas4j.DeviceGrid;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.Notifications;

/**
 * Layout of the memory that blocks share: an area of each rank's device segment, at the same offset in all.
 * {@link DeviceConstants} gives the device library the same numbers. Words have 64 bits and are little-endian, unless
 * stated otherwise.
 *
 * <pre>
 *   0      world data       {@link WorldField}: the parameters of a launch
 *   256    abort            not 0: every wait ends
 *   320    queue tail       commands given to the host
 *   384    queue seen       commands the host had taken when a block last looked
 *   448    log tail
 *   512    arrivals         at barriers of the device
 *   576    error claim      blocks that failed
 *   640    mailbox          messages taken, times 2^16, plus the block that reads them now plus one, or 0
 *   704    left             blocks that have come to the end of a launch, of all launches
 *   768    queue watch      1 while a thread of the device reads the host's position in the queue
 *   832    staged tail      places beside the queue that blocks have claimed
 *   896    staged seen      of them free again when a block last looked
 *   1024   peers            address of each host rank's segment on this device; 0 if it is not reached
 *   ...    checked in       a line of 64 bytes for each host rank: its barriers
 *   ...    partners         if there are {@link Partners}: places in tables by host rank, a word of 32 bits each
 *   ...    windows          a table for each window of all blocks, then for each of the device's: offset and bytes by block
 *   ...    blocks           a record for each block of this rank
 *   ...    counts           of each block of this rank by partner: puts, their bytes, gets, their bytes
 *   ...    rings            of packets, those of each block of this rank: {@link PacketRings}
 * </pre>
 *
 * A block's record: counters of direct notifications, of those written by the host, and of those consumed; the channels
 * on which other blocks send to it; words for gets by the host; its own state between launches.
 *
 * @param hostRanks of the job
 * @param perRank   blocks of each
 * @param rings     of each block
 * @param windows   of all blocks
 * @param partners  ranks that a rank's tables have room for; 0 for all
 */
record BlockLayout(int hostRanks, int perRank, PacketRings rings, int windows, int partners) {

    static final int ABORT = 256;
    static final int QUEUE_TAIL = 320;
    static final int QUEUE_SEEN = 384;
    static final int LOG_TAIL = 448;
    static final int ARRIVALS = 512;
    static final int ERROR_CLAIM = 576;
    static final int MAILBOX = 640;
    static final int LEFT = 704;
    static final int QUEUE_WATCH = 768;
    static final int STAGED_TAIL = 832;
    static final int STAGED_SEEN = 896;
    static final int PEERS = 1024;
    static final int LINE = 64;

    /** Low bits of the word at {@link #MAILBOX}: the block that reads. */
    static final int READER_BITS = 16;

    static final int TAGS = Notifications.TAGS;
    static final int MAX_COUNT = Notifications.MAX_COUNT;
    /** Of a communicator, at most: as many as a word of {@link #OPEN_WINDOWS} has bits. */
    static final int WINDOWS = DeviceGrid.Options.MAX_WINDOWS;
    /** Bit of a window's number that is set if it is of the device's blocks alone. */
    static final int DEVICE_WINDOW = 0x100;
    static final int DEVICE_WINDOW_BIT = 8;
    /** Of a window: the offset in the segment, then at {@link #ENTRY_SIZE} the size. */
    static final int ENTRY_BYTES = 16;
    static final int ENTRY_SIZE = 8;
    static final int TIMERS = 16;
    /** Puts that a block may have prepared. */
    static final int REQUESTS = 32;

    /** Of a host rank: its place in the tables here; from {@link #THERE_BITS} on that of this rank in the tables there. */
    static final int PARTNER_BYTES = 4;
    static final int THERE_BITS = 16;
    /** No place in the tables. */
    static final int NO_PLACE = 0xffff;

    /** Private memory that windows may lie over: its address, its size, and a word for each host rank: {@link BlockRegions}. */
    static final int REGION_BASE = 0;
    static final int REGION_BYTES = 8;
    static final int REGION_SHIFTS = 16;

    // offsets in a record
    static final int DIRECT = 0;
    static final int PROXY = 2048;
    static final int OWN = 4096;
    static final int CLAIMS = 6144;
    static final int FLUSHED = 6152;
    static final int WORLD_EPOCH = 6160;
    static final int DEVICE_EPOCH = 6168;
    static final int BULK = 6176;
    static final int OPEN_WINDOWS = 6184; // a word of each communicator
    static final int HEADS = 6208;
    static final int SOURCES = 6272;
    static final int SENDS = 6400;
    static final int CREDITS = 6912;
    /** Gets by the host that are done, and those started before this launch. */
    static final int GOT = 7168;
    static final int GETS = 7176;
    /** Sender's side of the rings of packets, for each target: 16 bytes. */
    static final int PACKS = 7424;
    /** A word of each thread of the block, for single values that the host gets. */
    static final int LANDING = 7936;
    static final int CHANNEL_SLOTS = LANDING + 1024 * 8;

    static final int CHANNELS = 16;
    static final int TARGETS = 32;
    static final int SLOTS = 64;
    static final int SLOT_BYTES = 32;
    static final int RECORD_BYTES = CHANNEL_SLOTS + CHANNELS * SLOTS * SLOT_BYTES;
    /** Channels of a block that can have a ring of packets. */
    static final int RINGS = 8;

    /** Counts of a block's transfers with one host rank: calls, then bytes, of puts and of gets. */
    static final int COUNTS_BYTES = 32;
    static final int COUNTED_PUTS = 0;
    static final int COUNTED_GETS = 16;
    /** Of the bytes, from the calls of the same operation. */
    static final int COUNTED_BYTES = 8;

    /** Layout without packets, with the usual number of windows. */
    BlockLayout(int hostRanks, int perRank) {
        this(hostRanks, perRank, PacketRings.NONE, DeviceGrid.Options.DEFAULT_WINDOWS, 0);
    }

    long checkedIn(int hostRank) {
        return PEERS + Math.ceilDiv((long) hostRanks * Long.BYTES, LINE) * LINE + (long) hostRank * LINE;
    }

    /** Place of a host rank in the tables here, and of this one there. */
    long partner(int hostRank) {
        return checkedIn(hostRanks) + (long) hostRank * PARTNER_BYTES;
    }

    long windowsAt() {
        return partners == 0 ? checkedIn(hostRanks) : Math.ceilDiv(partner(hostRanks), LINE) * LINE;
    }

    /** Host ranks that tables have entries for. */
    int tableRanks() {
        return partners == 0 ? hostRanks : partners;
    }

    /** Blocks that a window's table has entries for. */
    long tableBlocks() {
        return (long) tableRanks() * perRank;
    }

    /** Number of all blocks. */
    long blocks() {
        return (long) hostRanks * perRank;
    }

    /** Windows that a communicator has at once. */
    int windows(Comm comm) {
        return comm == Comm.WORLD ? windows : WINDOWS;
    }

    /** Bytes of the table of a window of all blocks. */
    long windowBytes() {
        return tableBlocks() * ENTRY_BYTES;
    }

    /**
     * An entry of a window: of all blocks that of block {@code block} of the rank with {@code place} in the tables, of the device's
     * that of {@code block}.
     */
    long windowEntry(int window, int place, int block) {
        long index = (window & DEVICE_WINDOW) != 0
                ? windows * tableBlocks() + (long) (window & DEVICE_WINDOW - 1) * perRank + block
                : window * tableBlocks() + (long) place * perRank + block;
        return windowsAt() + index * ENTRY_BYTES;
    }

    long blocksAt() {
        return Math.ceilDiv(windowsAt() + windows * windowBytes() + (long) WINDOWS * perRank * ENTRY_BYTES, 256L) * 256;
    }

    /** Record of a block of the rank. */
    long record(int block) {
        return blocksAt() + (long) block * RECORD_BYTES;
    }

    /** Counter of notifications of {@code tag} that the host writes for a block. */
    long proxy(int block, int tag) {
        return record(block) + PROXY + (long) tag * Long.BYTES;
    }

    long countsAt() {
        return Math.ceilDiv(record(perRank), 256L) * 256;
    }

    /** Counts of a block of the rank, in the order of the tables. */
    long counts(int block) {
        return countsAt() + (long) block * tableRanks() * COUNTS_BYTES;
    }

    long ringsAt() {
        return Math.ceilDiv(counts(perRank), 256L) * 256;
    }

    /** Bytes of all rings of the rank's blocks, which begin with zeros. */
    long ringsBytes() {
        return perRank * rings.blockBytes();
    }

    /** Bytes of the area. */
    long bytes() {
        return ringsAt() + ringsBytes();
    }

    /** Bytes of the area for each block of the rank. */
    long blockBytes() {
        return RECORD_BYTES + (long) tableRanks() * COUNTS_BYTES + rings.blockBytes();
    }
}
