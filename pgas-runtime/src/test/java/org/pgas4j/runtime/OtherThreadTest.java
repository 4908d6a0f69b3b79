package org.pgas4j.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.Backend;
import org.pgas4j.Buffer;
import org.pgas4j.Completion;
import org.pgas4j.ElementType;
import org.pgas4j.Layout;
import org.pgas4j.Notifications;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.SharedBytes;
import org.pgas4j.SharedDoubles;
import org.pgas4j.SharedFloats;
import org.pgas4j.SharedInts;
import org.pgas4j.SharedLongs;
import org.pgas4j.SharedPointer;
import org.pgas4j.Stream;
import org.pgas4j.Window;

/** A rank is one thread: the program's others are refused, by name, and change nothing. */
@Timeout(value = 100, unit = TimeUnit.SECONDS)
class OtherThreadTest {

    private static PgasConfig config() {
        return new PgasConfig().ranks(1).device(Backend.HOST).hostHeap(1 << 20).deviceHeap(1 << 20);
    }

    private static void refused(String what, Runnable action) throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        Thread other = Thread.ofPlatform().name("another").unstarted(() -> {
            try {
                action.run();
            } catch (Throwable e) { // looked at below
                thrown[0] = e;
            }
        });
        other.start();
        other.join();

        assertInstanceOf(IllegalStateException.class, thrown[0], what);
        String message = thrown[0].getMessage();
        assertTrue(message.contains("rank 0") && message.contains("rank-0") && message.contains("another"),
                what + ": " + message);
    }

    @Test
    void shouldRefuseElementsOfArrays() {
        Pgas.run(config(), rank -> {
            SharedLongs longs = rank.allAllocLongs(Layout.even(), 4);
            SharedInts ints = rank.allAllocInts(Layout.even(), 4);
            SharedDoubles doubles = rank.allAllocDoubles(Layout.even(), 4);
            SharedFloats floats = rank.allAllocFloats(Layout.even(), 4);
            SharedBytes bytes = rank.allAllocBytes(Layout.even(), 4);
            longs.put(1, 7);
            Map<String, Runnable> uses = Map.of("get long", () -> longs.get(1), "put long", () -> longs.put(1, 8),
                    "get int", () -> ints.get(1), "put int", () -> ints.put(1, 8),
                    "get double", () -> doubles.get(1), "put double", () -> doubles.put(1, 8),
                    "get float", () -> floats.get(1), "put float", () -> floats.put(1, 8),
                    "get byte", () -> bytes.get(1), "put byte", () -> bytes.put(1, (byte) 8));
            for (Map.Entry<String, Runnable> use : uses.entrySet()) {
                refused(use.getKey(), use.getValue());
            }
            assertEquals(7, longs.get(1));
        });
    }

    @Test
    void shouldRefuseTransfersAndStreams() {
        Pgas.run(config(), rank -> {
            SharedPointer shared = rank.alloc(64);
            Stream stream = rank.stream();
            Buffer device = rank.device().alloc(ElementType.LONG, 8);
            Buffer host = Buffer.ofHost(Arena.global().allocate(64, 8), ElementType.LONG);
            Map<String, Runnable> uses = Map.of("memput", () -> rank.memput(shared, host.segment(), 8),
                    "memget", () -> rank.memget(host.segment(), shared, 8), "memset", () -> rank.memset(shared, 0, 8),
                    "memputNbi", () -> rank.rma().put(shared, host, Completion.IMPLICIT), "syncAll", rank.rma()::syncAll,
                    "copy", () -> stream.copy(device, host), "fill", () -> stream.fill(device, 1), "isIdle", stream::isIdle,
                    "sync", stream::sync, "close", stream::close);
            for (Map.Entry<String, Runnable> use : uses.entrySet()) {
                refused(use.getKey(), use.getValue());
            }
        });
    }

    @Test
    void shouldRefuseWindowsNotificationsAndProgress() {
        Pgas.run(config(), rank -> {
            Buffer host = Buffer.ofHost(Arena.global().allocate(64, 8), ElementType.LONG);
            Window window = rank.createWindow(rank.world(), rank.allAlloc(1, 64), 64);
            Notifications notifications = rank.notifications();
            Map<String, Runnable> uses = Map.ofEntries(Map.entry("put", () -> window.put(0, 0, host)),
                    Map.entry("put of a segment", () -> window.put(0, 0, host.segment(), 8)),
                    Map.entry("put with a notification", () -> window.putNotify(0, 0, host, 1)),
                    Map.entry("get", () -> window.get(host, 0, 0)), Map.entry("flush of all", window::flush),
                    Map.entry("flush", () -> window.flush(0)), Map.entry("close", window::close),
                    Map.entry("signal", () -> notifications.signal(0, 1)), Map.entry("test", () -> notifications.test(1, 1)),
                    Map.entry("await", () -> notifications.await(1, 1)), Map.entry("reset", () -> notifications.reset(1)),
                    Map.entry("fence", rank::fence), Map.entry("progress", rank::progress));
            for (Map.Entry<String, Runnable> use : uses.entrySet()) {
                refused(use.getKey(), use.getValue());
            }
            assertEquals(0, notifications.available(1), "nothing was counted");
            window.close();
        });
    }
}
