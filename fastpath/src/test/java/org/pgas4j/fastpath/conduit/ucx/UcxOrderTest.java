package org.pgas4j.fastpath.conduit.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UcxOrderTest {

    private static final String RELAXED = "UCX_IB_PCI_RELAXED_ORDERING";
    private static final Map<String, String> IN_ORDER = Map.of("UCX_IB_AR_ENABLE", "no", "UCX_RC_MLX5_DDP_ENABLE", "n",
            "UCX_DC_MLX5_DDP_ENABLE", "n");

    private static String lane(String transport) {
        return "lane[0]: 3:" + transport + ":1.0 md[2] -> md[2]/ib/sysdev[255] am am_bw#0 wireup";
    }

    @ParameterizedTest
    @CsvSource({"rc_verbs/rxe0, 256", "rc_mlx5/mlx5_0, 9223372036854775807", "dc_mlx5/mlx5_0, 9223372036854775807",
        "ud_verbs/rxe0, 0", "tcp/eth0, 0", "posix/memory, 0", "srd/efa0, 0", "rc_gda/mlx5_0, 0", "self/memory, 0"})
    void shouldTakeBytesAsOrderedOverReliableConnectionsOnly(String transport, long ordered) {
        assertEquals(ordered, UcxOrder.ofLanes(List.of(lane(transport))));
    }

    @Test
    void shouldNotTakeThemAsOrderedIfAnyLaneIsAnother() {
        assertEquals(0, UcxOrder.ofLanes(List.of(lane("rc_mlx5/mlx5_0"), lane("tcp/eth0"))));
        assertEquals(256, UcxOrder.ofLanes(List.of(lane("rc_mlx5/mlx5_0"), lane("rc_verbs/mlx5_0"))));
        assertEquals(0, UcxOrder.ofLanes(List.of(lane("rc_mlx5/mlx5_0"), "lane[1]: cm rdmacm")));
        assertEquals(0, UcxOrder.ofLanes(List.of("lane 0 is rc_mlx5/mlx5_0")));
        assertEquals(0, UcxOrder.ofLanes(List.of()));
    }

    @ParameterizedTest
    @CsvSource({"n, 256", "No, 256", "off, 256", "0, 256", ", 0", "auto, 0", "try, 0", "y, 0", "'', 0"})
    void shouldTakeOnePacketAsOrderedWithoutRelaxedOrdering(String relaxed, long ordered) {
        Map<String, String> environment = new HashMap<>();
        environment.put(RELAXED, relaxed);
        assertEquals(ordered, UcxOrder.ofProcess(environment::get));
        environment.putAll(IN_ORDER);
        assertEquals(ordered == 0 ? 0 : Long.MAX_VALUE, UcxOrder.ofProcess(environment::get));
    }

    @Test
    void shouldTakeManyPacketsAsOrderedOnlyIfNothingReordersThem() {
        for (String one : IN_ORDER.keySet()) {
            Map<String, String> environment = new HashMap<>(IN_ORDER);
            environment.put(RELAXED, "n");
            environment.put(one, "auto");
            assertEquals(256, UcxOrder.ofProcess(environment::get), one);
        }
    }

    @ParameterizedTest
    @CsvSource({"GenuineIntel, 6, true", "AuthenticAMD, 15, true", "AuthenticAMD, 23, false", "AuthenticAMD, 25, false",
        "AuthenticAMD, 26, false"})
    void shouldTurnRelaxedOrderingOffWhereUcxWouldNotUseIt(String vendor, int family, boolean off) {
        List<String> processor = List.of("processor\t: 0", "vendor_id\t: " + vendor, "cpu family\t: " + family);
        assertEquals(off ? Map.of(RELAXED, "n") : Map.of(), UcxOrder.defaults(_ -> null, processor));
        assertEquals(Map.of(), UcxOrder.defaults(Map.of(RELAXED, "try")::get, processor));
    }

    @Test
    void shouldLeaveTheChoiceToUcxOnAProcessorThatIsNotKnown() {
        assertEquals(Map.of(), UcxOrder.defaults(_ -> null, List.of()));
    }
}
