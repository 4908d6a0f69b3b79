package org.pgas4j.space.message;

import java.util.function.Supplier;
import org.pgas4j.fastpath.protocol.IdleStrategy;
import org.pgas4j.space.sync.Waiter;

/**
 * How a port waits: it looks around by itself, so not by way of the waiter. What else there is to look after is left.
 *
 * @param services looks after that; must not wait
 */
record QuietPause(Waiter waiter, Runnable services) implements IdleStrategy {

    @Override
    public void begin() {
        waiter.begin();
    }

    @Override
    public void pause(Supplier<String> why) {
        services.run();
        waiter.pauseQuietly(why);
    }
}
