package org.pgas4j.space.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.fastpath.conduit.Endpoint;

@Timeout(10)
class HeldPutsTest {

    /** Puts that an endpoint was given, of which those with these tickets are complete. */
    private final List<MemorySegment> given = new ArrayList<>();
    private final Set<Long> complete = new HashSet<>();
    private boolean broken;

    private final Endpoint endpoint = (Endpoint) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Endpoint.class},
            (_, method, args) -> switch (method.getName()) {
                case "startPut" -> {
                    if (broken) {
                        throw new IllegalStateException("broken");
                    }
                    given.add((MemorySegment) args[1]);
                    yield (long) given.size();
                }
                case "isComplete" -> complete.contains((long) args[0]);
                default -> throw new UnsupportedOperationException(method.toString());
            });

    @Test
    void shouldKeepACopyUntilItIsSent() {
        HeldPuts held = new HeldPuts(100);
        byte[] source = {1, 2, 3, 4};

        assertTrue(held.put(endpoint, 8, MemorySegment.ofArray(source), 1, 3));
        source[1] = 9;
        held.collect();

        assertEquals(3, held.bytes());
        assertEquals(2, given.getFirst().get(ValueLayout.JAVA_BYTE, 0), "the copy is of the time of the put");
        complete.add(1L);
        held.collect();
        assertEquals(0, held.bytes());
        assertFalse(given.getFirst().scope().isAlive());
    }

    @Test
    void shouldHoldNoMoreThanItsBound() {
        HeldPuts held = new HeldPuts(100);
        MemorySegment source = MemorySegment.ofArray(new byte[60]);

        assertTrue(held.put(endpoint, 0, source, 0, 60));
        assertFalse(held.put(endpoint, 0, source, 0, 60), "there is no room");
        assertTrue(held.put(endpoint, 0, source, 0, 40));
        complete.add(1L);
        assertTrue(held.put(endpoint, 0, source, 0, 60), "the first is sent");
        assertEquals(100, held.bytes());
        assertEquals(3, given.size());
    }

    @Test
    void shouldHoldNothingOfAPutThatCannotStart() {
        HeldPuts held = new HeldPuts(100);
        broken = true;

        assertThrows(IllegalStateException.class, () -> held.put(endpoint, 0, MemorySegment.ofArray(new byte[60]), 0, 60));

        assertEquals(0, held.bytes());
    }
}
