package org.pgas4j.bootstrap;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A relay of some JVMs of a {@link TestJob} that remembers what happened, and its clients. */
final class TestNode extends EventLog implements AutoCloseable {

    final Coordinator relay;
    private final TestJob job;
    private final int first;
    private final int end;
    private final List<NettyBootstrap> clients = new ArrayList<>();

    TestNode(TestJob job, int first, int end) {
        this(job, job.at(), first, end, CoordinatorOptions.loopback());
    }

    TestNode(TestJob job, MeetingPoint above, int first, int end, CoordinatorOptions options) {
        this.job = job;
        this.first = first;
        this.end = end;
        relay = Coordinator.startRelay(above, job.secret, TestJob.JOB, job.layout, first, end, this, job.log::add, options,
                Duration.ofSeconds(10));
    }

    NettyBootstrap connect(int process) {
        NettyBootstrap jvm = NettyBootstrap.connect(relay.at("127.0.0.1", "the node's agent"), job.secret, TestJob.JOB,
                process, job.layout, Duration.ofSeconds(10));
        clients.add(jvm);
        return jvm;
    }

    List<NettyBootstrap> connectAll() {
        for (int process = first; process < end; process++) {
            connect(process);
        }
        return clients;
    }

    @Override
    public void close() {
        clients.forEach(NettyBootstrap::close);
        relay.close();
    }
}
