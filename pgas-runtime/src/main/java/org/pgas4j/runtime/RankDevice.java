package org.pgas4j.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.ArrayView;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Device;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.GridKernel;
import org.pgas4j.GridProgram;
import org.pgas4j.SharedArray;
import org.pgas4j.Stream;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.device.PinnedMemory;
import org.pgas4j.device.PinnedView;
import org.pgas4j.kernel.runtime.JavaKernels;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.runtime.blocks.BlockTeam;
import org.pgas4j.runtime.notify.NotifyModule;
import org.pgas4j.space.transfer.Transfers;

/** A rank's view of its device; keeps what the rank allocated and closes it with the rank. */
final class RankDevice implements Device, AutoCloseable {

    private final int rank;
    private final Accelerator accelerator;
    private final Transfers transfers;
    private final NotifyModule communications;
    private final Supplier<AcceleratorStream> makeLowLatency;
    private final Supplier<JavaKernels> makeKernels;
    private JavaKernels kernels;
    private final List<RankStream> streams = new ArrayList<>();
    private final List<RankGraph> graphs = new ArrayList<>();
    private final List<DeviceMemory> memories = new ArrayList<>();

    /**
     * @param lowLatency makes a stream for small messages
     * @param kernels    makes what launches kernels written in Java
     */
    RankDevice(int rank, Accelerator accelerator, Transfers transfers, NotifyModule communications,
               Supplier<AcceleratorStream> lowLatency, Supplier<JavaKernels> kernels) {
        this.makeLowLatency = lowLatency;
        this.makeKernels = kernels;
        this.rank = rank;
        this.accelerator = accelerator;
        this.transfers = transfers;
        this.communications = communications;
    }

    /** Kernels written in Java. */
    JavaKernels kernels() {
        if (kernels == null) {
            kernels = makeKernels.get();
        }
        return kernels;
    }

    /** Reports a fault of a kernel that is complete. */
    void checkKernels() {
        if (kernels != null) {
            kernels.check();
        }
    }

    NotifyModule communications() {
        return communications;
    }

    int rank() {
        return rank;
    }

    Accelerator accelerator() {
        return accelerator;
    }

    @Override
    public Backend backend() {
        return Backend.valueOf(accelerator.backend().toUpperCase(java.util.Locale.ROOT));
    }

    @Override
    public int ordinal() {
        return accelerator.ordinal();
    }

    @Override
    public String name() {
        return accelerator.name();
    }

    @Override
    public long totalBytes() {
        return accelerator.totalBytes();
    }

    @Override
    public long freeBytes() {
        return accelerator.freeBytes();
    }

    @Override
    public int multiprocessors() {
        return accelerator.multiprocessors();
    }

    @Override
    public Buffer alloc(ElementType type, long length) {
        accelerator.prepareCompiler(); // such memory is for kernels, nearly always; programs without it do not pay for a compiler
        memories.removeIf(memory -> !memory.isOpen());
        DeviceMemory memory = accelerator.allocate(Math.max(1, type.bytes(length)), false);
        memories.add(memory);
        return Buffer.owning(memory, type, length);
    }

    @Override
    public Buffer allocPinned(ElementType type, long length) {
        memories.removeIf(memory -> !memory.isOpen());
        PinnedMemory pinned = accelerator.allocatePinned(Math.max(1, type.bytes(length)));
        PinnedView memory = new PinnedView(pinned);
        memories.add(memory);
        return Buffer.ofPinned(pinned.segment(), memory, type, length);
    }

    @Override
    public int residentBlocks(GridProgram program, int threads) {
        return BlockTeam.resident(accelerator, program, threads);
    }

    @Override
    public int residentBlocks(GridKernel program, int threads) {
        return residentBlocks(kernels().blocks().of(program, threads).program(), threads);
    }

    @Override
    public ArrayView view(SharedArray array) {
        return kernels().view(array);
    }

    @Override
    public Stream newStream() {
        return keep(new RankStream(this, transfers));
    }

    @Override
    public Stream newLowLatencyStream() {
        return keep(RankStream.around(this, transfers, makeLowLatency.get()));
    }

    private Stream keep(RankStream stream) {
        streams.add(stream);
        return stream;
    }

    @Override
    public Stream wrapStream(long handle) {
        return keep(RankStream.around(this, transfers, accelerator.wrapStream(handle)));
    }

    void forget(RankStream stream) {
        streams.remove(stream);
    }

    RankGraph keep(RankGraph graph) {
        graphs.add(graph);
        return graph;
    }

    void forget(RankGraph graph) {
        graphs.remove(graph);
    }

    /** Completes the transfers that were queued on the rank's streams. */
    void completeTransfers() {
        for (int i = 0; i < streams.size(); i++) {
            streams.get(i).completeTransfers();
        }
    }

    /** Throws what has failed on the rank's streams and was not seen by its program. */
    void requireNoFailure() {
        for (int i = 0; i < streams.size(); i++) {
            streams.get(i).requireNoFailure();
        }
        checkKernels();
    }

    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>(streams);
        all.addAll(graphs);
        all.addAll(memories);
        if (kernels != null) {
            all.add(kernels::check); // the program has not asked
            all.add(kernels);
        }
        CloseHelper.closeAll(all);
    }
}
