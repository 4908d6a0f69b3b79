package org.pgas4j.bootstrap;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Remembers what happened to the JVMs of a coordinator. */
abstract class EventLog implements Coordinator.Listener {

    final Queue<String> events = new ConcurrentLinkedQueue<>();

    /** Waits until {@code event} has happened. */
    boolean sees(String event) throws InterruptedException {
        for (long end = TestJob.deadline(10_000); System.nanoTime() - end < 0; Thread.sleep(5)) {
            if (events.contains(event)) {
                return true;
            }
        }
        return false;
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
}
