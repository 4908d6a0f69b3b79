package org.pgas4j.launch.join;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

@Timeout(20)
class LauncherEnvironmentTest {

    private static final Map<String, String> OMPI = Map.of("OMPI_COMM_WORLD_RANK", "3", "OMPI_COMM_WORLD_SIZE", "8",
            "OMPI_COMM_WORLD_LOCAL_RANK", "1", "OMPI_COMM_WORLD_LOCAL_SIZE", "2", "PMIX_NAMESPACE", "prterun-n7-12@1");
    private static final Map<String, String> SRUN = Map.of("SLURM_JOB_ID", "77", "SLURM_STEP_ID", "2", "SLURM_PROCID", "5",
            "SLURM_STEP_NUM_TASKS", "8", "SLURM_NTASKS", "8", "SLURM_LOCALID", "1", "SLURM_NODEID", "1",
            "SLURM_STEP_TASKS_PER_NODE", "4(x2)", "SLURM_STEP_NUM_NODES", "2", "SLURM_STEP_NODELIST", "node[001-002]");
    private static final Map<String, String> TORCH = Map.of("RANK", "1", "WORLD_SIZE", "4", "LOCAL_RANK", "1",
            "LOCAL_WORLD_SIZE", "4", "MASTER_ADDR", "node1", "MASTER_PORT", "29500", "TORCHELASTIC_RUN_ID", "abc");

    private static ProcessPlacement find(Map<String, String> environment, String... settings) {
        PgasConfig config = new PgasConfig();
        for (String setting : settings) {
            config.set(PgasConfig.key(setting.split("=")[0]), setting.split("=")[1]);
        }
        return LauncherEnvironment.find(environment, config);
    }

    private static String refused(Map<String, String> environment, String... settings) {
        UsageException refused = assertThrows(UsageException.class, () -> find(environment, settings));
        return refused.getMessage();
    }

    private static Map<String, String> with(Map<String, String> one, Map<String, String> other) {
        Map<String, String> both = new HashMap<>(one);
        both.putAll(other);
        return both;
    }

    @Test
    void shouldBeAloneWithoutAnyVariable() {
        assertNull(find(Map.of("PATH", "/bin", "RANK", "7", "HOSTNAME", "n1")));
    }

    @Test
    void shouldReadOpenMpi() {
        assertEquals(new ProcessPlacement(LauncherKind.OMPI, 3, 8, 1, 2, "ompi-prterun-n7-12@1", null,
                List.of("PMIX_NAMESPACE=prterun-n7-12@1", "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_LOCAL_SIZE=2",
                        "OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8")), find(OMPI));
        assertFalse(find(OMPI).isOneNode());
    }

    @Test
    void shouldReadPmi() {
        ProcessPlacement found = find(Map.of("PMI_RANK", "0", "PMI_SIZE", "2", "MPI_LOCALRANKID", "0", "MPI_LOCALNRANKS", "2"));

        assertEquals(LauncherKind.PMI, found.kind());
        assertEquals(2, found.size());
        assertTrue(found.isOneNode());
        assertNull(found.job());
    }

    @Test
    void shouldReadSrun() {
        ProcessPlacement found = find(SRUN);

        assertEquals(LauncherKind.SLURM, found.kind());
        assertEquals(5, found.process());
        assertEquals(8, found.size());
        assertEquals(4, found.localSize());
        assertEquals("slurm-77-2-0", found.job());
        assertEquals("node001", found.coordinator());
    }

    @Test
    void shouldReadSlurmsLists() {
        assertEquals(3, SlurmVariables.tasksHere(Map.of("SLURM_STEP_TASKS_PER_NODE", "4(x2),3", "SLURM_NODEID", "2")));
        assertEquals(4, SlurmVariables.tasksHere(Map.of("SLURM_STEP_TASKS_PER_NODE", "4(x2),3", "SLURM_NODEID", "1")));
        assertEquals(-1, SlurmVariables.tasksHere(Map.of("SLURM_STEP_TASKS_PER_NODE", "4(x2)", "SLURM_NODEID", "2")));
        assertEquals(-1, SlurmVariables.tasksHere(Map.of("SLURM_STEP_TASKS_PER_NODE", "many", "SLURM_NODEID", "0")));
        assertEquals("vm", SlurmVariables.firstHost("vm"));
        assertEquals("a", SlurmVariables.firstHost("a,b[1-2]"));
        assertEquals("b08", SlurmVariables.firstHost("b[08,10-12],c"));
        assertEquals("b1-ib", SlurmVariables.firstHost("b[1-3]-ib,c"));
        assertNull(SlurmVariables.firstHost(""));
        assertNull(SlurmVariables.firstHost("b[1"));
    }

    @Test
    void shouldReadTorchrunAndTakeTheNextPort() {
        ProcessPlacement found = find(TORCH);

        assertEquals(LauncherKind.TORCHRUN, found.kind());
        assertEquals("node1:29501", found.coordinator());
        assertEquals("torchrun-abc-node1-29500-0", found.job());
        assertTrue(found.isOneNode());
    }

    @Test
    void shouldReadAnIndexedJobWhoseSizeIsGiven() {
        ProcessPlacement found = find(Map.of("JOB_COMPLETION_INDEX", "3", "HOSTNAME", "hello-3"), "pgas.size=4");

        assertEquals(LauncherKind.KUBERNETES, found.kind());
        assertEquals(3, found.process());
        assertEquals("kubernetes-hello", found.job());
        String text = refused(Map.of("JOB_COMPLETION_INDEX", "3"));
        assertTrue(text.contains("PGAS_SIZE") && text.contains("completions") && text.contains("value: none"), text);
        assertTrue(refused(Map.of("JOB_COMPLETION_INDEX", "4"), "pgas.size=4").contains("0..3"));
    }

    @Test
    void shouldPreferSettingsToAllOthers() {
        ProcessPlacement found = find(with(OMPI, SRUN), "pgas.rank=1", "pgas.size=2", "pgas.local.size=2", "pgas.job.id=mine");

        assertEquals(LauncherKind.PGAS, found.kind());
        assertEquals("mine", found.job());
        assertTrue(found.isOneNode());
        assertTrue(found.describe().contains("pgas.rank=1 from program"), found.describe());
    }

    @Test
    void shouldTakeTheFirstOfThoseThatAgreeAndLearnTheRestFromOthers() {
        ProcessPlacement found = find(with(SRUN, Map.of("PMI_RANK", "5", "PMI_SIZE", "8")));

        assertEquals(LauncherKind.PMI, found.kind());
        assertEquals("slurm-77-2-0", found.job());
        assertEquals(4, found.localSize());
    }

    @Test
    void shouldRefuseFamiliesThatDisagree() {
        String text = refused(with(SRUN, Map.of("PMI_RANK", "0", "PMI_SIZE", "1")));

        assertTrue(text.contains("0 of 1 for PMI and 5 of 8 for Slurm"), text);
        assertTrue(text.contains("pgas.join=slurm"), text);
        assertTrue(text.contains("pgas.join=none"), text);
        assertTrue(refused(with(OMPI, TORCH)).contains("3 of 8 for Open MPI and 1 of 4 for torchrun"));
        assertTrue(refused(OMPI, "pgas.size=4").contains("leave pgas.size out"));
    }

    @Test
    void shouldTakeOneOfThemIfTold() {
        Map<String, String> both = with(SRUN, Map.of("PMI_RANK", "0", "PMI_SIZE", "1"));

        assertEquals(LauncherKind.SLURM, find(both, "pgas.join=slurm").kind());
        assertEquals(LauncherKind.PMI, find(both, "pgas.join=pmi").kind());
        assertNull(find(both, "pgas.join=none"));
        assertTrue(refused(both, "pgas.join=ompi").contains("found: PMI, Slurm"));
    }

    /** mpirun inside an allocation: its daemons are a step of one task a node, which its processes inherit. */
    @Test
    void shouldNotMistakeTheDaemonsOfMpirunForTheJob() {
        Map<String, String> daemons = with(SRUN, Map.of("SLURM_STEP_NUM_TASKS", "2", "SLURM_PROCID", "1"));

        assertEquals(8, find(with(daemons, OMPI)).size());
    }

    @Test
    void shouldRefuseAnAllocationWithoutSrun() {
        Map<String, String> batch = new HashMap<>(SRUN);
        batch.remove("SLURM_STEP_ID");

        String text = refused(batch);
        assertTrue(text.contains("Type srun before java"), text);
        assertTrue(refused(with(SRUN, Map.of("SLURM_STEP_ID", "4294967290"))).contains("Type srun"), "interactive step");
        assertNull(find(batch, "pgas.join=none"));
        assertNull(find(Map.of("SLURM_JOB_ID", "1", "SLURM_NTASKS", "1", "SLURM_JOB_NUM_NODES", "1")));
        assertEquals(LauncherKind.OMPI, find(with(batch, OMPI)).kind());
    }

    @Test
    void shouldRefuseHalfAnAnswer() {
        assertTrue(refused(Map.of(), "pgas.rank=1").contains("without pgas.size"));
        assertTrue(refused(Map.of(), "pgas.size=2").contains("without pgas.rank"));
        assertTrue(refused(Map.of(), "pgas.rank=2", "pgas.size=2").contains("expected: 0..1"));
        assertTrue(refused(Map.of("PMIX_RANK", "1")).contains("not of how many"));
    }

    @Test
    void shouldRefuseNumbersThatAreNone() {
        for (String bad : List.of("-1", "two", "99999999999", "8")) {
            String text = refused(with(OMPI, Map.of("OMPI_COMM_WORLD_RANK", bad)));
            assertTrue(text.contains("OMPI_COMM_WORLD_RANK=" + bad), text);
        }
        assertTrue(refused(with(OMPI, Map.of("OMPI_COMM_WORLD_LOCAL_SIZE", "9"))).contains("do not fit together"));
        assertTrue(refused(with(TORCH, Map.of("MASTER_PORT", "x"))).contains("MASTER_PORT=x"));
    }

    @Test
    void shouldMakeNamesThatFitAFileAndAHandshake() {
        assertEquals("slurm-77-2-0", JobJoin.fileName("slurm-77-2-0"));
        for (String name : List.of("a/b", "../../etc/passwd", ".hidden", "x".repeat(200), "ompi-prterun-n7-12@1")) {
            String plain = JobJoin.fileName(name);
            assertTrue(plain.matches("[A-Za-z0-9_][A-Za-z0-9._-]{1,63}"), plain);
        }
        assertFalse(JobJoin.fileName("a/b").equals(JobJoin.fileName("a-b")));
    }

    @Test
    void shouldHaveASettingForEachFamily() {
        for (LauncherKind kind : LauncherKind.values()) {
            assertTrue(List.of(PgasKey.JOIN.choices().split("\\|")).contains(kind.choice()), kind.choice());
        }
    }
}
