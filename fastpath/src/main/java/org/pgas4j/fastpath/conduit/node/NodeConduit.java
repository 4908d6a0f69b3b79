package org.pgas4j.fastpath.conduit.node;

import java.io.IOException;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgas4j.UsageException;
import org.pgas4j.fastpath.conduit.Conduit;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;
import org.pgas4j.fastpath.conduit.shm.ShmConduit;
import org.pgas4j.fastpath.conduit.ucx.UcxConduit;

/**
 * Conduit whose segments are memory files that the ranks of the owner's node map, registered with UCX for those of the
 * other nodes. A rank uses one of the two, chosen when it connects.
 *
 * <p>A segment's words are changed by both. That is sound because processors alone change them: those of the node's
 * ranks, and for operations over UCX the one that makes progress where the segment is.
 */
public final class NodeConduit implements Conduit {

    private final ShmConduit within = new ShmConduit();
    private final UcxConduit between;
    private final IntPredicate onThisNode;
    private final String reach;

    /** @throws UsageException if UCX or its binding is missing, or has none of the requested transports */
    public NodeConduit(ConduitOptions options) {
        onThisNode = options.onThisNode();
        between = UcxConduit.betweenNodes(options);
        List<Integer> here = IntStream.range(0, options.ranks()).filter(onThisNode).boxed().toList();
        reach = "shm+ucx: " + options.nodes() + " nodes; shm between ranks "
                + here.stream().map(String::valueOf).limit(16).collect(Collectors.joining(", "))
                + (here.size() > 16 ? ", ... (" + here.size() + ")" : "") + " of this node, ucx to the others";
    }

    @Override
    public String name() {
        return "shm+ucx";
    }

    @Override
    public HostSegment create(int rank, String purpose, long bytes) {
        HostSegment made = within.create(rank, purpose, bytes);
        boolean success = false;
        try {
            byte[] key = between.register(rank, made.memory());
            success = true;
            return new HostSegment(rank, made.memory(), new SegmentAddress(made.address().path(), bytes, key));
        } finally {
            if (!success) {
                within.release(made);
            }
        }
    }

    @Override
    public void release(HostSegment segment) {
        between.release(segment);
        within.release(segment);
    }

    @Override
    public Endpoint connect(int from, int to, SegmentAddress address) throws IOException {
        return onThisNode.test(to) ? within.connect(from, to, address) : between.connect(from, to, address);
    }

    @Override
    public void disconnect(Endpoint endpoint) {
        if (endpoint.mapped() != null) {
            within.disconnect(endpoint);
        } else {
            between.disconnect(endpoint);
        }
    }

    @Override
    public boolean progress(int rank) {
        return between.progress(rank);
    }

    @Override
    public boolean needsProgress() {
        return true;
    }

    @Override
    public String describe() {
        return reach + System.lineSeparator() + within.describe() + System.lineSeparator() + between.describe();
    }

    @Override
    public void close() {
        try {
            between.close(); // first: the memory it has registered is freed by the other
        } finally {
            within.close();
        }
    }
}
