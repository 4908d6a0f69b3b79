package org.pgas4j.launch.doctor;

import java.util.List;
import java.util.Set;

/** The clock that waits and measurements read many times a microsecond. */
final class ClockCheck implements Check {

    private static final String SOURCES = "/sys/devices/system/clocksource/clocksource0/";
    private static final Set<String> QUICK = Set.of("tsc", "kvm-clock", "hyperv_clocksource_tsc_page");
    private static final int CALLS = 200_000;
    private static final long SLOW_NS = 500;

    @Override
    public String name() {
        return "clock";
    }

    @Override
    public List<Verdict> run() {
        long step = Long.MAX_VALUE;
        long first = System.nanoTime();
        long last = first;
        for (int i = 0; i < CALLS; i++) {
            long now = System.nanoTime();
            if (now != last) {
                step = Math.min(step, now - last);
            }
            last = now;
        }
        return List.of(judge(Sources.text(SOURCES + "current_clocksource").orElse("unknown"),
                Sources.text(SOURCES + "available_clocksource").orElse(""), step, (last - first) / CALLS));
    }

    /**
     * @param available all sources of the machine
     * @param stepNs    least difference of two readings
     * @param costNs    of one reading
     */
    static Verdict judge(String source, String available, long stepNs, long costNs) {
        String value = source + ", steps of " + stepNs + " ns, " + costNs + " ns a reading";
        if (QUICK.contains(source) || source.equals("unknown") && costNs < SLOW_NS) {
            return Verdict.ok("clock", value);
        }
        return Verdict.warn("clock", value + ", each reading is a system call", available.contains("tsc")
                ? "boot with clocksource=tsc; the kernel log says why it is not used"
                : "measure on another machine; waits take longer here");
    }
}
