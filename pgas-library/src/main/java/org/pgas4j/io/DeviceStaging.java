package org.pgas4j.io;

import java.util.ArrayDeque;
import java.util.Deque;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.Stream;

/**
 * Page-locked host memory between a rank's device and a file, in pieces, and the stream that copies there; made at first use. Page
 * locking takes long, so as many pieces as one transfer needs are kept for the next. Used by the rank's thread.
 */
final class DeviceStaging implements AutoCloseable {

    private final Rank rank;
    private final Deque<Buffer> free = new ArrayDeque<>();
    private Stream stream;

    DeviceStaging(Rank rank) {
        this.rank = rank;
    }

    Stream stream() {
        if (stream == null) {
            stream = rank.device().newStream();
        }
        return stream;
    }

    /** Memory of {@link Staging#PIECE_BYTES}. */
    Buffer take() {
        return free.isEmpty() ? rank.device().allocPinned(ElementType.BYTE, Staging.PIECE_BYTES) : free.pop();
    }

    /** @param piece that no copy uses any more */
    void giveBack(Buffer piece) {
        if (free.size() < PieceTransfer.DEPTH) {
            free.push(piece);
        } else {
            piece.close();
        }
    }

    @Override
    public void close() {
        free.forEach(Buffer::close);
        free.clear();
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }
}
