package org.pgas4j.bootstrap;

import io.netty.channel.Channel;
import io.netty.channel.SingleThreadIoEventLoop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.pgas4j.ExitCode;
import org.pgas4j.PeerLostException;
import org.pgas4j.PgasException;
import org.pgas4j.PgasTimeoutException;

/**
 * The control plane of a JVM of a job of several: one connection to the {@link Coordinator}. Two daemon threads of
 * its own: one for the connection, one that answers calls.
 */
public final class NettyBootstrap implements Bootstrap {

    static {
        EventLoops.silenceMissingLogger();
    }

    private static final long LEAVE_MS = 1_000;
    private static final long REPORT_MS = 2_000;
    /** Time allowed for the supervisor to report a lost JVM before a peer's own report is used. */
    private static final long LOSS_MS = 1_000;

    private final String jobId;
    private final int process;
    private final ProcessLayout layout;
    private final SingleThreadIoEventLoop loop;
    private final ExecutorService control = Executors.newSingleThreadExecutor(daemons("pgas-control"));
    private final Map<Integer, Service> services = new ConcurrentHashMap<>();
    private final Map<Long, Pending> calls = new ConcurrentHashMap<>();
    private final AtomicLong callIds = new AtomicLong();
    private final AbortState aborts = new AbortState();
    private final Losses losses = new Losses();
    private final Exchanges exchanges;
    private final Set<Integer> left = ConcurrentHashMap.newKeySet();
    private final Set<String> usedKeys = new HashSet<>();
    private volatile Function<String, Abort> loss = this::loss;
    private volatile Channel channel;
    private volatile boolean closed;

    /** A call under way. */
    private record Pending(int target, CompletableFuture<Message.Reply> answer) {
    }

    private NettyBootstrap(String jobId, int process, ProcessLayout layout) {
        this.jobId = jobId;
        this.process = process;
        this.layout = layout;
        this.exchanges = new Exchanges(layout, left, losses, aborts);
        this.loop = EventLoops.single("pgas-bootstrap");
    }

    /**
     * Connects to the coordinator, the job's or the node's.
     *
     * @throws org.pgas4j.RefusedException if it refuses this JVM or cannot prove the secret
     * @throws org.pgas4j.BootstrapException if there is no answer in time
     */
    public static NettyBootstrap connect(MeetingPoint at, JobSecret secret, String jobId, int process,
                                         ProcessLayout layout, Duration timeout, KeepAlive keepAlive) {
        return connect(at, secret, Identity.ofJvm(jobId, process, layout), Identity.VERSION, layout, timeout, keepAlive);
    }

    /** The same with the default heartbeat: between processes of one host it does not matter. */
    public static NettyBootstrap connect(MeetingPoint at, JobSecret secret, String jobId, int process,
                                         ProcessLayout layout, Duration timeout) {
        return connect(at, secret, jobId, process, layout, timeout, KeepAlive.of(CoordinatorOptions.loopback()));
    }

    static NettyBootstrap connect(MeetingPoint at, JobSecret secret, Identity self, int version, ProcessLayout layout,
                                  Duration timeout) {
        return connect(at, secret, self, version, layout, timeout, KeepAlive.of(CoordinatorOptions.loopback()));
    }

    private static NettyBootstrap connect(MeetingPoint at, JobSecret secret, Identity self, int version,
                                          ProcessLayout layout, Duration timeout, KeepAlive keepAlive) {
        NettyBootstrap bootstrap = new NettyBootstrap(self.job(), self.process(), layout);
        boolean success = false;
        try {
            bootstrap.channel = Connector.connect(bootstrap.loop, at, secret, self, version,
                    new CoordinatorConnection(bootstrap, at), timeout, keepAlive);
            success = true;
            return bootstrap;
        } finally {
            if (!success) {
                bootstrap.stop();
            }
        }
    }

    /** Sets the failure that the end of the connection means; by default this JVM has lost the launcher. */
    public void onLoss(Function<String, Abort> failure) {
        loss = failure;
    }

    @Override
    public String jobId() {
        return jobId;
    }

    @Override
    public int process() {
        return process;
    }

    @Override
    public int processes() {
        return layout.processes();
    }

    @Override
    public int ranks() {
        return layout.ranks();
    }

    @Override
    public int processOf(int rank) {
        return layout.processOf(rank);
    }

    @Override
    public int firstRank(int ofProcess) {
        return layout.firstRank(ofProcess);
    }

    /**
     * @throws PeerLostException                if a JVM that is missing has ended
     * @throws org.pgas4j.JobAbortedException if the job has
     */
    @Override
    public byte[][] allGather(String key, byte[] mine, long deadlineNs) {
        give(key, mine);
        return exchanges.await(key, false, deadlineNs);
    }

    /** @throws org.pgas4j.JobAbortedException if the job has ended */
    @Override
    public byte[][] gatherLiving(String key, byte[] mine, long deadlineNs) {
        give(key, mine);
        return exchanges.await(key, true, deadlineNs);
    }

    private void give(String key, byte[] mine) {
        requireOpen("allGather " + key);
        synchronized (usedKeys) {
            if (!usedKeys.add(key)) {
                throw new IllegalArgumentException("allGather " + key + ": the key has been used before");
            }
        }
        write(new Message.Gather(key, process, mine));
    }

    @Override
    public Losses losses() {
        return losses;
    }

    @Override
    public void serve(int service, Service handler) {
        services.put(service, handler); // replaced by the next run of a program
    }

    /**
     * @throws PgasException     with the failure's text if the service failed
     * @throws PeerLostException if the JVM has ended
     */
    @Override
    public byte[] call(int target, int service, byte[] request, long deadlineNs) {
        return call(target, service, false, request, deadlineNs);
    }

    /**
     * @throws PgasException     with the failure's text if the service failed
     * @throws PeerLostException if the JVM has ended
     */
    @Override
    public byte[] lookup(int target, int service, byte[] request, long deadlineNs) {
        return call(target, service, true, request, deadlineNs);
    }

    private byte[] call(int target, int service, boolean lasting, byte[] request, long deadlineNs) {
        String what = "call of service " + service + " on " + layout.describe(target);
        requireOpen(what);
        if (target == process) {
            return serviceOf(service).answer(request);
        }
        long startNs = System.nanoTime();
        long id = callIds.incrementAndGet();
        CompletableFuture<Message.Reply> answer = new CompletableFuture<>();
        calls.put(id, new Pending(target, answer));
        try {
            if (aborts.first() != null) {
                throw aborts.first().exception();
            }
            if (losses.has(target)) { // told before it could be asked, or while the call was entered
                throw new PeerLostException(what + ": the JVM is lost");
            }
            write(new Message.Call(id, process, target, service, lasting, request));
            Message.Reply reply = answer.get(Math.max(0, deadlineNs - startNs), TimeUnit.NANOSECONDS);
            if (reply.outcome() != Message.Outcome.ANSWERED) {
                String failure = what + " failed: " + new String(reply.answer(), StandardCharsets.UTF_8);
                throw reply.outcome() == Message.Outcome.LOST || left.contains(target) ? new PeerLostException(failure)
                        : new PgasException(failure);
            }
            return reply.answer();
        } catch (TimeoutException _) {
            throw new PgasTimeoutException(what + " timed out after " + Exchanges.millisSince(startNs)
                    + " ms: no answer; pgas.timeout sets the deadline of a wait");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof PgasException failure ? failure : new PgasException(what, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PgasException(what + " interrupted", e);
        } finally {
            calls.remove(id);
        }
    }

    /**
     * Waits up to two seconds for the coordinator to report which failure was the first. That a rank has lost a peer is
     * sent only if no other failure arrives within a second: the supervisor of the peer knows its exit status, the rank
     * does not.
     */
    @Override
    public Abort abort(Abort cause) {
        return abort(cause, LOSS_MS);
    }

    /** @param lossMs how long a lost peer is left to others to report */
    Abort abort(Abort cause, long lossMs) {
        if (ExitCode.PEER_LOST.is(cause.exitCode())) {
            aborts.await(lossMs);
        }
        if (aborts.first() == null && !closed) {
            write(new Message.Failed(cause));
            aborts.await(REPORT_MS);
        }
        ended(cause); // unless the coordinator has sent another one
        return aborts.first();
    }

    @Override
    public Abort aborted() {
        return aborts.first();
    }

    @Override
    public void onAbort(Consumer<Abort> listener) {
        aborts.listen(listener);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        control.shutdown();
        if (channel.isActive()) {
            channel.writeAndFlush(Message.encode(new Message.Leave()));
            // The coordinator closes. If this side did, with bytes unread, the message might be lost.
            channel.closeFuture().awaitUninterruptibly(LEAVE_MS);
        }
        stop();
    }

    private void stop() {
        closed = true;
        control.shutdown();
        if (channel != null) {
            channel.close().awaitUninterruptibly(LEAVE_MS);
        }
        EventLoops.stop(loop);
    }

    /** Event loop. */
    void received(Message message) {
        switch (message) {
            case Message.Shares shares -> shares.shares().forEach(share ->
                    exchanges.received(shares.key(), share.process(), share.value()));
            case Message.Call call -> {
                try {
                    control.execute(() -> answer(call));
                } catch (RejectedExecutionException _) {
                    reply(call, Message.Outcome.LOST, (layout.describe(process) + " is closing")
                            .getBytes(StandardCharsets.UTF_8));
                }
            }
            case Message.Reply reply -> {
                Pending waiting = calls.get(reply.id());
                if (waiting != null) { // else the caller has given up
                    waiting.answer.complete(reply);
                }
            }
            case Message.Failed failed -> ended(failed.cause());
            case Message.Left gone -> {
                left.add(gone.process());
                exchanges.changed();
            }
            case Message.Lost lost -> lost(new Losses.Loss(lost.first(), lost.end(), lost.cause()));
            case Message.Gather _, Message.Leave _, Message.Heartbeat _ -> throw new ProtocolException(
                    "a coordinator does not send " + message.getClass().getSimpleName() + " to a JVM");
        }
    }

    /** Event loop. */
    void disconnected(String why) {
        if (!closed) {
            ended(loss.apply(why));
        }
    }

    private Abort loss(String why) {
        return new Abort(layout.firstRank(process), Place.here(layout.ranksOf(process)), Phase.RUNNING,
                why + "; is it gone?", ExitCode.PEER_LOST.number(), false);
    }

    private void ended(Abort cause) {
        if (aborts.set(cause)) {
            exchanges.changed();
            calls.values().forEach(call -> call.answer.completeExceptionally(aborts.first().exception()));
        }
    }

    private void lost(Losses.Loss loss) {
        if (loss.has(process)) { // by a protocol violation, say: the others go on without this one
            ended(loss.cause());
            return;
        }
        losses.add(loss);
        exchanges.changed();
        calls.values().stream().filter(call -> loss.has(call.target)).forEach(call ->
                call.answer.completeExceptionally(new PeerLostException(loss.cause().loss())));
    }

    private void answer(Message.Call call) {
        byte[] answer;
        try {
            answer = serviceOf(call.service()).answer(call.request());
        } catch (RuntimeException | Error e) {
            String text = e.getMessage() == null ? e.toString() : e.getMessage();
            reply(call, Message.Outcome.FAILED, text.getBytes(StandardCharsets.UTF_8));
            return;
        }
        reply(call, Message.Outcome.ANSWERED, answer);
    }

    private void reply(Message.Call call, Message.Outcome outcome, byte[] answer) {
        write(new Message.Reply(call.id(), process, call.from(), outcome, answer));
    }

    private Service serviceOf(int service) {
        Service handler = services.get(service);
        if (handler == null) {
            throw new PgasException("no service " + service + " on " + layout.describe(process));
        }
        return handler;
    }

    /** A write that fails ends the connection, which ends every wait. */
    private void write(Message message) {
        Channel to = channel;
        if (to.eventLoop().isShuttingDown()) {
            return; // closed here while a service still worked on its answer
        }
        to.writeAndFlush(Message.encode(message)).addListener(done -> {
            if (!done.isSuccess()) {
                to.close();
            }
        });
    }

    private void requireOpen(String what) {
        if (closed) {
            throw new IllegalStateException(what + ": the bootstrap of " + layout.describe(process) + " is closed");
        }
    }

    private static java.util.concurrent.ThreadFactory daemons(String name) {
        return task -> Thread.ofPlatform().daemon().name(name).unstarted(task);
    }
}
