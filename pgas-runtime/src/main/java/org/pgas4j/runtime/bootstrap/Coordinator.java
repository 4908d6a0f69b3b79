package org.pgas4j.runtime.bootstrap;

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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.pgas4j.BootstrapException;

/**
 * Where the JVMs of a job meet: it listens on the loopback interface, lets in who proves the job's secret, forwards
 * exchanges and calls and spreads the first failure. One thread of its own; methods may be called from any thread.
 */
public final class Coordinator implements AutoCloseable {

    /** Learns what happens to the job; on the coordinator's thread, must not block. */
    public interface Listener {

        /** A JVM has proved the secret. */
        void joined(int process);

        /** A JVM said goodbye. */
        void left(int process);

        /** A JVM's connection has ended, with or without goodbye. */
        void disconnected(int process);

        /** A JVM of the job sent what no JVM of the job would. */
        void broken(int process, String why);

        /** The first failure. */
        void aborted(Abort cause);
    }

    /** Time a connection has to prove the secret. */
    static final long HANDSHAKE_MS = 5_000;

    private static final long WAIT_MS = 2_000;

    private final SingleThreadIoEventLoop loop;
    private final Channel server;
    private final JobState state;
    private final RefusalLog refusals;

    private Coordinator(SingleThreadIoEventLoop loop, Channel server, JobState state, RefusalLog refusals) {
        this.loop = loop;
        this.server = server;
        this.state = state;
        this.refusals = refusals;
    }

    /**
     * Listens on an ephemeral port of the loopback interface.
     *
     * @param log       takes one line for each refused connection, at most 20 a second
     * @param timeoutMs deadline of one wait in the job: who gives its ranks more time gives connections more to prove
     *                  themselves
     * @throws BootstrapException if no port can be had
     */
    public static Coordinator start(JobSecret secret, String job, ProcessLayout layout, Listener listener,
                                    Consumer<String> log, long timeoutMs) {
        return start(secret, job, layout, listener, log, Identity.thisBuild(), Math.max(HANDSHAKE_MS, timeoutMs / 6));
    }

    static Coordinator start(JobSecret secret, String job, ProcessLayout layout, Listener listener,
                             Consumer<String> log, long build, long handshakeMs) {
        RefusalLog refusals = new RefusalLog(log);
        JobState state = new JobState(secret, job, layout, build, listener, refusals);
        SingleThreadIoEventLoop loop = EventLoops.single("pgas-coordinator");
        boolean success = false;
        try {
            ChannelFuture bound = new ServerBootstrap().group(loop)
                    .channel(NioServerSocketChannel.class)
                    .option(ChannelOption.SO_BACKLOG, 1024)
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
                    .childOption(ChannelOption.RECVBUF_ALLOCATOR,
                            new FixedRecvByteBufAllocator(Identity.MAX_BEFORE_PROOF))
                    .childHandler(new ChannelInitializer<SocketChannel>() {
                        @Override
                        protected void initChannel(SocketChannel channel) {
                            prepare(channel.pipeline(), state, handshakeMs);
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            if (!bound.awaitUninterruptibly(WAIT_MS) || !bound.isSuccess()) {
                throw new BootstrapException("cannot listen on " + InetAddress.getLoopbackAddress() + ": "
                        + bound.cause(), bound.cause());
            }
            success = true;
            return new Coordinator(loop, bound.channel(), state, refusals);
        } finally {
            if (!success) {
                EventLoops.stop(loop);
            }
        }
    }

    /** A new connection's handlers. */
    static void prepare(ChannelPipeline pipeline, JobState state, long handshakeMs) {
        pipeline.addLast(CoordinatorHandshake.LIMIT, new CoordinatorHandshake.ByteLimit());
        pipeline.addLast(CoordinatorHandshake.FRAMES, MessageDecoder.frames(Identity.MAX_BEFORE_PROOF));
        pipeline.addLast(new CoordinatorHandshake(state, JobSecret.randomBytes(Identity.NONCE_BYTES), handshakeMs));
    }

    /** Port on the loopback interface. */
    public int port() {
        return ((InetSocketAddress) server.localAddress()).getPort();
    }

    /** Ends the job unless it has failed before; returns the first failure. */
    public Abort abort(Abort cause) {
        try {
            return loop.submit(() -> state.abort(cause)).get(WAIT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return cause;
        } catch (ExecutionException | TimeoutException e) {
            throw new BootstrapException("the coordinator did not take an abort within " + WAIT_MS + " ms: "
                    + cause.line(), e);
        }
    }

    /** The failure that ended the job, or null. */
    public Abort aborted() {
        return state.aborted();
    }

    /** Connections refused so far. */
    public long refusals() {
        return refusals.total();
    }

    /** Closes all connections. Waits at most a second. */
    @Override
    public void close() {
        EventLoops.stop(loop);
        loop.terminationFuture().awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
}
