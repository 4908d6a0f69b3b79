package org.pgas4j.bootstrap.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.RankCounters;
import org.pgas4j.bootstrap.Phase;

@Timeout(10)
class ActivityTest {

    private final Activity activity = Activity.unseen();

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldShowEachPhase(Phase phase) {
        activity.enter(phase);

        RankStatus status = activity.look();
        assertEquals(phase, status.phase());
        assertTrue(status.isInside());
        assertEquals(phase.isCollective() ? 1 : 0, status.sequence());
        assertEquals(phase, status.current());
        activity.leave();
        assertEquals(phase, activity.look().phase());
        assertFalse(activity.look().isInside());
    }

    @Test
    void shouldCountCollectiveOperationsOnly() {
        for (int i = 0; i < 3; i++) {
            activity.enter(Phase.TRANSFER);
            activity.leave();
            activity.enter(Phase.GATHER);
            activity.leave();
        }

        assertEquals(3, activity.look().sequence());
        assertEquals(3, activity.sequence());
        assertEquals(Phase.GATHER, activity.operation());
    }

    @Test
    void shouldShowTheOuterOperation() {
        activity.enter(Phase.COLLECTIVE_ALLOCATION);
        long outer = activity.look().word();
        activity.enter(Phase.BARRIER);
        assertEquals(outer, activity.look().word());
        activity.leave();
        assertEquals(outer, activity.look().word());
        activity.leave();

        assertFalse(activity.look().isInside());
        assertEquals(1, activity.sequence());
    }

    @Test
    void shouldTellWhetherAnOperationIsATransfer() {
        assertFalse(activity.isTransferring());
        activity.enter(Phase.BARRIER);
        assertFalse(activity.isTransferring());
        activity.enter(Phase.TRANSFER);
        activity.enter(Phase.LOCK);
        assertTrue(activity.isTransferring());
        activity.leave();
        activity.leave();
        assertFalse(activity.isTransferring());
        activity.enter(Phase.TRANSFER);
        activity.failed(new IllegalStateException());
        assertFalse(activity.isTransferring());
        activity.enter(Phase.TRANSFER);
        activity.leave();
        assertFalse(activity.isTransferring());
    }

    /** The count of operations has 14 bits, and the count of collective ones is next to it. */
    @Test
    void shouldKeepTheSequenceWhenTheCountOfOperationsWrapsAround() {
        for (int i = 0; i < 2; i++) {
            activity.enter(Phase.BARRIER);
            activity.leave();
        }
        long before = activity.look().word();
        for (int i = 0; i < 1 << 14; i++) {
            activity.enter(Phase.TRANSFER);
            assertNotEquals(before, activity.look().word());
            before = activity.look().word();
            activity.leave();
        }

        assertEquals(2, activity.look().sequence());
        assertEquals(Phase.TRANSFER, activity.look().phase());
    }

    @Test
    void shouldShowAFailureUntilTheNextOperation() {
        IllegalStateException failure = new IllegalStateException();
        activity.enter(Phase.REDUCE);
        activity.enter(Phase.BARRIER);

        assertSame(failure, activity.failed(failure));

        assertFalse(activity.look().isInside());
        assertEquals("failed in reduce (collective 1)", activity.look().text());
        activity.enter(Phase.BARRIER);
        assertEquals("in barrier (collective 2)", activity.look().text());
    }

    @Test
    void shouldShowALongWaitAsLongAsItsOperationLasts() {
        activity.enter(Phase.BARRIER);
        assertEquals(-1, activity.look().waitedNs());
        assertEquals(0, activity.look().deadlineNs());

        activity.waits(123, System.nanoTime());

        assertTrue(activity.look().waitedNs() >= 0);
        assertEquals(123, activity.look().deadlineNs());
        assertTrue(activity.look().text().matches("in barrier \\(collective 1\\) for \\d+\\.\\d s"),
                activity.look().text());
        activity.leave();
        assertEquals(-1, activity.look().waitedNs());
        activity.enter(Phase.BARRIER);
        assertEquals(-1, activity.look().waitedNs());
    }

    @Test
    void shouldBeginAnewForAnotherRun() {
        activity.enter(Phase.BARRIER);
        activity.set(Phase.CLOSED);

        assertEquals("closed", activity.look().text());
        assertEquals(0, activity.sequence());
        activity.enter(Phase.GATHER);
        activity.leave();
        assertFalse(activity.look().isInside());
    }

    @Test
    void shouldTellPhasesOfTheProgramFromOthers() {
        activity.set(Phase.PROGRAM);
        assertEquals("in the program", activity.look().text());
        activity.enter(Phase.TRANSFER);
        activity.leave();
        assertEquals("in the program after transfer", activity.look().text());
        assertEquals(Phase.PROGRAM, activity.look().current());
        activity.enter(Phase.BARRIER);
        activity.leave();
        assertEquals("in the program after barrier (collective 1)", activity.look().text());
        activity.set(Phase.CONNECTING);
        assertEquals("connecting", activity.look().text());
        assertTrue(Phase.BARRIER.isOfProgram());
        assertFalse(Phase.CONNECTING.isOfProgram());
    }

    @Test
    void shouldTravelAsBytes() {
        for (RankStatus status
                : new RankStatus[] {new RankStatus(-1, 7, Long.MIN_VALUE, true), new RankStatus(0, -1, 0, false)}) {
            ByteBuffer bytes = ByteBuffer.allocate(RankStatus.BYTES);
            status.encode(bytes);
            assertEquals(0, bytes.remaining());

            assertEquals(status, RankStatus.decode(bytes.flip()));
        }
    }

    @Test
    void shouldNotFailOfAPhaseOfALaterVersion() {
        assertEquals(Phase.STARTING, new RankStatus(0xff, -1, 0, false).phase());
    }

    private RankCounters.Waits counted(String operation) {
        return activity.counts().look().stream().filter(line -> line.operation().equals(operation)).findFirst().orElseThrow();
    }

    @Test
    void shouldCountTheOutermostOperations() {
        activity.enter(Phase.COLLECTIVE_ALLOCATION);
        activity.enter(Phase.BARRIER);
        activity.leave();
        activity.leave();
        activity.enter(Phase.BARRIER);
        activity.leave();

        assertEquals(new RankCounters.Waits("collective allocation", 1, 0, 0), counted("collective allocation"));
        assertEquals(new RankCounters.Waits("barrier", 1, 0, 0), counted("barrier"));
        assertEquals(2, activity.counts().look().size());
    }

    @Test
    void shouldCountLongWaitsInTheOperationThatTheRankIsIn() {
        long hourNs = 3_600_000_000_000L;
        activity.enter(Phase.NOTIFICATION);
        activity.waits(0, System.nanoTime());
        activity.stillWaits(System.nanoTime() + hourNs);
        activity.leave();
        activity.waits(0, System.nanoTime()); // in no operation
        activity.waitedForDevice(17);

        RankCounters.Waits waits = counted("notification");
        assertEquals(1, waits.calls());
        assertEquals(1, waits.waits());
        assertTrue(Math.abs(waits.waitNs() - hourNs) < hourNs / 2, waits::toString);
        assertEquals(1, counted("program").waits());
        assertEquals(new RankCounters.Waits("device", 1, 1, 17), counted("device"));
    }
}
