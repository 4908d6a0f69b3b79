package org.pgas4j.fastpath.conduit.ucx;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Determines the largest put whose bytes become visible in the order of their addresses; 0 if no order is guaranteed.
 *
 * <p>A reliable connection of verbs is needed at least. A network card writes the bytes of one packet in their order,
 * unless the memory is registered for relaxed ordering of PCI. The packets of one put it writes in their order unless
 * the network has adaptive routing, of which UCX does not report whether a connection has it, or direct data placement.
 */
final class UcxOrder {

    /** The smallest packet of verbs, which any connection carries whole. */
    static final long PACKET = 256;

    private static final String RELAXED = "UCX_IB_PCI_RELAXED_ORDERING";
    private static final String ROUTING = "UCX_IB_AR_ENABLE";
    private static final String PLACEMENT_RC = "UCX_RC_MLX5_DDP_ENABLE";
    private static final String PLACEMENT_DC = "UCX_DC_MLX5_DDP_ENABLE";

    private static final Set<String> OFF = Set.of("n", "no", "off", "0");
    private static final int ZEN = 23;

    /** Transports for which the settings above are known to hold. */
    private static final Set<String> CONFIGURED = Set.of("rc_mlx5", "dc_mlx5");
    private static final String VERBS = "rc_verbs";
    private static final Pattern LANE = Pattern.compile("lane\\[\\d+]: *\\d+:([a-z0-9_]+)/.*");

    private UcxOrder() {
    }

    /**
     * Variables to set unless the user has, before UCX reads its environment: relaxed ordering is off, except on
     * processors of AMD, on which UCX turns it on for speed.
     *
     * @param processor lines of /proc/cpuinfo, none if it cannot be read
     */
    static Map<String, String> defaults(UnaryOperator<String> environment, List<String> processor) {
        return environment.apply(RELAXED) != null || prefersRelaxed(processor) ? Map.of() : Map.of(RELAXED, "n");
    }

    private static boolean prefersRelaxed(List<String> processor) {
        String vendor = value(processor, "vendor_id");
        String family = value(processor, "cpu family");
        return vendor == null || family == null
                || vendor.equals("AuthenticAMD") && (!family.matches("\\d{1,9}") || Integer.parseInt(family) >= ZEN);
    }

    private static String value(List<String> processor, String key) {
        return processor.stream().filter(line -> line.startsWith(key)).findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse(null);
    }

    /** The size for puts from and to this process over any connection, given the variables of its environment. */
    static long ofProcess(UnaryOperator<String> environment) {
        if (!isOff(environment, RELAXED)) {
            return 0;
        }
        boolean inOrder = isOff(environment, ROUTING) && isOff(environment, PLACEMENT_RC)
                && isOff(environment, PLACEMENT_DC);
        return inOrder ? Long.MAX_VALUE : PACKET;
    }

    private static boolean isOff(UnaryOperator<String> environment, String name) {
        String value = environment.apply(name);
        return value != null && OFF.contains(value.toLowerCase(Locale.ROOT));
    }

    /** The size for puts over a connection with these lanes, as UCX prints them, of which it may use any. */
    static long ofLanes(List<String> lanes) {
        return lanes.stream().mapToLong(UcxOrder::ofLane).min().orElse(0);
    }

    private static long ofLane(String lane) {
        Matcher matcher = LANE.matcher(lane);
        if (!matcher.matches()) {
            return 0;
        }
        return CONFIGURED.contains(matcher.group(1)) ? Long.MAX_VALUE : matcher.group(1).equals(VERBS) ? PACKET : 0;
    }
}
