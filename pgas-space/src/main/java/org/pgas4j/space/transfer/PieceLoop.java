package org.pgas4j.space.transfer;

/**
 * Ways to copy pieces between device memories, chosen by properties while they are being compared: {@code pgas4j.pieces.loop} is
 * {@code lines} (blocks take chunks in turn), {@code spread} (each block takes neighbouring chunks) or {@code units} (a thread
 * takes units in turn), {@code pgas4j.pieces.streams} is 2 (copies within the device run beside those to peers) or 1.
 */
final class PieceLoop {

    private static final String LOOP = System.getProperty("pgas4j.pieces.loop", "lines");

    /** True if blocks take chunks of lines. */
    static final boolean LINES = !LOOP.equals("units");

    /** True if each block takes neighbouring chunks. */
    static final boolean SPREADS = LOOP.equals("spread");

    /** True if copies within the device have a stream of their own. */
    static final boolean TWO_STREAMS = Integer.getInteger("pgas4j.pieces.streams", 2) == 2;

    private PieceLoop() {
    }
}
