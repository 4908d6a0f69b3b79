package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Backend;
import org.pgas4j.ExitCode;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Phase;
import org.pgas4j.bootstrap.SingleProcessBootstrap;
import org.pgas4j.bootstrap.node.NodeIdentity;
import org.pgas4j.bootstrap.node.Nodes;
import org.pgas4j.bootstrap.watch.StatusBoard;

@Timeout(60)
class HelperFailureTest {

    @Test
    void shouldEndTheJobWithTheCodeOfOutOfMemory() throws Exception {
        PgasConfig config = new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20)
                .set(PgasKey.HELPER, "on").conclude();
        SingleProcessBootstrap bootstrap = new SingleProcessBootstrap(1);
        CompletableFuture<Abort> failure = new CompletableFuture<>();
        bootstrap.onAbort(failure::complete);
        Nodes nodes = Nodes.agree(bootstrap, "nodes", NodeIdentity.current(null, null), System.nanoTime());
        Job job = new Job(config, List.of(), bootstrap, nodes, null, StatusBoard.local(0, 1), 1);

        job.ports().engine(0).addService(() -> {
            throw new OutOfMemoryError("on purpose");
        });

        Abort cause = failure.get(30, TimeUnit.SECONDS);
        job.close();
        assertEquals(ExitCode.OUT_OF_MEMORY.number(), cause.exitCode());
        assertEquals(Phase.SERVING, cause.phase());
        assertEquals("java.lang.OutOfMemoryError: on purpose", cause.message());
    }
}
