package org.pgas4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.PgasConfig;
import org.pgas4j.bench.study.AblationStudy;

class LaunchTest {

    private static final Launch.Wishes FULL = new Launch.Wishes(false, null, null, null);

    @ParameterizedTest
    @CsvSource({"rma, 2", "memput, 2", "memget, 2", "helper, 3", "matmul, 2", "ablation, 33", "notify, 1", "atomics, 1", "locks, 2",
            "stream, 1", "halo, 1", "stencil, 1", "kernels, 1"})
    void launchesOfAStudy(String study, int count) {
        assertEquals(count, Launch.of(study, FULL).size());
        assertTrue(Launch.of(study, new Launch.Wishes(true, null, null, null)).size() <= count);
    }

    @Test
    void settingsExist() {
        for (Launch launch : Launch.of("ablation", FULL)) {
            List<String> options = launch.launcher();
            for (int i = 0; i < options.size(); i++) {
                if (options.get(i).equals("--set")) {
                    String[] setting = options.get(i + 1).split("=");
                    new PgasConfig().set(PgasConfig.key(setting[0]), setting[1]);
                }
            }
            assertTrue(AblationStudy.parts().contains(launch.program().get(1)));
        }
    }

    @Test
    void everyNumberOfRanksIsALaunch() {
        List<Launch> launches = Launch.of("barrier", new Launch.Wishes(false, null, null, List.of(1, 2), List.of(2, 4)));
        assertEquals(List.of("barrier, 1 JVM", "barrier, 2 JVMs", "barrier, 4 ranks, 1 JVM", "barrier, 4 ranks, 2 JVMs"),
                launches.stream().map(Launch::describe).toList());
        assertEquals(List.of(2, 2, 4, 4), launches.stream().map(Launch::ranks).toList());
    }

    @Test
    void wishesCount() {
        Launch.Wishes wishes = new Launch.Wishes(false, List.of("auto", "direct"), List.of("off"), List.of(1, 2));
        List<Launch> launches = Launch.of("memput", wishes);
        assertEquals(4, launches.size());
        assertEquals(new Launch("memput", "route=auto", 2, 1, List.of("--route", "auto", "--helper", "off"),
                List.of("--helper", "off")), launches.getFirst());
        assertEquals("memput route=auto helper=off, 1 JVM", launches.getFirst().describe());
    }
}
