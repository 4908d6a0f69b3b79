package org.pgas4j.runtime.blocks;

/**
 * Layout of the memory of a split, for a communicator of {@code all} blocks. Words are little-endian.
 *
 * <pre>
 *   0      header      of the device library alone
 *   64     proposals   of each block: colour and key, 32 bits each, the key in the low half; bytes of its memory. Once all have
 *                      read them, addresses of the members' memory, for the device library
 *   ...    flags       of each member: barriers to which it came, 64 bits
 *   ...    members     rank of each in the communicator, 32 bits
 *   ...    stages      two of the same size, from a multiple of 16 on
 *   ...    packets     as many bytes as four stages: two rounds, each of as many packets of 16 bytes from each member as there is
 *                      room for. Of the device library
 * </pre>
 */
final class SplitLayout {

    static final int HEADER_BYTES = 64;
    static final int PROPOSAL_BYTES = 16;
    /** Of a proposal: where the bytes of its block's memory are. */
    static final int PROPOSED_BYTES = 8;
    static final int FLAG_BYTES = 8;
    static final int MEMBER_BYTES = 4;
    /** Memory of stages and packets, in stages. */
    static final int STAGES = 6;
    /** Packets of a member in a round: larger arrays go through the stages, in half the bytes. */
    static final int MAX_PACKETS = 2048;

    private static final int ALIGNMENT = 16;

    private SplitLayout() {
    }

    static long align(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    static boolean isAligned(long address) {
        return address % ALIGNMENT == 0;
    }

    static long proposal(long rank) {
        return HEADER_BYTES + rank * PROPOSAL_BYTES;
    }

    static long flag(long all, long member) {
        return proposal(all) + member * FLAG_BYTES;
    }

    static long stages(long all) {
        return align(flag(all, all) + all * MEMBER_BYTES);
    }

    /** Bytes of a split with stages of {@code stage} bytes. */
    static long bytes(long all, long stage) {
        return stages(all) + STAGES * align(stage);
    }

    /** Bytes of a stage where a split has {@code bytes}. */
    static long stage(long all, long bytes) {
        return (bytes - stages(all)) / STAGES / ALIGNMENT * ALIGNMENT;
    }
}
