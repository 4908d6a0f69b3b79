package org.pgas4j.runtime.blocks;

import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.pgas4j.ReduceOp;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.device.Accelerator;
import org.pgas4j.device.AcceleratorStream;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.kernel.runtime.JavaBlocks;
import org.pgas4j.runtime.notify.PreparedTable;
import org.pgas4j.runtime.notify.ProxiedStreamOps;
import org.pgas4j.space.memory.Peers;
import org.pgas4j.space.memory.Segments;
import org.pgas4j.space.sync.ScalarAllReduce;
import org.pgas4j.space.sync.Waiter;

/**
 * Parts of a rank that its blocks use.
 *
 * @param stream     the device's stream behind a program's
 * @param allocate   collective: memory of {@code bytes} bytes in every device segment, at the same offset
 * @param free       collective: frees it
 * @param fetch      fills host memory with what is at a place of another rank's device segment
 * @param fence      completes the rank's transfers at their targets
 * @param notifying  the puts and notifications of a program's stream
 * @param prepared   the rank's prepared communications
 * @param directory  of this JVM's blocks
 * @param java       block programs written in Java
 * @param traffic    counters of what the rank's blocks transfer
 * @param packetBytes longest payload of a notified put between blocks that travels as packets, if the heap has room
 * @param firstCount of every notification counter
 */
public record BlockEnvironment(int rank, int ranks, Peers peers, Segments segments, Accelerator accelerator,
                               ProgressEngine progress, Waiter waiter, ScalarAllReduce words, BlockDirectory directory,
                               Function<Stream, AcceleratorStream> stream, Function<Stream, ProxiedStreamOps> notifying,
                               Function<Long, SharedPointer> allocate, Consumer<SharedPointer> free,
                               BiConsumer<MemorySegment, SharedPointer> fetch, Runnable fence,
                               Runnable barrier, PreparedTable prepared, Supplier<JavaBlocks> java, BlockTraffic traffic,
                               long packetBytes, long firstCount) {

    /** Collective: the largest number of blocks that every rank has multiprocessors for, but 1 where there are more ranks. */
    int defaultPerRank() {
        return (int) words.allReduce(Math.max(1L, accelerator.multiprocessors() / ranksOnDevice()), ReduceOp.MIN);
    }

    /** Collective: the rings of packets that every rank has room for; none on the host device, whose blocks copy. */
    PacketRings packetRings(int perRank, int threads) {
        long heapBytes = words.allReduce(peers.get(rank).deviceBytes(), ReduceOp.MIN);
        boolean fits = PacketRings.haveRegisters(perRank, threads, defaultPerRank());
        return fits && accelerator.backend().equals("cuda") ? PacketRings.of(packetBytes, heapBytes, perRank) : PacketRings.NONE;
    }

    /** Waits until a stream has done what it was given. */
    void await(AcceleratorStream given, Supplier<String> reason) {
        waiter.begin();
        while (!given.isIdle()) {
            waiter.pauseQuietly(reason);
        }
    }

    private int ranksOnDevice() {
        int mine = segments.ordinalOf(rank);
        int count = 0;
        for (int other = 0; other < ranks; other++) {
            count += segments.isOnThisNode(other) && segments.ordinalOf(other) == mine ? 1 : 0;
        }
        return count;
    }
}
