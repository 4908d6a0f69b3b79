package org.pgas4j.launch.doctor;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.pgas4j.os.Libc;

/** Processors this process may run on, and the share of their time it is given. */
final class CoresCheck implements Check {

    private static final String ROOT = "/sys/fs/cgroup/";

    @Override
    public String name() {
        return "processors";
    }

    @Override
    public List<Verdict> run() {
        return List.of(judge(Libc.allowedCpus().length, quota()));
    }

    private static OptionalDouble quota() {
        String own = Sources.text("/proc/self/cgroup").orElse("").lines().filter(line -> line.startsWith("0::/"))
                .map(line -> line.substring("0::/".length())).findFirst().orElse("");
        OptionalDouble least = OptionalDouble.empty();
        for (String path = own; ; path = path.substring(0, Math.max(0, path.lastIndexOf('/')))) {
            OptionalDouble here = quota(Sources.text(ROOT + path + "/cpu.max").orElse("max"));
            if (here.isPresent() && (least.isEmpty() || here.getAsDouble() < least.getAsDouble())) {
                least = here;
            }
            if (path.isEmpty()) {
                break;
            }
        }
        return least.isPresent() ? least : Sources.text(ROOT + "cpu/cpu.cfs_quota_us")
                .map(quota -> quota(quota + " " + Sources.text(ROOT + "cpu/cpu.cfs_period_us").orElse("100000")))
                .orElse(OptionalDouble.empty());
    }

    /**
     * Processors that a quota is worth; empty if there is none.
     *
     * @param text quota and period in microseconds, as in cpu.max of cgroup v2; {@code max} or -1 is no quota
     */
    static OptionalDouble quota(String text) {
        String[] words = text.strip().split("\\s+");
        return words.length < 2 || words[0].equals("max") || words[0].startsWith("-") ? OptionalDouble.empty()
                : OptionalDouble.of(Double.parseDouble(words[0]) / Double.parseDouble(words[1]));
    }

    static Verdict judge(int processors, OptionalDouble quota) {
        String value = processors + (processors == 1 ? " processor" : " processors");
        if (quota.isEmpty()) {
            return Verdict.ok("processors", value + ", no quota");
        }
        double worth = quota.getAsDouble();
        String all = String.format(Locale.ROOT, "%s, quota of %.1f", value, worth);
        return worth >= processors ? Verdict.ok("processors", all)
                : Verdict.warn("processors", all + ": waiting ranks use it up and are stopped", "start at most "
                        + Math.max(1, (int) worth) + " ranks here, or raise the container's CPU limit");
    }
}
