package org.pgas4j.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.pgas4j.Diagnostics;
import org.pgas4j.HelperStats;
import org.pgas4j.MemoryKind;
import org.pgas4j.RankCounters;
import org.pgas4j.Scope;
import org.pgas4j.SharedPointer;
import org.pgas4j.helper.HelperThreads;
import org.pgas4j.helper.ProgressEngine;
import org.pgas4j.space.transfer.RouteTable;

/** Routes and helper statistics of one rank. Used by the rank's thread. */
final class RankDiagnostics implements Diagnostics, AutoCloseable {

    private final RouteTable routes;
    private final ProgressEngine progress;
    private final Supplier<String> messages;
    private final RankCounts counts;
    private final Runnable blocks;
    private final int run;
    private final HelperThreads helpers;
    private final List<PlatformBean> beans = new ArrayList<>();

    /**
     * @param messages cost and memory of the message protocols, as text
     * @param blocks   brings the counters up to what blocks have transferred; by the rank's thread
     * @param run      number of the run in this JVM
     * @param helpers  of this JVM; null if there are none
     */
    RankDiagnostics(RouteTable routes, ProgressEngine progress, Supplier<String> messages, RankCounts counts, Runnable blocks,
                    int run, HelperThreads helpers) {
        this.routes = routes;
        this.progress = progress;
        this.messages = messages;
        this.counts = counts;
        this.blocks = blocks;
        this.run = run;
        this.helpers = helpers;
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
        blocks.run();
        return counts.look();
    }

    @Override
    public Scope publish() {
        if (beans.isEmpty()) {
            beans.add(new PlatformBean(new CountersBean(counts), "RankCounters", run, counts.rank()));
            if (helpers != null) {
                beans.add(new PlatformBean(new HelperSettingsBean(helpers), "HelperSettings", run, counts.rank()));
            }
        }
        return new OnceScope(this::close);
    }

    @Override
    public void close() {
        beans.forEach(PlatformBean::close);
        beans.clear();
    }

    @Override
    public HelperStats helperStats() {
        return progress.takeStats();
    }
}
