package org.pgas4j.runtime.bootstrap;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A relay of some JVMs of a {@link TestJob} that remembers what happened, and its clients. */
final class TestNode implements AutoCloseable, Coordinator.Listener {

    final Queue<String> events = new ConcurrentLinkedQueue<>();
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

    boolean sees(String event) throws InterruptedException {
        return TestJob.sees(events, event);
    }

    @Override
    public void joined(int process) {
        events.add("joined " + process);
    }

    @Override
    public void left(int process) {
        events.add("left " + process);
    }

    @Override
    public void disconnected(int process) {
        events.add("disconnected " + process);
    }

    @Override
    public void broken(int process, String why) {
        events.add("broken " + process + " " + why);
    }

    @Override
    public void aborted(Abort cause) {
        events.add("aborted " + cause.rank());
    }

    @Override
    public void close() {
        clients.forEach(NettyBootstrap::close);
        relay.close();
    }
}
