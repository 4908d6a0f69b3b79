package org.pgas4j.bootstrap;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A coordinator that remembers what happened, and its clients. */
final class TestJob extends EventLog implements AutoCloseable {

    static final String JOB = "testjob";

    final JobSecret secret = JobSecret.random();
    final ProcessLayout layout;
    final Queue<String> log = new ConcurrentLinkedQueue<>();
    final Coordinator coordinator;
    private final List<NettyBootstrap> clients = new ArrayList<>();

    TestJob(int processes, int ranks) {
        this(processes, ranks, CoordinatorOptions.loopback());
    }

    TestJob(int processes, int ranks, CoordinatorOptions options) {
        layout = new ProcessLayout(processes, ranks);
        coordinator = Coordinator.start(secret, JOB, layout, this, log::add, options);
    }

    /** Address of this job's coordinator. */
    MeetingPoint at() {
        return coordinator.at("127.0.0.1", "the launcher");
    }

    Identity identity(int process) {
        return Identity.ofJvm(JOB, process, layout);
    }

    NettyBootstrap connect(int process) {
        return connect(secret, identity(process), Identity.VERSION);
    }

    NettyBootstrap connect(JobSecret with, Identity as, int version) {
        NettyBootstrap client = NettyBootstrap.connect(at(), with, as, version, layout,
                Duration.ofSeconds(30));
        clients.add(client);
        return client;
    }

    NettyBootstrap[] connectAll() {
        NettyBootstrap[] all = new NettyBootstrap[layout.processes()];
        for (int process = 0; process < all.length; process++) {
            all[process] = connect(process);
        }
        return all;
    }

    static long deadline(long ms) {
        return System.nanoTime() + ms * 1_000_000;
    }

    @Override
    public void nodeJoined(int first, int end, String place) {
        events.add("node " + first + "-" + end + " joined");
    }

    @Override
    public void nodeLeft(int first, int end, String place) {
        events.add("node " + first + "-" + end + " left");
    }

    @Override
    public void close() {
        clients.forEach(NettyBootstrap::close);
        coordinator.close();
    }
}
