package org.pgas4j.space.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DataRaceException;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;

@Timeout(10)
class RaceLogTest {

    private static final int RANKS = 4;

    private static Races.Use use(int target, long from, long bytes) {
        return new Races.Use(MemoryKind.DEVICE, 1L << 62, 256, 512, target, from, bytes, true, true,
                "put at Größe.java:3");
    }

    private static void callAll(Races races) {
        races.arrives(0, new Races.Meeting(-1, 0, 4, 9));
        races.leaves(1, new Races.Meeting(1L << 40, 2, 2, 1L << 50));
        races.notifies(2, 3, 255, true);
        races.notifiesLater(3, 0, 0, false);
        races.takes(0, 17, true);
        races.takesUnseen(1);
        races.notifiesUnseen(2);
        races.views(3, -1);
        races.uses(2, use(1, 1L << 33, 8));
        races.ended(5);
        races.gives(1, 1L << 41, 3, 1L << 35);
        races.joins(3, 1L << 41, 2, 64);
    }

    /** Records each call with its arguments. */
    private static Races recorder(List<String> calls) {
        return (Races) Proxy.newProxyInstance(RaceLogTest.class.getClassLoader(), new Class<?>[] {Races.class},
                (_, method, arguments) -> {
                    calls.add(method.getName() + Arrays.toString(arguments));
                    return null;
                });
    }

    @Test
    void shouldReplayWhatItRecorded() {
        List<String> expected = new ArrayList<>();
        callAll(recorder(expected));
        RaceLog log = new RaceLog();
        callAll(log);
        assertEquals(Races.class.getDeclaredMethods().length, expected.size());

        List<String> replayed = new ArrayList<>();
        assertNull(RaceLog.replay(log.take(), RANKS, recorder(replayed)));

        assertEquals(expected, replayed);
        assertEquals(0, log.size());
    }

    @Test
    void shouldReturnTheFirstRaceAndReplayTheRest() {
        List<String> calls = new ArrayList<>();
        DataRaceException first = new DataRaceException("first");
        List<DataRaceException> failures = new ArrayList<>(List.of(first, new DataRaceException("second")));
        RaceLog log = new RaceLog();
        log.uses(0, use(1, 0, 8));
        log.uses(1, use(1, 0, 8));
        log.ended(5);

        DataRaceException found = RaceLog.replay(log.take(), RANKS, (Races) Proxy.newProxyInstance(
                RaceLogTest.class.getClassLoader(), new Class<?>[] {Races.class}, (_, method, arguments) -> {
                    calls.add(method.getName());
                    if (method.getName().equals("uses")) {
                        throw failures.removeFirst();
                    }
                    return null;
                }));

        assertSame(first, found);
        assertEquals(List.of("uses", "uses", "ended"), calls);
    }

    @Test
    void shouldRefuseALogThatIsCut() {
        RaceLog log = new RaceLog();
        callAll(log);
        byte[] bytes = log.take();
        int whole = 0;
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            try {
                RaceLog.replay(cut, RANKS, recorder(new ArrayList<>()));
                whole++;
            } catch (PgasException e) {
                assertTrue(e.getMessage().startsWith("log of uses of " + length + " bytes is malformed"),
                        e.getMessage());
            }
        }
        assertEquals(Races.class.getDeclaredMethods().length, whole, "cuts between two entries");
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        List<byte[]> bad = new ArrayList<>();
        RaceLog log = new RaceLog();
        log.takesUnseen(RANKS);
        bad.add(log.take());
        log.takesUnseen(-1);
        bad.add(log.take());
        log.notifies(0, RANKS, 0, false);
        bad.add(log.take());
        log.uses(0, use(1, -1, 8));
        bad.add(log.take());
        log.uses(0, use(1, 0, 0));
        bad.add(log.take());
        log.uses(0, use(1, Long.MAX_VALUE, 1));
        bad.add(log.take());
        bad.add(new byte[] {99, 0, 0, 0, 0});
        for (byte[] bytes : bad) {
            assertThrows(PgasException.class, () -> RaceLog.replay(bytes, RANKS, recorder(new ArrayList<>())));
        }
    }
}
