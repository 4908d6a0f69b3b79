package org.pgas4j.bootstrap;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.pgas4j.BootstrapException;
import org.pgas4j.PgasException;

/** Connects to a coordinator and proves the secret. */
final class Connector {

    /** Longer than the retransmission of a packet or two, short enough to give up a host that is down. */
    private static final long CONNECT_MS = 5_000;

    /** Pause before the second attempt; twice that before the third, and so on. */
    private static final long PAUSE_MS = 10;
    private static final int ATTEMPTS = 7;

    private Connector() {
    }

    /**
     * Connects and proves the secret; {@code member} receives the messages. On failure nothing is left open. A
     * connection that was dropped before its handshake, as in a port scan, is tried a few times more.
     *
     * @throws org.pgas4j.RefusedException if one side refuses the other
     * @throws BootstrapException if there is no answer in time
     */
    static Channel connect(SingleThreadIoEventLoop loop, MeetingPoint at, JobSecret secret, Identity self, int version,
                           ChannelHandler member, Duration timeout, KeepAlive keepAlive) {
        long endNs = System.nanoTime() + timeout.toNanos();
        for (int attempt = 1;; attempt++) {
            CompletableFuture<Void> accepted = new CompletableFuture<>();
            JvmHandshake handshake = new JvmHandshake(at, secret, self, version, member, accepted);
            try {
                return attempt(loop, at, self, handshake, accepted, timeout, endNs, keepAlive);
            } catch (PgasException e) {
                long pauseMs = PAUSE_MS << attempt - 1;
                if (!handshake.isRetryable() || attempt == ATTEMPTS
                        || endNs - System.nanoTime() <= TimeUnit.MILLISECONDS.toNanos(pauseMs)) {
                    throw e;
                }
                pause(pauseMs, at);
            }
        }
    }

    private static void pause(long ms, MeetingPoint at) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BootstrapException("interrupted while connecting to " + at.name() + " at " + at, e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Channel attempt(SingleThreadIoEventLoop loop, MeetingPoint at, Identity self, JvmHandshake handshake,
                                   CompletableFuture<Void> accepted, Duration timeout, long endNs,
                                   KeepAlive keepAlive) {
        InetSocketAddress address = at.resolve();
        if (address.isUnresolved()) {
            throw new BootstrapException("the host of " + at.name() + " has no address: " + at.host()
                    + "; is the name right, and known here?");
        }
        Tls tls = at.tls() ? Tls.client() : null;
        int connectMs = (int) Math.min(CONNECT_MS, timeout.toMillis());
        var bootstrap = new io.netty.bootstrap.Bootstrap().group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectMs)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel socket) {
                        if (tls != null) {
                            tls.addTo(socket.pipeline());
                        }
                        socket.pipeline().addLast(JvmHandshake.FRAMES,
                                MessageDecoder.frames(Identity.MAX_BEFORE_PROOF));
                        socket.pipeline().addLast(handshake);
                    }
                });
        if (!address.getAddress().isLoopbackAddress()) {
            keepAlive.options().forEach((option, value) -> bootstrap.option((ChannelOption<Object>) option, value));
        }
        ChannelFuture connecting = bootstrap.connect(address);
        connecting.addListener(_ -> {
            if (!connecting.isSuccess()) {
                accepted.completeExceptionally(new BootstrapException("cannot reach " + at.name() + " at " + address
                        + ": " + connecting.cause().getMessage(), connecting.cause()));
            }
        });
        boolean success = false;
        try {
            accepted.get(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            keepAlive.limit(connecting.channel());
            success = true;
            return connecting.channel();
        } catch (TimeoutException e) {
            throw new BootstrapException(at.name() + " at " + address + " did not accept process " + self.process()
                    + " within " + timeout.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof PgasException failure) {
                throw failure;
            }
            throw new BootstrapException("cannot connect to " + at.name() + " at " + address, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BootstrapException("interrupted while connecting to " + at.name() + " at " + address, e);
        } finally {
            if (!success) {
                connecting.channel().close();
            }
        }
    }
}
