package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.Backend;
import org.pgas4j.Pgas;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasException;
import org.pgas4j.PgasKey;
import org.pgas4j.Rank;
import org.pgas4j.Window;
import org.pgas4j.testkit.Testkit;
import org.pgas4j.testkit.harness.ProcessHarness;

/** A notification is never seen before what it follows. */
@Timeout(value = 200, unit = TimeUnit.SECONDS)
@Tag("slow")
class NotificationOrderingTest {

    private static List<String> arguments(String pairs, String kind, boolean bidirectional) {
        List<String> arguments = new ArrayList<>(List.of("ordering", "--notifications", "--pairs", pairs, "--kind", kind));
        if (bidirectional) {
            arguments.add("--bidirectional");
        }
        return arguments;
    }

    @ParameterizedTest(name = "ranks {0}, conduit {1}, route {2}, helper {3}, kind {4}, bidirectional {5}, pairs {6}")
    @CsvSource({
        "2, shm,      auto,       auto, both,   true,  100000",
        "4, shm,      auto,       off,  both,   false, 20000",
        "2, loopback, auto,       on,   both,   true,  10000",
        "2, shm,      messages,   off,  host,   true,  20000",
        "2, shm,      fastpath,   on,   both,   false, 5000",
        "2, shm,      rendezvous, off,  both,   false, 2000",
        "2, shm,      rendezvous, on,   host,   true,  2000",
        "2, ucx:shm,  auto,       off,  host,   false, 5000",
        "2, ucx:tcp,  fastpath,   on,   both,   false, 1000",
    })
    void shouldSeeWhatIsNotifiedOf(int ranks, String conduit, String route, String helper, String kind,
                                   boolean bidirectional, String pairs) {
        List<String> words = arguments(pairs, kind, bidirectional);
        PgasConfig config = Testkit.config(words).ranks(ranks).device(Backend.HOST)
                .set(PgasKey.CONDUIT, conduit.split(":")[0]).set(PgasKey.ROUTE, route).set(PgasKey.HELPER, helper);
        if (conduit.startsWith("ucx:")) {
            Ucx.assume();
            config.set(PgasKey.UCX_TLS, conduit.split(":")[1]);
        }

        Pgas.run(config, words, Testkit::run);
    }

    @ParameterizedTest(name = "across JVMs: route {0}, helper {1}, kind {2}, pairs {3}")
    @CsvSource({
        "auto,       off, both, 20000",
        "messages,   on,  both, 1000",
    })
    @Tag("multiprocess")
    void shouldSeeWhatIsNotifiedOfAcrossJvms(String route, String helper, String kind, String pairs) throws Exception {
        List<String> command = new ArrayList<>(List.of("-n", "2", "--processes", "2", "--route",
                route, "--helper", helper, "--device", "host", Testkit.class.getName()));
        command.addAll(arguments(pairs, kind, true));

        // A thousand messages are over before the second compiler has paid.
        ProcessHarness.Result result = route.equals("messages") ? ProcessHarness.launchQuick(command, Duration.ofSeconds(180))
                : ProcessHarness.launch(command, Duration.ofSeconds(180));

        assertEquals(0, result.exitCode(), result::output);
        assertTrue(result.output().contains("pairs=" + pairs), result::output);
        assertTrue(result.output().contains("violations=0"), result::output);
    }

    @Test
    void shouldNoticeANotificationThatOvertakes() {
        List<String> words = arguments("20000", "host", false);
        PgasConfig config = Testkit.config(words).ranks(2).device(Backend.HOST);

        PgasException e = assertThrows(PgasException.class, () -> Pgas.run(config, words,
                rank -> Testkit.run(withLatePuts(rank))));

        assertTrue(e.getMessage().contains("were seen before what they follow"), e.getMessage());
    }

    /** The same rank; some puts of its windows take effect after the notification that follows. */
    private static Rank withLatePuts(Rank rank) {
        return proxy(Rank.class, rank, (method, result) -> method.equals("createWindow") ? late((Window) result) : result);
    }

    private static Window late(Window window) {
        Runnable[] held = new Runnable[1];
        int[] calls = new int[1];
        return (Window) Proxy.newProxyInstance(Window.class.getClassLoader(), new Class<?>[] {Window.class},
                (_, method, args) -> {
                    if (method.getName().equals("put") && args.length == 4 && ++calls[0] % 37 == 0 && held[0] == null) {
                        long bytes = (long) args[3];
                        MemorySegment copy = Arena.ofAuto().allocate(bytes, Long.BYTES)
                                .copyFrom(((MemorySegment) args[2]).asSlice(0, bytes));
                        held[0] = () -> window.put((int) args[0], (long) args[1], copy, bytes);
                        return null;
                    }
                    Object result = invoke(window, method, args);
                    if (held[0] != null && method.getName().equals("signal")) {
                        LockSupport.parkNanos(200_000);
                        held[0].run();
                        held[0] = null;
                    }
                    return result;
                });
    }

    @FunctionalInterface
    private interface Change {
        Object of(String method, Object result);
    }

    private static <T> T proxy(Class<T> type, T target, Change change) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (_, method, args) -> change.of(method.getName(), invoke(target, method, args))));
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
