package org.pgas4j.launch.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.pgas4j.testkit.campaign.FailureCampaign;
import org.pgas4j.testkit.campaign.FailureTrials;
import org.pgas4j.testkit.harness.ProcessHarness;

/**
 * Jobs that fail at each place and in each way there is: exit code and last line are those of docs/errors.md, and nothing
 * is left. Several jobs at once: they mostly wait.
 */
@Tag("multiprocess")
@Timeout(600)
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class FailpointTest {

    private static final int AT_ONCE = 3;
    private static final long SEED = 20261121;

    @TempDir
    private Path folder;

    @Test
    void shouldEndNamedWhereverARankIsKilled() throws Exception {
        run("K1");
    }

    @Test
    void shouldEndWithTheStatusOfWhatEndedIt() throws Exception {
        run("K3", "K4");
    }

    @Test
    void shouldSurviveAPauseAndNameWhoIsStoppedOrHangs() throws Exception {
        run("H3", "W");
    }

    private void run(String... kinds) throws InterruptedException {
        List<Callable<FailureTrials.Outcome>> plan = new ArrayList<>();
        for (String kind : kinds) {
            plan.addAll(FailureCampaign.plan(kind, new FailureTrials(folder, ProcessHarness.QUICK), false, SEED));
        }
        List<String> bad = new ArrayList<>();
        for (FailureTrials.Outcome outcome : FailureCampaign.run(plan, AT_ONCE)) {
            if (!outcome.isGood()) {
                bad.add(outcome.name() + ": " + outcome.wrong() + "\n" + outcome.output());
            }
        }
        assertEquals(List.of(), bad);
    }
}
