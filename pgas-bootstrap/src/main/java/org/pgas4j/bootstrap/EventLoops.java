package org.pgas4j.bootstrap;

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

    /**
     * Silences SLF4J's warning about a missing logger. To be called before anything of Netty's: Netty, and Chronicle
     * after it, log by SLF4J. A program that binds SLF4J to a logger gets their messages; others do not use it.
     */
    static void silenceMissingLogger() {
        System.getProperties().putIfAbsent("slf4j.internal.verbosity", "ERROR");
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
