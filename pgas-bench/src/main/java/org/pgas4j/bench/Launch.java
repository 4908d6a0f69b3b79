package org.pgas4j.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.pgas4j.bench.study.AblationStudy;

/**
 * One start of the ranks for a study.
 *
 * @param study     its name
 * @param setting   what is set for it: KEY=VALUE, separated by blanks; null if nothing is
 * @param ranks     number of ranks
 * @param processes JVMs of the ranks
 * @param launcher  options for the launcher
 * @param program   options for {@link Bench}
 */
record Launch(String study, String setting, int ranks, int processes, List<String> launcher, List<String> program) {

    /**
     * Choices that all launches of a run share.
     *
     * @param quick     fewer launches
     * @param routes    routes to force; null for the study's own
     * @param helpers   modes of the helper threads; null for the study's own
     * @param processes numbers of JVMs; null for the study's own
     * @param ranks     numbers of ranks
     */
    record Wishes(boolean quick, List<String> routes, List<String> helpers, List<Integer> processes, List<Integer> ranks) {

        /** The same with two ranks. */
        Wishes(boolean quick, List<String> routes, List<String> helpers, List<Integer> processes) {
            this(quick, routes, helpers, processes, List.of(2));
        }
    }

    /** Studies that are measured in one JVM and in two. */
    private static final Set<String> OF_JVMS = Set.of("rma", "locks");

    /** Studies that are one launch for each number of JVMs, which is 1 unless {@link #OF_JVMS} has them. */
    private static final Set<String> PLAIN = Set.of("notify", "barrier", "atomics", "locks", "stream", "collectives", "halo",
            "matvec", "himeno", "stencil", "arrays", "kernels");

    /** The launches that make up a study. */
    static List<Launch> of(String study, Wishes wishes) {
        return wishes.ranks.stream().flatMap(ranks -> of(study, ranks, wishes).stream()).toList();
    }

    private static List<Launch> of(String study, int ranks, Wishes wishes) {
        List<Launch> launches = new ArrayList<>();
        for (int processes : wishes.processes != null ? wishes.processes : OF_JVMS.contains(study) ? List.of(1, 2)
                : PLAIN.contains(study) ? List.of(1) : List.of(2)) {
            switch (study) {
                case "rma" -> {
                    for (String route : wishes.routes == null ? List.of("") : wishes.routes) {
                        launches.add(route.isEmpty() ? new Launch(study, null, ranks, processes, List.of(), List.of())
                                : new Launch(study, "route=" + route, ranks, processes, List.of("--route", route), List.of()));
                    }
                }
                case "resident" -> resident(launches, ranks, processes, wishes);
                case "ablation" -> ablation(launches, processes, wishes);
                case String one when PLAIN.contains(one) ->
                        launches.add(new Launch(study, null, ranks, processes, List.of(), List.of()));
                default -> {
                    for (String route : wishes.routes != null ? wishes.routes : routes(study, wishes.quick)) {
                        for (String helper : wishes.helpers != null ? wishes.helpers : helpers(study, route)) {
                            launches.add(routed(study, ranks, processes, route, helper));
                        }
                    }
                }
            }
        }
        return launches;
    }

    /** The resident block and what it is compared with: copy engine, helper thread, the owner's own thread. */
    private static void resident(List<Launch> launches, int ranks, int processes, Wishes wishes) {
        for (String route : wishes.routes != null ? wishes.routes : List.of("resident", "direct", "fastpath")) {
            List<String> helpers = route.equals("fastpath") ? List.of("on", "off") : List.of("off");
            for (String helper : wishes.helpers != null ? wishes.helpers : helpers) {
                launches.add(routed("resident", ranks, processes, route, helper));
            }
        }
    }

    private static List<String> routes(String study, boolean quick) {
        return switch (study) {
            case "helper" -> List.of("fastpath");
            case "matmul" -> quick ? List.of("auto") : List.of("auto", "messages");
            default -> List.of("direct", "messages");
        };
    }

    /** An empty mode leaves the default. */
    private static List<String> helpers(String study, String route) {
        return !study.equals("helper") ? List.of("") : route.equals("direct") ? List.of("off") : List.of("off", "on", "auto");
    }

    private static Launch routed(String study, int ranks, int processes, String route, String helper) {
        List<String> launcher = new ArrayList<>(List.of("--route", route));
        List<String> program = new ArrayList<>();
        if (!helper.isEmpty()) {
            launcher.addAll(List.of("--helper", helper));
            program.addAll(List.of("--helper", helper));
        }
        return new Launch(study, "route=" + route, ranks, processes, launcher, program);
    }

    private static void ablation(List<Launch> launches, int processes, Wishes wishes) {
        boolean quick = wishes.quick;
        for (String chunk : quick ? List.of("4k", "64k") : List.of("4k", "16k", "64k")) {
            for (String chunks : quick ? List.of("32") : List.of("8", "32", "128")) {
                launches.add(ablation(AblationStudy.FASTPATH, processes, "fastpath", null, "fastpath.chunk=" + chunk,
                        "fastpath.chunks=" + chunks));
            }
        }
        for (String chunk : quick ? List.of("1m") : List.of("512k", "1m", "2m", "4m")) {
            for (String depth : quick ? List.of("1", "4") : List.of("1", "4", "8", "16")) {
                launches.add(ablation(AblationStudy.PIPELINE, processes, "rendezvous", null, "rendezvous.chunk=" + chunk,
                        "rendezvous.depth=" + depth));
            }
        }
        for (String cache : List.of("0", "256m")) {
            launches.add(ablation(AblationStudy.REGISTRATION, processes, "rendezvous", null, "registration.cache=" + cache));
        }
        for (String threads : quick ? List.of("1") : List.of("1", "2")) {
            for (String wait : quick ? List.of("spin", "park") : List.of("spin", "yield", "park")) {
                // Ranks share the helpers of a JVM: with a JVM each there is work for one.
                launches.add(ablation(AblationStudy.HELPER, wishes.processes == null ? 1 : processes, "fastpath", "on",
                        "helper.threads=" + threads, "helper.wait=" + wait));
            }
        }
    }

    private static Launch ablation(String part, int processes, String route, String helper, String... settings) {
        List<String> launcher = new ArrayList<>(List.of("--route", route));
        List<String> program = new ArrayList<>(List.of("--part", part));
        for (String setting : settings) {
            launcher.addAll(List.of("--set", "pgas." + setting));
        }
        if (helper != null) {
            launcher.addAll(List.of("--helper", helper));
            program.addAll(List.of("--helper", helper));
        }
        return new Launch("ablation", "route=" + route + " " + String.join(" ", settings), 2, processes, launcher, program);
    }

    /** Description for people. */
    String describe() {
        StringBuilder text = new StringBuilder(study);
        if (setting != null) {
            text.append(' ').append(setting);
        }
        int helper = program.indexOf("--helper");
        if (helper >= 0) {
            text.append(" helper=").append(program.get(helper + 1));
        }
        text.append(ranks == 2 ? "" : ", " + ranks + " ranks");
        return text.append(", ").append(processes).append(processes == 1 ? " JVM" : " JVMs").toString();
    }
}
