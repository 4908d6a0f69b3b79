package org.pgas4j.fastpath.conduit.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.UsageException;
import org.pgas4j.fastpath.conduit.ConduitOptions;
import org.pgas4j.fastpath.conduit.Endpoint;
import org.pgas4j.fastpath.conduit.HostSegment;
import org.pgas4j.fastpath.conduit.SegmentAddress;

/** One segment that both halves of the conduit reach. */
@Timeout(300)
class NodeConduitTest {

    private static final int ADDS = 5_000;

    /** Rank 1 is on this node while {@code here} says so. */
    private static NodeConduit open(AtomicBoolean here) {
        try {
            return new NodeConduit(new ConduitOptions(2, 2, TimeUnit.SECONDS.toNanos(120), () -> { }, "tcp", "none", 2,
                    rank -> rank == 0 || here.get()));
        } catch (UsageException e) {
            assertTrue(e.getMessage().startsWith("a job on 2 nodes needs "), e.getMessage());
            Assumptions.assumeTrue(Boolean.getBoolean("test.require.ucx"), e.getMessage());
            throw e;
        }
    }

    private static void add(Endpoint endpoint) {
        for (int i = 0; i < ADDS; i++) {
            endpoint.fetchAndAddWord(64, 1);
            long old = endpoint.getWordAcquire(128);
            while (!endpoint.compareAndSetWord(128, old, old + 1)) {
                old = endpoint.getWordAcquire(128);
            }
        }
    }

    @Test
    void shouldAddUpWhatComesFromThisNodeAndFromOthers() throws Exception {
        AtomicBoolean here = new AtomicBoolean(true);
        AtomicBoolean done = new AtomicBoolean();
        try (NodeConduit conduit = open(here)) {
            HostSegment segment = conduit.create(1, "test segment", 1 << 16);
            conduit.create(0, "test segment", 1 << 16);
            Endpoint near = conduit.connect(0, 1, segment.address());
            here.set(false);
            Endpoint far = conduit.connect(0, 1, segment.address());
            assertNotNull(near.mapped());
            assertNull(far.mapped());
            assertEquals(0, far.orderedPutBytes()); // tcp
            Thread helper = Thread.ofPlatform().start(() -> {
                while (!done.get()) {
                    if (!(conduit.progress(0) | conduit.progress(1))) {
                        Thread.yield();
                    }
                }
            });
            try {
                CompletableFuture<Void> other = CompletableFuture.runAsync(() -> add(near));
                add(far);
                other.get(200, TimeUnit.SECONDS);
            } finally {
                done.set(true);
                helper.join();
            }

            assertEquals(2 * ADDS, near.getWordAcquire(64));
            assertEquals(2 * ADDS, near.getWordAcquire(128));
        }
    }

    /** The path of another node's segment may be that of a file here: it must not be looked at. */
    @Test
    void shouldNotOpenThePathOfAnotherNode() throws IOException {
        AtomicBoolean here = new AtomicBoolean();
        try (NodeConduit conduit = open(here)) {
            HostSegment wrong = conduit.create(0, "another file", 1 << 16);
            HostSegment right = conduit.create(1, "test segment", 1 << 16);

            Endpoint endpoint = conduit.connect(0, 1, new SegmentAddress(wrong.address().path(), 1 << 16,
                    right.address().key()));

            assertNull(endpoint.mapped());
        }
    }
}
