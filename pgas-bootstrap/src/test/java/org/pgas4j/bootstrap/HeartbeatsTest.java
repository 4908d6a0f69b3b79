package org.pgas4j.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Heartbeats on a clock that the test moves. */
class HeartbeatsTest {

    private static final long EVERY_MS = 200;
    private static final long TIMEOUT_MS = 1_500;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private Throwable caught;

    @BeforeEach
    void add() {
        channel.freezeTime();
        channel.pipeline().addLast("last", new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                caught = cause;
            }
        });
        Heartbeats.addTo(channel.pipeline(), "last", CoordinatorOptions.loopback()
                .withHeartbeat(Duration.ofMillis(EVERY_MS), Duration.ofMillis(TIMEOUT_MS)));
    }

    private void advance(long ms) {
        channel.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private int sent() {
        int sent = 0;
        for (ByteBuf message = channel.readOutbound(); message != null; message = channel.readOutbound()) {
            message.release();
            sent++;
        }
        return sent;
    }

    @Test
    void shouldSendOneWhenNothingElseWasSent() {
        advance(EVERY_MS - 1);
        assertEquals(0, sent());
        advance(1);
        assertEquals(1, sent());

        advance(EVERY_MS - 1);
        channel.writeOutbound(Unpooled.buffer().writeByte(1));
        assertEquals(1, sent());
        advance(EVERY_MS - 1);
        assertEquals(0, sent());
    }

    @Test
    void shouldKeepAConnectionOnWhichSomethingArrives() {
        for (int i = 0; i < 10; i++) {
            advance(TIMEOUT_MS - 1);
            channel.writeInbound(Unpooled.buffer().writeByte(1));
        }

        assertNull(caught);
    }

    @Test
    void shouldReportASilentConnection() {
        advance(TIMEOUT_MS - 1);
        assertNull(caught);

        advance(1);

        assertInstanceOf(Heartbeats.Lost.class, caught);
        assertEquals("no sign of life for 1500 ms (pgas.heartbeat.timeout)", caught.getMessage());
    }
}
