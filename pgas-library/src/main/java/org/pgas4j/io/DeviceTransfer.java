package org.pgas4j.io;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Event;
import org.pgas4j.Rank;
import org.pgas4j.Stream;

/**
 * A transfer between a file and memory of this rank's device: a stream of its own copies pieces from or to page-locked host memory,
 * after what the rank's stream had to do at the start. Used by the rank's thread.
 */
final class DeviceTransfer extends PieceTransfer {

    private record Part(long offset, Buffer device, Stream stream) implements Piece {

        @Override
        public long bytes() {
            return device.bytes();
        }

        @Override
        public BooleanSupplier get(Buffer into) {
            return copied(into, device);
        }

        @Override
        public BooleanSupplier put(Buffer values) {
            return copied(device, values);
        }

        private BooleanSupplier copied(Buffer dst, Buffer src) {
            stream.copy(dst, src);
            Event end = stream.record();
            return () -> {
                if (!end.isDone()) {
                    return false;
                }
                end.close();
                return true;
            };
        }
    }

    private final DeviceStaging staging;
    private final List<Buffer> memory = new ArrayList<>();
    private final Event begin;

    private DeviceTransfer(Rank rank, boolean writes, PositionalFile file, List<Part> parts, long bytes, DeviceStaging staging) {
        super(rank, writes, file, parts, bytes);
        this.staging = staging;
        this.begin = rank.stream().record();
        staging.stream().await(begin);
    }

    static DeviceTransfer start(Rank rank, boolean writes, PositionalFile file, long offset, Buffer buffer,
                                DeviceStaging staging) {
        List<Part> parts = new ArrayList<>();
        Buffer bytes = buffer.as(ElementType.BYTE);
        Elements.cut(0, bytes.length(), Staging.PIECE_BYTES,
                (from, count) -> parts.add(new Part(offset + from, bytes.slice(from, count), staging.stream())));
        DeviceTransfer transfer = new DeviceTransfer(rank, writes, file, parts, bytes.length(), staging);
        transfer.advance();
        return transfer;
    }

    @Override
    Buffer allocate(long bytes) {
        Buffer piece = staging.take();
        memory.add(piece);
        return piece;
    }

    @Override
    void finish(SharedFileException error) {
        begin.close();
        memory.forEach(staging::giveBack);
    }

    @Override
    boolean isComplete() {
        return true;
    }

    @Override
    SharedFileException failure(SharedFileException error) {
        return error;
    }

    @Override
    String by() {
        return " by rank " + rank.rank() + ", which waits for it after " + begun() + ",";
    }
}
