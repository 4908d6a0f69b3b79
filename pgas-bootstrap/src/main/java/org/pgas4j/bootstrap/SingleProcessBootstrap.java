package org.pgas4j.bootstrap;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.pgas4j.PgasException;

/** Control plane of a job of one JVM, without connections. */
public final class SingleProcessBootstrap implements Bootstrap {

    private final int ranks;
    private final String jobId = Long.toHexString(ProcessHandle.current().pid()) + "-"
            + Long.toHexString(System.nanoTime());
    private final Map<Integer, Service> services = new ConcurrentHashMap<>();
    private final List<Consumer<Abort>> listeners = new ArrayList<>();
    private volatile Abort aborted;

    public SingleProcessBootstrap(int ranks) {
        this.ranks = ranks;
    }

    @Override
    public String jobId() {
        return jobId;
    }

    @Override
    public int process() {
        return 0;
    }

    @Override
    public int processes() {
        return 1;
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public int processOf(int rank) {
        return 0;
    }

    @Override
    public int firstRank(int process) {
        return process == 0 ? 0 : ranks;
    }

    @Override
    public byte[][] allGather(String key, byte[] mine, long deadlineNs) {
        return new byte[][] {mine};
    }

    @Override
    public void serve(int service, Service handler) {
        services.put(service, handler);
    }

    @Override
    public byte[] call(int process, int service, byte[] request, long deadlineNs) {
        Service handler = services.get(service);
        if (process != 0 || handler == null) {
            throw new PgasException("no service " + service + " on process " + process + " of 1");
        }
        return handler.answer(request);
    }

    @Override
    public byte[] lookup(int process, int service, byte[] request, long deadlineNs) {
        return call(process, service, request, deadlineNs);
    }

    @Override
    public Abort abort(Abort cause) {
        List<Consumer<Abort>> toCall;
        synchronized (listeners) {
            if (aborted != null) {
                return aborted;
            }
            aborted = cause;
            toCall = List.copyOf(listeners);
        }
        toCall.forEach(listener -> listener.accept(cause));
        return cause;
    }

    @Override
    public Abort aborted() {
        return aborted;
    }

    @Override
    public void onAbort(Consumer<Abort> listener) {
        synchronized (listeners) {
            if (aborted == null) {
                listeners.add(listener);
                return;
            }
        }
        listener.accept(aborted);
    }

    @Override
    public void close() {
        // there is no connection
    }
}
