package org.pgas4j.space.check;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.DataRaceException;
import org.pgas4j.MemoryKind;
import org.pgas4j.PgasException;

/** Four ranks; the memory is an allocation of rank 3 where nothing else is said. */
@Timeout(10)
class RaceDetectorTest {

    private static final int RANKS = 4;
    private static final int OWNER = 3;
    private static final int TAG = 5;
    private static final long GENERATION = 7;
    private static final long FLAG = 512;

    private final RaceDetector races = new RaceDetector(RANKS);
    private long meetings;

    private static Races.Use use(int target, long from, long bytes, boolean write, boolean flag) {
        return new Races.Use(MemoryKind.HOST, GENERATION, 0, 1024, target, from, bytes, write, flag,
                (write ? "put" : "get") + " at line " + from);
    }

    private void writes(int rank) {
        races.uses(rank, use(OWNER, 0, 16, true, false));
    }

    private void reads(int rank) {
        races.uses(rank, use(OWNER, 0, 16, false, false));
    }

    private void writesFlag(int rank) {
        races.uses(rank, use(OWNER, FLAG, 8, true, true));
    }

    private void readsFlag(int rank) {
        races.uses(rank, use(OWNER, FLAG, 8, false, false));
    }

    private void assertRace(Runnable use) {
        assertThrows(DataRaceException.class, use::run);
    }

    private void meet(int... members) {
        Races.Meeting meeting = new Races.Meeting(64, members[0], members.length, ++meetings);
        for (int rank : members) {
            races.arrives(rank, meeting);
        }
        for (int rank : members) {
            races.leaves(rank, meeting);
        }
    }

    // ---- nothing orders

    @Test
    void shouldFindTwoWrites() {
        writes(0);

        String why = assertThrows(DataRaceException.class, () -> writes(1)).getMessage();

        assertTrue(why.startsWith(
                "data race: rank 1 writes bytes 0..15 of rank 3's HOST segment by put at line 0 (allocation of 1024"
                + " bytes at 0); rank 0 used bytes 0..15 by put at line 0"), why);
    }

    @Test
    void shouldFindAReadOfWhatIsWritten() {
        writes(0);

        assertRace(() -> reads(1));
    }

    @Test
    void shouldFindAWriteOfWhatIsRead() {
        reads(0);

        assertRace(() -> writes(1));
    }

    @Test
    void shouldFindASharedByte() {
        races.uses(0, use(OWNER, 100, 10, true, false));
        races.uses(1, use(OWNER, 90, 10, true, false));
        races.uses(2, use(OWNER, 110, 10, true, false));

        assertRace(() -> races.uses(1, use(OWNER, 99, 2, false, false)));
        assertRace(() -> races.uses(2, use(OWNER, 109, 1, false, false)));
        assertRace(() -> races.uses(3, use(OWNER, 0, 1024, false, false)));
    }

    @Test
    void shouldAllowReadsAndTheSameRank() {
        reads(0);
        reads(1);
        reads(2);
        races.uses(0, use(OWNER, 32, 16, true, false));
        races.uses(0, use(OWNER, 32, 16, false, false));
        races.uses(0, use(OWNER, 32, 16, true, false));
    }

    @Test
    void shouldKeepPartsAndAllocationsApart() {
        writes(0);
        races.uses(1, use(2, 0, 16, true, false));
        races.uses(1, new Races.Use(MemoryKind.HOST, GENERATION + 1, 0, 1024, OWNER, 0, 16, true, false, "put"));
    }

    @Test
    void shouldForgetWhatIsFreed() {
        writes(0);
        races.ended(GENERATION + 1);
        assertRace(() -> reads(1));

        races.ended(GENERATION);

        reads(1);
    }

    // ---- meetings

    @Test
    void shouldOrderByAMeetingOfAll() {
        writes(0);
        meet(0, 1, 2, 3);
        reads(1);
        reads(2);

        assertRace(() -> writes(0));
        meet(0, 1, 2, 3);
        writes(0);
    }

    @Test
    void shouldNotOrderBeforeARankLeaves() {
        Races.Meeting meeting = new Races.Meeting(-1, 0, 2, 1);
        writes(0);
        races.arrives(0, meeting);
        races.arrives(1, meeting);

        assertRace(() -> reads(1));
        races.leaves(1, meeting);
        reads(1);
    }

    /** A barrier of two halves: what comes between them is ordered by the next one. */
    @Test
    void shouldNotOrderWhatARankDoesAfterItArrived() {
        Races.Meeting meeting = new Races.Meeting(-1, 0, 2, 1);
        races.arrives(0, meeting);
        writes(0);
        races.arrives(1, meeting);
        races.leaves(1, meeting);

        assertRace(() -> reads(1));
    }

    @Test
    void shouldOrderTheMembersOfATeamOnly() {
        writes(0);
        meet(0, 1);
        reads(1);

        assertRace(() -> reads(2));
    }

    @Test
    void shouldTellMeetingsAtOnceFromEachOther() {
        Races.Meeting one = new Races.Meeting(64, 0, 2, 1);
        Races.Meeting other = new Races.Meeting(64, 2, 2, 1);
        writes(0);
        races.arrives(0, one);
        races.arrives(1, one);
        races.arrives(2, other);
        races.arrives(3, other);
        races.leaves(2, other);

        assertRace(() -> reads(2));
    }

    @Test
    void shouldForgetAMeetingThatAllHaveLeft() {
        meet(0, 1);

        assertThrows(PgasException.class, () -> races.leaves(0, new Races.Meeting(64, 0, 2, meetings)));
    }

    // ---- notifications

    @Test
    void shouldOrderByANotification() {
        writes(0);
        races.notifies(0, 1, TAG, false);
        races.takes(1, TAG, false);

        reads(1);
        writes(1);
    }

    @Test
    void shouldNotOrderByAnotherNotification() {
        writes(0);
        races.notifies(0, 1, TAG, false);
        races.takes(1, TAG + 1, false);
        races.takes(1, TAG, true);
        races.takes(2, TAG, false);

        assertRace(() -> reads(1));
        assertRace(() -> reads(2));
    }

    @Test
    void shouldNotOrderWhatFollowsANotification() {
        races.notifies(0, 1, TAG, true);
        writes(0);
        races.takes(1, TAG, true);

        assertRace(() -> reads(1));
    }

    @Test
    void shouldOrderByAChainOfRanks() {
        writes(0);
        races.notifies(0, 1, TAG, false);
        races.takes(1, TAG, false);
        races.notifies(1, 2, TAG, false);
        races.takes(2, TAG, false);

        writes(2);
    }

    /** The time at which a stream notifies is unknown: everything done until it is taken counts as before. */
    @Test
    void shouldTakeANotificationOfAStreamForEverythingBefore() {
        races.notifiesLater(0, 1, TAG, false);
        writes(2);
        races.takes(1, TAG, false);

        reads(1);
        assertRace(() -> reads(0));
    }

    @Test
    void shouldTakeAnyNotificationForAKernels() {
        writes(2);
        races.takes(0, TAG, false);
        assertRace(() -> reads(0));

        races.notifiesUnseen(1);
        races.takes(0, TAG, false);

        reads(0);
    }

    @Test
    void shouldTakeEverythingForOrderedWhereStreamsWaitUnseen() {
        races.takesUnseen(1);
        writes(0);

        reads(1);
        assertRace(() -> reads(2));
    }

    // ---- flags

    @Test
    void shouldOrderByAFlagThatIsRead() {
        writes(0);
        writesFlag(0);
        readsFlag(1);

        reads(1);
        assertRace(() -> reads(2));
    }

    @Test
    void shouldNotOrderWhatFollowsAFlag() {
        writesFlag(0);
        writes(0);
        readsFlag(1);

        assertRace(() -> reads(1));
    }

    @Test
    void shouldFindAWordWithoutAFence() {
        races.uses(0, use(OWNER, FLAG, 8, true, false));

        assertRace(() -> readsFlag(1));
    }

    @Test
    void shouldFindAFlagThatIsNoWord() {
        races.uses(0, use(OWNER, FLAG, 16, true, true));

        assertRace(() -> races.uses(1, use(OWNER, FLAG, 16, false, false)));
    }

    /** The owner reads a flag in memory of its own, without a call. */
    @Test
    void shouldOrderTheOwnerOfAFlagThatItMayLookAt() {
        races.views(OWNER, GENERATION);
        writes(0);
        writesFlag(0);

        writes(OWNER);
    }

    @Test
    void shouldNotOrderTheOwnerOfAFlagThatItCannotSee() {
        writes(0);
        writesFlag(0);

        assertRace(() -> writes(OWNER));
        races.views(OWNER, GENERATION);
        writes(OWNER);
    }

    /** A word without a fence acknowledges what its rank has read, and nothing that it reads later. */
    @Test
    void shouldTakeAWordForAnAcknowledgementOfReads() {
        races.views(OWNER, GENERATION);
        reads(0);
        races.uses(0, use(OWNER, FLAG, 8, true, false));
        writes(OWNER);

        races.uses(0, use(OWNER, 64, 16, false, false));
        assertRace(() -> races.uses(OWNER, use(OWNER, 64, 16, true, false)));
    }

    @Test
    void shouldNotTakeAWordForAnAcknowledgementOfWrites() {
        races.views(OWNER, GENERATION);
        writes(0);
        races.uses(0, use(OWNER, FLAG, 8, true, false));

        assertRace(() -> reads(OWNER));
    }

    // ---- atomic operations and locks

    @Test
    void shouldOrderByTheSameWord() {
        writes(0);
        races.gives(0, GENERATION, OWNER, FLAG);
        races.joins(1, GENERATION, OWNER, FLAG);
        reads(1);

        writes(1); // nobody has joined after it
        races.joins(0, GENERATION, OWNER, FLAG);
        assertRace(() -> reads(0));
    }

    @Test
    void shouldNotOrderByAnotherWord() {
        writes(0);
        races.gives(0, GENERATION, OWNER, FLAG);
        races.joins(1, GENERATION, OWNER, FLAG + 8);

        assertRace(() -> reads(1));
    }

    @Test
    void shouldNotOrderWorkAfterAnAtomicOperation() {
        races.gives(0, GENERATION, OWNER, FLAG);
        writes(0);
        races.joins(1, GENERATION, OWNER, FLAG);

        assertRace(() -> reads(1));
    }
}
