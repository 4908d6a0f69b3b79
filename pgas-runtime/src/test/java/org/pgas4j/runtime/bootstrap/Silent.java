package org.pgas4j.runtime.bootstrap;

/** Learns everything and does nothing. */
public final class Silent implements Coordinator.Listener {

    @Override
    public void joined(int process) {
    }

    @Override
    public void left(int process) {
    }

    @Override
    public void disconnected(int process) {
    }

    @Override
    public void broken(int process, String why) {
    }

    @Override
    public void aborted(Abort cause) {
    }
}
