package org.pgas4j.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.ReduceOp;
import org.pgas4j.Reduction;
import org.pgas4j.SharedPointer;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.space.memory.Peer;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.transfer.Completions;
import org.pgas4j.space.transfer.RmaDescriptor;
import org.pgas4j.space.transfer.RouteTable;
import org.pgas4j.space.transfer.Transfers;

/**
 * Memory of members of a team as one rank reads and writes it for collective operations: mapped, by transfers, or by its
 * device. A place is one of {@link Group}. Used by the rank's thread.
 */
final class MemberAccess implements AutoCloseable {

    private final int rank;
    private final Peers peers;
    private final Transfers transfers;
    private final RouteTable routes;
    private final Completions completions;
    private final Accelerator accelerator;
    private final RmaDescriptor transfer = new RmaDescriptor();
    private final Map<ElementType, Accumulators> accumulators = new EnumMap<>(ElementType.class);
    private final DeviceScratch scratch;
    private DeviceFunction.Translator translator = _ -> null;
    private AcceleratorStream stream;
    private MemorySegment piece;
    private boolean working;

    MemberAccess(int rank, Peers peers, Transfers transfers, Accelerator accelerator) {
        this.rank = rank;
        this.peers = peers;
        this.transfers = transfers;
        this.routes = transfers.routes();
        this.completions = transfers.completions();
        this.accelerator = accelerator;
        this.scratch = new DeviceScratch(accelerator);
    }

    /** Marks a step of an operation's work, which has the memory for combining and copying to itself. */
    void working(boolean begins) {
        working = begins;
    }

    boolean isWorking() {
        return working;
    }

    Peer self() {
        return peers.get(rank);
    }

    /** Access to the host segment of a rank. */
    Endpoint endpoint(int world) {
        return peers.get(world).endpoint();
    }

    Completions completions() {
        return completions;
    }

    Accelerator accelerator() {
        return accelerator;
    }

    /** The rank's stream for collective operations. */
    AcceleratorStream stream() {
        if (stream == null) {
            stream = accelerator.newStream();
        }
        return stream;
    }

    void syncStream() {
        completions.syncStream(stream);
    }

    /** True if nothing that was started here is left undone. */
    boolean trySettle() {
        return completions.tryCompleteAll() && (stream == null || stream.isIdle());
    }

    /** Completes everything that was started here. */
    void settle() {
        completions.completeAll();
        if (stream != null && !stream.isIdle()) {
            syncStream();
        }
    }

    // ---- of other members

    /** The mapped memory that holds a place of {@code world}; null if it is to be reached by transfers. */
    MemorySegment mapped(int world, long place) {
        return Group.kind(place) == MemoryKind.HOST && routes.addressesHost(world) ? peers.get(world).endpoint().mapped() : null;
    }

    /** Byte offset of a place in the mapped memory. */
    long start(int world, long place) {
        return peers.get(world).heapStart() + Group.offset(place);
    }

    /** True if the rank's device reads and writes the memory of a member by itself. */
    boolean isReachedByDevice(int world) {
        return peers.get(world).device() != null && (world == rank || routes.isDirect(world));
    }

    /** True if the device of this rank reaches the memory of all members of a group. */
    boolean devicesReach(Group group) {
        if (group.devicesReach() == null) {
            boolean all = true;
            for (int member = 0; member < group.size() && all; member++) {
                all = isReachedByDevice(group.world(member));
            }
            group.devicesReach(all);
        }
        return group.devicesReach();
    }

    /** Allocation that holds the device segment of a member that is reached by this rank's device. */
    DeviceMemory device(int world) {
        return peers.get(world).device();
    }

    /** Byte offset of a place there. */
    long deviceStart(int world, long place) {
        return peers.get(world).deviceOffset() + Group.offset(place);
    }

    private RmaDescriptor remote(int world, long place, long offset, long bytes) {
        return transfer.remote(world, Group.kind(place), Group.offset(place) + offset, null, bytes);
    }

    /** Starts to copy from a member to memory of this rank; {@link #settle} completes it. */
    void pull(GivenMemory to, long at, int world, long place, long offset, long bytes) {
        if (bytes > 0) {
            to.describe(remote(world, place, offset, bytes), at);
            completions.drop(transfers.get(transfer, null));
        }
    }

    /** Starts to copy from memory of this rank to a member; {@link #settle} completes it at this end. */
    void push(int world, long place, long offset, GivenMemory from, long at, long bytes) {
        if (bytes > 0) {
            from.describe(remote(world, place, offset, bytes), at);
            completions.drop(transfers.put(transfer.sourceKept(), null));
        }
    }

    /** Copies from a member to host memory. */
    void fetch(MemorySegment to, int world, long place, long offset, long bytes) {
        completions.finish(transfers.get(remote(world, place, offset, bytes).local(to, 0), null));
    }

    /** Copies from shared memory to host memory. */
    void fetch(MemorySegment to, SharedPointer from, long bytes) {
        completions.finish(transfers.get(to, from, bytes));
    }

    /** Copies from host memory to a member. */
    void store(int world, long place, long offset, MemorySegment from, long bytes) {
        completions.finish(transfers.put(remote(world, place, offset, bytes).local(from, 0), null));
    }

    /** A word of the shared heap of a member. */
    long word(int world, long offset) {
        Peer peer = peers.get(world);
        return peer.endpoint().getWordAcquire(peer.heapStart() + offset);
    }

    /** Orders what was put at other members before what follows. */
    void fence() {
        completions.fence();
    }

    // ---- by the rank's device

    /** Writes an int of device memory while other streams wait, and waits for it for a while. */
    void writeApart(DeviceMemory memory, long offset, int value) {
        try (AcceleratorStream apart = accelerator.newStream()) {
            apart.writeValue32(memory, offset, value);
            apart.sync(System.nanoTime() + CollectiveLimits.STOP_NS);
        }
    }

    /** Waits while a stream holds too much that its device has not begun. */
    void keepUp(AcceleratorStream on) {
        completions.ahead().keepUp(on);
    }

    /** For operations on {@link #stream}. */
    DeviceScratch scratch() {
        return scratch;
    }

    /** Sets what makes functions of the program run on devices. */
    void translator(DeviceFunction.Translator functions) {
        translator = functions;
    }

    /** The function of an operation for devices; null if they have none. */
    DeviceFunction function(Reduction op) {
        return switch (op) {
            case ReduceOp _ -> null;
            case Reduction.OfLongs longs -> translator.translate(longs.function());
            case Reduction.OfDoubles doubles -> translator.translate(doubles.function());
        };
    }

    // ---- of this rank

    /** Copies from memory of this rank to native host memory. */
    void read(MemorySegment to, long toOffset, GivenMemory from, long at, long bytes) {
        if (bytes == 0) {
            return;
        }
        if (from.host() != null) {
            MemorySegment.copy(from.host(), from.start() + at, to, toOffset, bytes);
        } else {
            stream().copyOut(to, toOffset, from.device(), from.start() + at, bytes);
            syncStream();
        }
    }

    /** Copies from native host memory to memory of this rank. */
    void write(GivenMemory to, long at, MemorySegment from, long fromOffset, long bytes) {
        if (bytes == 0) {
            return;
        }
        if (to.host() != null) {
            MemorySegment.copy(from, fromOffset, to.host(), to.start() + at, bytes);
        } else {
            stream().copyIn(to.device(), to.start() + at, from, fromOffset, bytes);
            syncStream();
        }
    }

    /** Copies between two memories of this rank. */
    void copy(GivenMemory to, long at, GivenMemory from, long fromAt, long bytes) {
        if (to.host() != null && (from.host() != null || to.host().isNative())) {
            read(to.host(), to.start() + at, from, fromAt, bytes);
        } else if (to.host() != null) {
            MemorySegment piece = piece();
            for (long done = 0; done < bytes; done += piece.byteSize()) {
                long part = Math.min(piece.byteSize(), bytes - done);
                read(piece, 0, from, fromAt + done, part);
                MemorySegment.copy(piece, 0, to.host(), to.start() + at + done, part);
            }
        } else if (from.host() != null && from.host().isNative()) {
            write(to, at, from.host(), from.start() + fromAt, bytes);
        } else if (from.host() != null) {
            MemorySegment piece = piece();
            for (long done = 0; done < bytes; done += piece.byteSize()) {
                long part = Math.min(piece.byteSize(), bytes - done);
                MemorySegment.copy(from.host(), from.start() + fromAt + done, piece, 0, part);
                write(to, at + done, piece, 0, part);
            }
        } else if (bytes > 0) {
            stream().copy(to.device(), to.start() + at, from.device(), from.start() + fromAt, bytes);
            syncStream();
        }
    }

    /** Host memory for a piece of data on its way. */
    MemorySegment piece() {
        if (piece == null) {
            piece = Arena.ofAuto().allocate(CollectiveLimits.STAGE_BYTES, Long.BYTES);
        }
        return piece;
    }

    /** Blocks to combine elements in, of the rank's own; {@code count} of {@code bytes} bytes at least. */
    Accumulators accumulators(ElementType type, int count, int bytes) {
        Accumulators kept = accumulators.get(type);
        if (kept == null || kept.count() < count || kept.blockBytes() < bytes) {
            kept = Accumulators.of(type, count, bytes);
            accumulators.put(type, kept);
        }
        return kept;
    }

    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        if (stream != null) {
            all.add(stream);
        }
        all.add(scratch);
        CloseHelper.closeAll(all);
    }
}
