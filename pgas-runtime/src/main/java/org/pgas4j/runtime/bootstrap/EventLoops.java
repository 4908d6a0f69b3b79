package org.pgas4j.runtime.bootstrap;

import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One daemon thread that serves connections. Not a Netty group of one: the end of a group is announced by a global
 * thread that is no daemon and keeps the JVM for another second.
 */
final class EventLoops {

    private EventLoops() {
    }

    static SingleThreadIoEventLoop single(String name) {
        return new SingleThreadIoEventLoop(null, new ThreadPerTaskExecutor(new DefaultThreadFactory(name, true)),
                NioIoHandler.newFactory());
    }

    /** Closes its connections and ends it; does not wait. */
    static void stop(SingleThreadIoEventLoop loop) {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
