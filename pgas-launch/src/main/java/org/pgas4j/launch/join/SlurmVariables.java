package org.pgas4j.launch.join;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Slurm's variables that are more than a number. */
final class SlurmVariables {

    /** From here on step numbers are those of batch scripts, interactive shells and the like. */
    private static final long FIRST_SPECIAL_STEP = 0xfffffff0L;

    private static final Pattern COUNT = Pattern.compile("(\\d{1,6})(?:\\(x(\\d{1,6})\\))?");

    private SlurmVariables() {
    }

    /** True in a process that srun has started; a batch script and what it starts by hand have no step of their own. */
    static boolean isStep(Map<String, String> environment) {
        String step = environment.getOrDefault("SLURM_STEP_ID", environment.get("SLURM_STEPID"));
        return step != null && step.matches("\\d{1,10}") && Long.parseLong(step) < FIRST_SPECIAL_STEP;
    }

    /** True in an allocation of several tasks, wherever in it. */
    static boolean isForSeveral(Map<String, String> environment) {
        return environment.containsKey("SLURM_JOB_ID")
                && (!environment.getOrDefault("SLURM_NTASKS", "1").equals("1")
                || !environment.getOrDefault("SLURM_JOB_NUM_NODES", "1").equals("1"));
    }

    /** True if the step is one task a node: the daemons of another launcher, started by srun. */
    static boolean isOneTaskPerNode(Map<String, String> environment) {
        String nodes = environment.get("SLURM_STEP_NUM_NODES");
        return nodes != null && nodes.equals(environment.get("SLURM_STEP_NUM_TASKS"));
    }

    static String job(Map<String, String> environment) {
        return "slurm-" + environment.getOrDefault("SLURM_JOB_ID", "0") + "-"
                + environment.getOrDefault("SLURM_STEP_ID", environment.get("SLURM_STEPID")) + "-"
                + environment.getOrDefault("SLURM_RESTART_COUNT", "0");
    }

    /**
     * Tasks of the step on this node; {@link ProcessPlacement#UNKNOWN} if no variable has it. {@code 4(x2),3}: 4, 4 and
     * 3.
     */
    static int tasksHere(Map<String, String> environment) {
        String list = environment.get("SLURM_STEP_TASKS_PER_NODE");
        String node = environment.getOrDefault("SLURM_NODEID", "");
        if (list == null || !node.matches("\\d{1,6}")) {
            return ProcessPlacement.UNKNOWN;
        }
        int left = Integer.parseInt(node);
        for (String part : list.split(",")) {
            Matcher count = COUNT.matcher(part);
            if (!count.matches()) {
                return ProcessPlacement.UNKNOWN;
            }
            left -= count.group(2) == null ? 1 : Integer.parseInt(count.group(2));
            if (left < 0) {
                return Integer.parseInt(count.group(1));
            }
        }
        return ProcessPlacement.UNKNOWN;
    }

    /** The first of {@code node[001-007,15],x}: {@code node001}; null if there is none. */
    static String firstHost(String list) {
        if (list == null || list.isBlank()) {
            return null;
        }
        int open = list.indexOf('[');
        int comma = list.indexOf(',');
        if (open < 0 || comma >= 0 && comma < open) {
            return comma < 0 ? list : list.substring(0, comma);
        }
        int close = list.indexOf(']', open);
        if (close < 0) {
            return null;
        }
        String first = list.substring(open + 1, close).split("[,-]", 2)[0];
        int end = list.indexOf(',', close);
        String tail = list.substring(close + 1, end < 0 ? list.length() : end);
        return list.substring(0, open) + first + (tail.contains("[") ? "" : tail);
    }
}
