package org.pgas4j.bootstrap;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.pgas4j.BootstrapException;

/**
 * Meeting point of the JVMs of a job: accepts those that prove the job's secret, forwards exchanges and calls and
 * distributes the first failure. The one at the top is the launcher's, or process 0's where there is no launcher; a
 * relay is one node's, accepts the node's JVMs and is itself connected to the one above. One thread of its own; methods
 * may be called from any thread.
 */
public final class Coordinator implements AutoCloseable {

    static {
        EventLoops.silenceMissingLogger();
    }

    /** Receives events of the job; on the coordinator's thread, must not block. */
    public interface Listener {

        /** A JVM that is connected here has proved the secret. */
        default void joined(int process) {
        }

        /** The same, with the JVM's host and process id. */
        default void joined(int process, String place) {
            joined(process);
        }

        /** A JVM has left the job in order, here or at its node's coordinator. */
        default void left(int process) {
        }

        /** The connection of a JVM that is connected here has ended, whether or not it has left. */
        default void disconnected(int process) {
        }

        /** A member of the job has violated the protocol; of a node, its first JVM's number. */
        default void broken(int process, String why) {
        }

        /** JVMs are lost, and the job goes on without them ({@code pgas.lost=event}); told by the job's coordinator, not a node's. */
        default void lost(Abort cause) {
        }

        /** The first failure. */
        default void aborted(Abort cause) {
        }

        /** A node's coordinator has proved the secret; it stands for JVMs {@code first..end-1}. */
        default void nodeJoined(int first, int end, String place) {
        }

        /**
         * The connection of a node's coordinator has ended or was silent for too long. Unless its JVMs had left or the
         * job had failed, {@link #aborted} follows.
         */
        default void nodeLeft(int first, int end, String place) {
        }
    }

    private static final long WAIT_MS = 2_000;
    private static final long LEAVE_MS = 1_000;

    private final SingleThreadIoEventLoop loop;
    private final Channel server;
    private final JobState state;
    private final RefusalLog refusals;
    private final boolean tls;
    private final boolean goesOn;
    private volatile Uplink uplink;
    private volatile Channel above;

    private Coordinator(SingleThreadIoEventLoop loop, Channel server, JobState state, RefusalLog refusals, boolean tls,
                        boolean goesOn) {
        this.loop = loop;
        this.server = server;
        this.state = state;
        this.refusals = refusals;
        this.tls = tls;
        this.goesOn = goesOn;
    }

    /**
     * Starts the coordinator of a job.
     *
     * @param log receives one line for each refused connection, at most 20 a second
     * @throws BootstrapException if it cannot listen; names the address
     */
    public static Coordinator start(JobSecret secret, String job, ProcessLayout layout, Listener listener,
                                    Consumer<String> log, CoordinatorOptions options) {
        return start(secret, job, layout, listener, log, Identity.thisBuild(), options);
    }

    static Coordinator start(JobSecret secret, String job, ProcessLayout layout, Listener listener,
                             Consumer<String> log, long build, CoordinatorOptions options) {
        RefusalLog refusals = new RefusalLog(log);
        return listen(new JobState(secret, job, layout, build, listener, refusals, options.goesOn()), refusals, options,
                EventLoops.single("pgas-coordinator"));
    }

    /**
     * Starts the coordinator of one node and connects it to the one above, which must have the same job, layout and
     * secret. If the one above is lost, or this one, the job fails for the JVMs of this node.
     *
     * @param parent  the coordinator above: the job's, or another relay
     * @param first   first JVM of this node
     * @param end     end of the JVMs of this node
     * @param options of this coordinator: most often {@link CoordinatorOptions#loopback()}, with the job's heartbeats
     * @param timeout of the connection to the one above
     * @throws org.pgas4j.RefusedException if the one above refuses this one or cannot prove the secret
     * @throws BootstrapException if it cannot be reached or does not answer in time, or if this one cannot listen
     */
    public static Coordinator startRelay(MeetingPoint parent, JobSecret secret, String job, ProcessLayout layout,
                                         int first, int end, Listener listener, Consumer<String> log,
                                         CoordinatorOptions options, Duration timeout) {
        Objects.checkFromToIndex(first, end, layout.processes());
        if (first == end) {
            throw new IllegalArgumentException("a node without JVMs: processes " + first + ".." + end);
        }
        long build = Identity.thisBuild();
        RefusalLog refusals = new RefusalLog(log);
        JobState state = new JobState(secret, job, layout, build, first, end, listener, refusals, options.goesOn());
        SingleThreadIoEventLoop loop = EventLoops.single("pgas-relay");
        boolean success = false;
        try {
            Uplink uplink = new Uplink(parent, state, end - first, options);
            state.uplink(uplink);
            Channel above = Connector.connect(loop, parent, secret, Identity.ofRelay(job, first, end, layout, build),
                    Identity.VERSION, uplink, timeout, KeepAlive.of(options));
            Coordinator relay = listen(state, refusals, options, loop);
            relay.uplink = uplink;
            relay.above = above;
            success = true;
            return relay;
        } finally {
            if (!success) {
                EventLoops.stop(loop);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Coordinator listen(JobState state, RefusalLog refusals, CoordinatorOptions options,
                                      SingleThreadIoEventLoop loop) {
        boolean success = false;
        try {
            Tls tls = options.tls() ? Tls.server() : null;
            ServerBootstrap bootstrap = new ServerBootstrap().group(loop)
                    .channel(NioServerSocketChannel.class)
                    .option(ChannelOption.SO_BACKLOG, 1024)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
                    .childOption(ChannelOption.RECVBUF_ALLOCATOR,
                            new FixedRecvByteBufAllocator(Identity.MAX_BEFORE_PROOF))
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            prepare(channel.pipeline(), state, tls, options);
                        }
                    });
            if (!options.address().isLoopbackAddress()) {
                KeepAlive.of(options).options().forEach((option, value) ->
                        bootstrap.childOption((ChannelOption<Object>) option, value));
            }
            InetSocketAddress address = new InetSocketAddress(options.address(), options.port());
            ChannelFuture bound = bootstrap.bind(address);
            if (!bound.awaitUninterruptibly().isSuccess()) {
                throw new BootstrapException("cannot listen on " + address + ": " + bound.cause(), bound.cause());
            }
            success = true;
            return new Coordinator(loop, bound.channel(), state, refusals, tls != null, options.goesOn());
        } finally {
            if (!success) {
                EventLoops.stop(loop);
            }
        }
    }

    /** Adds the handlers of a new connection. */
    static void prepare(ChannelPipeline pipeline, JobState state, Tls tls, CoordinatorOptions options) {
        if (tls != null) {
            pipeline.addLast(CoordinatorHandshake.RAW_LIMIT,
                    new CoordinatorHandshake.ByteLimit(CoordinatorHandshake.MAX_RAW_BEFORE_PROOF));
            tls.addTo(pipeline);
        }
        pipeline.addLast(CoordinatorHandshake.LIMIT, new CoordinatorHandshake.ByteLimit(Identity.MAX_BEFORE_PROOF));
        pipeline.addLast(CoordinatorHandshake.FRAMES, MessageDecoder.frames(Identity.MAX_BEFORE_PROOF));
        pipeline.addLast(new CoordinatorHandshake(state, JobSecret.randomBytes(Identity.NONCE_BYTES),
                Tls.bindingOf(tls), options));
    }

    /** TCP port it listens on. */
    public int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    /**
     * Address for connections from a host that reaches this one as {@code host}; {@code name} is its owner, for
     * messages.
     */
    public MeetingPoint at(String host, String name) {
        return new MeetingPoint(host, port(), tls, name);
    }

    /**
     * Ends the job unless it has failed before; returns the first failure. Waits up to two seconds for the coordinator
     * above, if there is one. On the coordinator's thread it does not wait.
     */
    public Abort abort(Abort cause) {
        if (loop.inEventLoop()) {
            state.report(cause);
            return Objects.requireNonNullElse(aborted(), cause);
        }
        if (loop.isShuttingDown()) {
            return Objects.requireNonNullElse(aborted(), cause);
        }
        loop.execute(() -> state.report(cause));
        state.aborts().await(WAIT_MS);
        if (aborted() == null) {
            loop.execute(() -> state.settle(cause)); // no answer from above: this one counts
            state.aborts().await(WAIT_MS);
        }
        if (aborted() == null) {
            throw new BootstrapException("the coordinator did not take an abort within " + 2 * WAIT_MS + " ms: "
                    + cause.line());
        }
        return aborted();
    }

    /**
     * A JVM is lost: ends the job as {@link #abort}, or tells all others where the job goes on ({@code pgas.lost=event}), which
     * it does not wait for.
     */
    public void lost(Abort cause) {
        if (!goesOn) {
            abort(cause);
        } else if (!loop.isShuttingDown()) {
            loop.execute(() -> state.report(cause));
        }
    }

    /** The failure that ended the job, or null. */
    public Abort aborted() {
        return state.aborts().first();
    }

    /** Connections refused so far. */
    public long refusals() {
        return refusals.total();
    }

    /** Leaves the coordinator above, closes all connections. Waits at most two seconds. */
    @Override
    public void close() {
        if (uplink != null && !loop.isShuttingDown()) {
            loop.execute(uplink::leave);
            above.closeFuture().awaitUninterruptibly(LEAVE_MS); // the one above closes: nothing is lost on the way
        }
        EventLoops.stop(loop);
        loop.terminationFuture().awaitUninterruptibly(LEAVE_MS);
    }
}
