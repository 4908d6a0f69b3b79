package org.pgas4j.runtime.blocks;

/** Ends a block of the host device, as {@code exit} does on a GPU; the reason has been recorded. */
final class BlockEnded extends RuntimeException {

    private static final long serialVersionUID = 1L;

    BlockEnded() {
        super("block ended", null, false, false);
    }
}
