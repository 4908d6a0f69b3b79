package org.pgas4j.runtime;

import java.util.function.Supplier;
import org.pgas4j.Diagnostics;
import org.pgas4j.HelperStats;
import org.pgas4j.MemoryKind;
import org.pgas4j.RankCounters;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.transfer.RouteTable;

/** Routes and helper statistics of one rank. Used by the rank's thread. */
final class RankDiagnostics implements Diagnostics, AutoCloseable {

    private final RouteTable routes;
    private final ProgressEngine progress;
    private final Supplier<String> messages;
    private final RankCounts counts;
    private final int run;
    private CountersBean bean;

    /**
     * @param messages cost and memory of the message protocols, as text
     * @param run      number of the run in this JVM
     */
    RankDiagnostics(RouteTable routes, ProgressEngine progress, Supplier<String> messages, RankCounts counts, int run) {
        this.routes = routes;
        this.progress = progress;
        this.messages = messages;
        this.counts = counts;
        this.run = run;
    }

    @Override
    public String route(MemoryKind local, SharedPointer remote, long bytes) {
        return routes.label(remote.rank(), local, remote.kind(), bytes);
    }

    @Override
    public String explain(MemoryKind local, SharedPointer remote, long bytes) {
        return routes.explain(remote.rank(), local, remote.kind(), bytes);
    }

    @Override
    public String explain() {
        return routes.explain() + messages.get();
    }

    @Override
    public RankCounters counters() {
        return counts.look();
    }

    @Override
    public Scope publish() {
        if (bean == null) {
            bean = new CountersBean(run, counts.rank(), counts);
        }
        return new OnceScope(this::close);
    }

    @Override
    public void close() {
        if (bean != null) {
            bean.close();
            bean = null;
        }
    }

    @Override
    public HelperStats helperStats() {
        return progress.takeStats();
    }
}
