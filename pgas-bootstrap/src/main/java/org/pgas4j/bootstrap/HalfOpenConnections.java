package org.pgas4j.bootstrap;

import io.netty.channel.ChannelHandlerContext;
import java.util.LinkedHashSet;
import java.util.Set;

/** Connections of a coordinator that have not proved the secret yet, in a limited number. Event loop only. */
final class HalfOpenConnections {

    static final int MAX = 64;

    private final Set<ChannelHandlerContext> silent = new LinkedHashSet<>();
    private final Set<ChannelHandlerContext> greeted = new LinkedHashSet<>();

    /**
     * Adds a connection. If there are too many, returns the one to drop: the oldest without a hello, which no JVM of
     * the job is for long; without such, the oldest.
     */
    ChannelHandlerContext add(ChannelHandlerContext context) {
        ChannelHandlerContext oldest = silent.isEmpty() ? null : silent.iterator().next();
        silent.add(context);
        if (silent.size() + greeted.size() <= MAX) {
            return null;
        }
        return oldest != null ? oldest : greeted.iterator().next();
    }

    /** Its hello has come. */
    void greeted(ChannelHandlerContext context) {
        silent.remove(context);
        greeted.add(context);
    }

    void remove(ChannelHandlerContext context) {
        silent.remove(context);
        greeted.remove(context);
    }
}
