package org.pgas4j;

/**
 * Ways in which devices perform collective operations on streams ({@link Collectives#onStreams(StreamForm)}). All give the same
 * results, bit by bit.
 */
public enum StreamForm {
    /** By operation, size and number of members: from a table ({@link StreamCollectives#explain()}). */
    AUTO,
    /** One kernel; members send each other packets of 8 bytes of data with two flags. The fastest for small vectors. */
    PACKETS,
    /**
     * As PACKETS, where members combine a part of the vector each, or receive it from the root, and send it to all: fewer bytes and
     * one step more, for middle sizes of allReduce and broadcast among more than two. The others are as with PACKETS.
     */
    PACKETS_TWO_SHOT,
    /** One kernel; members read and write each other's vectors between two meetings. */
    DIRECT,
    /** Copies by the device's copy engines, and kernels that combine, between kernels that meet. */
    COPIES,
    /** As COPIES, where devices meet by words of host memory: for members that share a device, and teams of more than 8. */
    WORDS
}
