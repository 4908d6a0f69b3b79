package org.pgas4j.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgas4j.DeviceGrid;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasKey;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.os.CloseHelper;
import org.pgas4j.runtime.blocks.BlockEnvironment;
import org.pgas4j.runtime.blocks.BlockTeam;
import org.pgas4j.runtime.blocks.BlockTraffic;
import org.pgas4j.runtime.notify.NotifyModule;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.sync.HappensBefore;
import org.pgas4j.space.sync.ScalarAllReduce;

/**
 * Grids of one rank: numbers them as all ranks do, gives each the parts of the rank that its blocks use, and releases those
 * that are left at the end. Used by the rank's thread.
 */
final class RankGrids implements AutoCloseable {

    private final RankContext context;
    private final Job job;
    private final Peers peers;
    private final ProgressEngine progress;
    private final ScalarAllReduce words;
    private final HappensBefore ordering;
    private final Allocator allocator;
    private final NotifyModule communications;
    private final RankDevice device;
    private final BlockTraffic traffic;
    private final Map<Integer, BlockTeam> grids = new HashMap<>();

    RankGrids(RankContext context, Job job, Peers peers, ProgressEngine progress, ScalarAllReduce words, HappensBefore ordering,
              Allocator allocator, NotifyModule communications, RankDevice device, BlockTraffic traffic) {
        this.context = context;
        this.job = job;
        this.peers = peers;
        this.progress = progress;
        this.words = words;
        this.ordering = ordering;
        this.allocator = allocator;
        this.communications = communications;
        this.device = device;
        this.traffic = traffic;
    }

    /** Collective: a grid with the lowest number that is free, which is the same on all ranks. */
    DeviceGrid create(DeviceGrid.Options options, long firstCount) {
        ordering.takesUnseen();
        ordering.notifiesUnseen();
        int number = 0;
        while (grids.containsKey(number)) {
            number++;
        }
        BlockTeam made = new BlockTeam(environment(number, firstCount), number, options, job.timeout());
        grids.put(number, made);
        return made;
    }

    private BlockEnvironment environment(int number, long firstCount) {
        int rank = context.rank();
        int ranks = context.ranks();
        return new BlockEnvironment(rank, ranks, peers, job.segments(), job.segments().acceleratorOf(rank), progress,
                job.ports().waiter(rank), words, job.blocks(), RankStream::accelerated, RankStream::notifying,
                bytes -> allocator.allAlloc("createGrid", MemoryKind.DEVICE, ranks, bytes), pointer -> {
                    grids.remove(number);
                    context.allFree(pointer);
                }, (into, from) -> context.memget(into, from, into.byteSize()), context::fence, context::barrier,
                communications.prepared(), () -> device.kernels().blocks(), traffic,
                job.config().bytes(PgasKey.BLOCKS_PACKETS), firstCount);
    }

    /** Adds what the blocks of all grids have transferred to the rank's counters. */
    void count() {
        grids.values().forEach(BlockTeam::count);
    }

    @Override
    public void close() {
        List<AutoCloseable> all = new ArrayList<>();
        grids.values().forEach(grid -> all.add(grid::release));
        CloseHelper.closeAll(all);
    }
}
