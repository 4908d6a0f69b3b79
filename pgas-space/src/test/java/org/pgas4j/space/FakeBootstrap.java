package org.pgas4j.space;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.pgas4j.PgasException;
import org.pgas4j.bootstrap.Abort;
import org.pgas4j.bootstrap.Bootstrap;
import org.pgas4j.bootstrap.ProcessLayout;

/**
 * The control plane of one process of a job without connections: the caller's thread runs the service of the other
 * process.
 */
public final class FakeBootstrap implements Bootstrap {

    /** Sees each call before it is served. */
    @FunctionalInterface
    public interface Observer {
        void called(int from, int to, int service, byte[] request);
    }

    /** The processes of one job share it. */
    private static final class Shared {
        private final ProcessLayout layout;
        private final Map<List<Integer>, Service> services = new ConcurrentHashMap<>();
        private final List<Consumer<Abort>> listeners = new CopyOnWriteArrayList<>();
        private volatile Observer observer = (from, to, service, request) -> { };
        private volatile Abort aborted;

        Shared(ProcessLayout layout) {
            this.layout = layout;
        }
    }

    private final Shared shared;
    private final int process;

    private FakeBootstrap(Shared shared, int process) {
        this.shared = shared;
        this.process = process;
    }

    /** The processes of a new job. */
    public static List<FakeBootstrap> job(int processes, int ranks) {
        Shared shared = new Shared(new ProcessLayout(processes, ranks));
        List<FakeBootstrap> job = new ArrayList<>();
        for (int process = 0; process < processes; process++) {
            job.add(new FakeBootstrap(shared, process));
        }
        return job;
    }

    /** From now on {@code observer} sees the calls of all processes. */
    public void observe(Observer observer) {
        shared.observer = observer;
    }

    @Override
    public String jobId() {
        return "fake";
    }

    @Override
    public int process() {
        return process;
    }

    @Override
    public int processes() {
        return shared.layout.processes();
    }

    @Override
    public int ranks() {
        return shared.layout.ranks();
    }

    @Override
    public int processOf(int rank) {
        return shared.layout.processOf(rank);
    }

    @Override
    public int firstRank(int of) {
        return shared.layout.firstRank(of);
    }

    /** Does not wait: every process is taken to give the same. */
    @Override
    public byte[][] allGather(String key, byte[] mine, long deadlineNs) {
        byte[][] all = new byte[processes()][];
        Arrays.fill(all, mine);
        return all;
    }

    @Override
    public void serve(int service, Service handler) {
        shared.services.put(List.of(process, service), handler);
    }

    @Override
    public byte[] call(int target, int service, byte[] request, long deadlineNs) {
        shared.observer.called(process, target, service, request);
        Service handler = shared.services.get(List.of(target, service));
        if (handler == null) {
            throw new PgasException("no service " + service + " on process " + target);
        }
        return handler.answer(request);
    }

    @Override
    public byte[] lookup(int target, int service, byte[] request, long deadlineNs) {
        return call(target, service, request, deadlineNs);
    }

    @Override
    public Abort abort(Abort cause) {
        synchronized (shared) {
            if (shared.aborted != null) {
                return shared.aborted;
            }
            shared.aborted = cause;
        }
        shared.listeners.forEach(listener -> listener.accept(cause));
        return cause;
    }

    @Override
    public Abort aborted() {
        return shared.aborted;
    }

    @Override
    public void onAbort(Consumer<Abort> listener) {
        shared.listeners.add(listener);
    }

    @Override
    public void close() {
        // nothing is open
    }
}
