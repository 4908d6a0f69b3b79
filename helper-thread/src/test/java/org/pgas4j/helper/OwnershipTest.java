package org.pgas4j.helper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OwnershipTest {

    private final Ownership ownership = new Ownership();
    private int count;

    @Test
    void shouldHaveOneOwnerUntilItIsReleased() {
        assertTrue(ownership.isFree());
        for (int owner : new int[] {Ownership.RANK, Ownership.HELPER}) {
            assertTrue(ownership.tryTake(owner));
            assertFalse(ownership.isFree());
            assertFalse(ownership.tryTake(Ownership.RANK));
            assertFalse(ownership.tryTake(Ownership.HELPER));
            ownership.release();
            assertTrue(ownership.isFree());
        }
    }

    @Test
    void shouldShowTheNextOwnerAllThatTheLastOneDid() throws InterruptedException {
        int rounds = 20_000;
        Thread helper = Thread.ofPlatform().start(() -> add(Ownership.HELPER, rounds));
        add(Ownership.RANK, rounds);
        helper.join();
        assertEquals(2 * rounds, count);
    }

    private void add(int owner, int rounds) {
        for (int i = 0; i < rounds; i++) {
            while (!ownership.tryTake(owner)) {
                Thread.onSpinWait();
            }
            count++;
            ownership.release();
        }
    }

    @Test
    void shouldKeepTheWishOfTheRankApartFromTheOwner() {
        assertFalse(ownership.isWanted());
        assertTrue(ownership.tryTake(Ownership.HELPER));
        ownership.wanted(true);
        assertTrue(ownership.isWanted());
        ownership.release();
        assertTrue(ownership.isWanted());
        ownership.wanted(false);
        assertFalse(ownership.isWanted());
    }
}
