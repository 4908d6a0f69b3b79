package org.pgas4j.fastpath.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgas4j.PgasException;

class RequestsTest {

    private static final int SLOTS = 256;

    private final Requests requests = new Requests(4);

    @Test
    void shouldCompleteAGetWhenItsLastBytesArrive() {
        Request request = requests.begin(1, null, null, 0, 10);
        Operation operation = request.kept();
        long id = request.id();

        requests.arrived(request, id, 4);
        assertFalse(operation.isComplete());
        assertEquals("memget from rank 1, 6 bytes missing", operation.describe());
        requests.arrived(request, id, 6);
        assertTrue(operation.isComplete());
        assertEquals(0, requests.underWay());
    }

    @Test
    void shouldNumberEachGetAnewAndHoldNoMoreThanItsSlots() {
        Set<Long> numbers = new HashSet<>();
        for (int round = 0; round < 3; round++) {
            List<Request> all = new ArrayList<>();
            while (!requests.isFull()) {
                Request request = requests.begin(1, null, null, 0, 1);
                assertTrue(numbers.add(request.id()), "number " + request.id() + " twice");
                assertSame(request, requests.find(request.id()));
                all.add(request);
            }
            assertEquals(SLOTS, requests.underWay());
            for (Request request : all) {
                requests.arrived(request, request.id(), 1);
            }
        }
    }

    @Test
    void shouldKnowOnlyGetsInProgressByTheirNumber() {
        assertNull(requests.find(0));
        assertNull(requests.find(-1));
        Request request = requests.begin(1, null, null, 0, 1);
        Operation first = request.kept();
        long id = request.id();
        requests.arrived(request, id, 1);
        assertSame(request, requests.begin(2, null, null, 0, 8), "the slot is used again");

        assertTrue(first.isComplete());
        assertFalse(request.isComplete(), "the slot's is the second get");
        assertFalse(request.kept().isComplete());
        assertNull(requests.find(id));
        assertThrows(PgasException.class, () -> requests.arrived(request, id, 1));
    }

    @Test
    void shouldRefuseMoreBytesThanAreMissing() {
        Request request = requests.begin(1, null, null, 0, 8);
        requests.arrived(request, request.id(), 5);
        PgasException e = assertThrows(PgasException.class, () -> requests.arrived(request, request.id(), 4));
        assertEquals("rank 4 got 4 bytes for request " + request.id() + ", of which 3 are missing", e.getMessage());
        assertEquals(1, requests.underWay());
    }
}
