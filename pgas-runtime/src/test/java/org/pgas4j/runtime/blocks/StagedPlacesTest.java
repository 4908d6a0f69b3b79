package org.pgas4j.runtime.blocks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgas4j.device.StreamEvent;

class StagedPlacesTest {

    @Test
    void shouldShowPlacesAsFreeInTheirOrder() {
        try (Arena arena = Arena.ofConfined()) {
            HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
            StagedPlaces places = new StagedPlaces(page);

            places.free(1);
            places.free(3);
            assertEquals(0, page.get(HostPage.STAGED_FREED), "the first is in use");
            places.free(0);
            assertEquals(2, page.get(HostPage.STAGED_FREED));
            places.free(2);
            assertEquals(4, page.get(HostPage.STAGED_FREED));

            for (long place = 4; place < 3L * HostPage.STAGED_PLACES; place++) {
                places.free(place);
                assertEquals(place + 1, page.get(HostPage.STAGED_FREED));
            }
        }
    }

    @Test
    void shouldFreePlacesThatStreamsHaveCopiedFrom() {
        try (Arena arena = Arena.ofConfined()) {
            HostPage page = HostPage.of(arena.allocate(HostPage.BYTES, 64));
            StagedPlaces places = new StagedPlaces(page);
            FakeDevice busy = new FakeDevice();
            FakeDevice done = new FakeDevice();
            busy.idle = false;

            places.freeAfter(0, busy.as(StreamEvent.class, "busy"));
            places.freeAfter(1, done.as(StreamEvent.class, "done"));
            places.freeAfter(2, null); // of closed blocks
            places.freeAfter(3, done.as(StreamEvent.class, "done"));
            assertTrue(places.freeCopied());
            assertEquals(0, page.get(HostPage.STAGED_FREED), "the first is copied from");
            assertFalse(places.freeCopied());
            assertTrue(places.areCopied());

            busy.idle = true;
            assertTrue(places.freeCopied());
            assertEquals(4, page.get(HostPage.STAGED_FREED));
            assertFalse(places.areCopied());
            assertEquals(List.of("busy.close"), busy.calls);
            assertEquals(List.of("done.close", "done.close"), done.calls);
        }
    }

    /** Bytes lie as far behind a multiple of 16 as where they go to, and places do not overlap. */
    @Test
    void shouldHaveRoomForTheLongestPutAtAnyAlignment() {
        for (long place = 0; place <= HostPage.STAGED_PLACES; place++) {
            for (long offset : new long[] {0, 1, 15, 16, 12345}) {
                long at = HostPage.staged(place, offset);
                assertEquals(offset % HostPage.STAGED_ALIGNMENT, at % HostPage.STAGED_ALIGNMENT);
                assertTrue(at + HostPage.MAX_STAGED <= HostPage.staged((place + 1) % HostPage.STAGED_PLACES, 0)
                        || (place + 1) % HostPage.STAGED_PLACES == 0);
                assertTrue(at >= HostPage.MAILBOX + HostPage.MAILBOX_ENTRIES * HostPage.COMMAND_BYTES);
                assertTrue(at + HostPage.MAX_STAGED <= HostPage.MAILBOX_STAGED);
                assertTrue(HostPage.stagedForMailbox(place, offset) >= HostPage.MAILBOX_STAGED);
                assertTrue(HostPage.stagedForMailbox(place, offset) + HostPage.MAX_STAGED <= HostPage.BYTES);
            }
        }
    }
}
