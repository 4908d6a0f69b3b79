package org.pgas4j.launch.join;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.pgas4j.PgasConfig;
import org.pgas4j.PgasKey;
import org.pgas4j.UsageException;

/**
 * Which part of which job this JVM is: settings first, then each {@link LauncherKind} in turn. A function of its arguments.
 * Contradictions are refused, since JVMs with different views of the job would wait for each other for ever.
 */
final class LauncherEnvironment {

    private static final String ALONE = "; pgas.join=none starts this JVM as a job of its own";

    private LauncherEnvironment() {
    }

    /**
     * Null if this JVM is a job of its own.
     *
     * @throws UsageException if the variables contradict each other; names the remedy
     */
    static ProcessPlacement find(Map<String, String> environment, PgasConfig config) {
        String choice = config.text(PgasKey.JOIN);
        if (choice.equals("none")) {
            return null;
        }
        List<ProcessPlacement> found = new ArrayList<>();
        add(found, settings(config));
        for (LauncherKind kind : LauncherKind.values()) {
            if (found.isEmpty() || found.getFirst().kind() != LauncherKind.PGAS) { // settings need no second opinion
                add(found, kind.find(environment));
            }
        }
        if (found.isEmpty() || choice.equals(LauncherKind.KUBERNETES.choice())) {
            add(found, kubernetes(environment, config));
        }
        if (!choice.equals("auto")) {
            return completed(only(found, choice), found, config);
        }
        if (found.isEmpty()) {
            refuseHalfAnAnswer(environment, config);
            return null;
        }
        ProcessPlacement winner = found.getFirst();
        for (ProcessPlacement other : found) {
            boolean daemons = other.kind() == LauncherKind.SLURM && winner.kind() != LauncherKind.SLURM
                    && SlurmVariables.isOneTaskPerNode(environment);
            if (other.size() != winner.size() && !daemons) {
                throw new UsageException("this JVM is process " + winner.process() + " of " + winner.size() + " for "
                        + winner.kind().title() + " and " + other.process() + " of " + other.size() + " for "
                        + other.kind().title() + " (" + join(winner.evidence()) + "; " + join(other.evidence())
                        + "): one launcher inside another? Start it with one of them, or choose with pgas.join="
                        + winner.kind().choice() + " or pgas.join=" + other.kind().choice() + ALONE);
            }
        }
        requireSize(config, winner);
        return completed(winner, found, config);
    }

    private static void add(List<ProcessPlacement> found, ProcessPlacement placement) {
        if (placement != null) {
            found.add(placement);
        }
    }

    private static String join(List<String> evidence) {
        return String.join(", ", evidence);
    }

    private static ProcessPlacement only(List<ProcessPlacement> found, String choice) {
        return found.stream().filter(one -> one.kind().choice().equals(choice)).findFirst().orElseThrow(() ->
                new UsageException("pgas.join=" + choice + ", but its variables do not give this JVM's number and"
                        + " the number of JVMs; found: " + (found.isEmpty() ? "nothing" : found.stream().map(one ->
                        one.kind().title()).collect(Collectors.joining(", ")))));
    }

    private static ProcessPlacement settings(PgasConfig config) {
        if (config.isAuto(PgasKey.RANK)) {
            return null;
        }
        if (config.isAuto(PgasKey.SIZE)) {
            throw new UsageException("pgas.rank=" + config.text(PgasKey.RANK) + " from " + config.source(PgasKey.RANK)
                    + " without pgas.size: how many JVMs has the job?");
        }
        int rank = config.count(PgasKey.RANK);
        int size = config.count(PgasKey.SIZE);
        if (rank >= size) {
            throw new UsageException("pgas.rank=" + rank + " of pgas.size=" + size + " (expected: 0.." + (size - 1) + ")");
        }
        return new ProcessPlacement(LauncherKind.PGAS, rank, size, countOr(config, PgasKey.LOCAL_RANK),
                countOr(config, PgasKey.LOCAL_SIZE), textOr(config, PgasKey.JOB_ID), textOr(config, PgasKey.COORD),
                List.of("pgas.rank=" + rank + " from " + config.source(PgasKey.RANK),
                        "pgas.size=" + size + " from " + config.source(PgasKey.SIZE)));
    }

    private static ProcessPlacement kubernetes(Map<String, String> environment, PgasConfig config) {
        if (!environment.containsKey("JOB_COMPLETION_INDEX")) {
            return null;
        }
        LauncherKind.Variables variables = new LauncherKind.Variables(LauncherKind.KUBERNETES, environment);
        int index = variables.number("JOB_COMPLETION_INDEX");
        if (config.isAuto(PgasKey.SIZE)) {
            throw new UsageException("this is pod " + index + " of an indexed job (JOB_COMPLETION_INDEX), and Kubernetes"
                    + " does not give the number of pods. Add to its container:\n  env:\n  - {name: PGAS_SIZE, value: "
                    + "\"<the job's completions>\"}\nor, if each pod is a job of its own:\n  - {name: PGAS_JOIN, value: none}");
        }
        int size = config.count(PgasKey.SIZE);
        if (index >= size) {
            throw new UsageException("JOB_COMPLETION_INDEX=" + index + " of pgas.size=" + size + " (expected: 0.."
                    + (size - 1) + "): PGAS_SIZE must be the completions of the job");
        }
        return new ProcessPlacement(LauncherKind.KUBERNETES, index, size, 0, size == 1 ? 1 : ProcessPlacement.UNKNOWN,
                podsJob(environment), null, List.of("JOB_COMPLETION_INDEX=" + index, "pgas.size=" + size + " from "
                + config.source(PgasKey.SIZE)));
    }

    /** Pods of an indexed job are named after it and their index: {@code hello-3}. */
    private static String podsJob(Map<String, String> environment) {
        String host = environment.getOrDefault("HOSTNAME", "");
        String tail = "-" + environment.get("JOB_COMPLETION_INDEX").strip();
        return host.endsWith(tail) && host.length() > tail.length()
                ? "kubernetes-" + host.substring(0, host.length() - tail.length()) : null;
    }

    /** Refuses launchers that give less than number and count of their processes. */
    private static void refuseHalfAnAnswer(Map<String, String> environment, PgasConfig config) {
        if (!config.isAuto(PgasKey.SIZE)) {
            throw new UsageException("pgas.size=" + config.text(PgasKey.SIZE) + " from " + config.source(PgasKey.SIZE)
                    + " without pgas.rank: which of them is this JVM?");
        }
        if (SlurmVariables.isForSeveral(environment)) {
            throw new UsageException("this JVM runs in Slurm job " + environment.get("SLURM_JOB_ID") + " of "
                    + environment.getOrDefault("SLURM_NTASKS", "?") + " tasks and "
                    + environment.getOrDefault("SLURM_JOB_NUM_NODES", "?")
                    + " nodes, but srun has not started it. Type srun before java, or use pgasrun" + ALONE);
        }
        if (environment.containsKey("PMIX_RANK")) {
            throw new UsageException("a PMIx launcher gives this JVM PMIX_RANK=" + environment.get("PMIX_RANK")
                    + ", but not of how many; prterun does with --personality ompi. Or pass it PGAS_RANK and PGAS_SIZE" + ALONE);
        }
    }

    private static void requireSize(PgasConfig config, ProcessPlacement winner) {
        if (!config.isAuto(PgasKey.SIZE) && config.count(PgasKey.SIZE) != winner.size()) {
            throw new UsageException("pgas.size=" + config.text(PgasKey.SIZE) + " from " + config.source(PgasKey.SIZE)
                    + ", but " + winner.kind().title() + " gives " + winner.size() + " (" + join(winner.evidence())
                    + "); leave pgas.size out");
        }
    }

    /** Completes the winner from those that agree with it; settings before all. */
    private static ProcessPlacement completed(ProcessPlacement winner, List<ProcessPlacement> found, PgasConfig config) {
        int localRank = countOr(config, PgasKey.LOCAL_RANK);
        int localSize = countOr(config, PgasKey.LOCAL_SIZE);
        String job = textOr(config, PgasKey.JOB_ID);
        String coordinator = textOr(config, PgasKey.COORD);
        for (ProcessPlacement one : found) {
            if (one.size() == winner.size()) {
                localRank = localRank == ProcessPlacement.UNKNOWN ? one.localRank() : localRank;
                localSize = localSize == ProcessPlacement.UNKNOWN ? one.localSize() : localSize;
                job = job == null ? one.job() : job;
                coordinator = coordinator == null ? one.coordinator() : coordinator;
            }
        }
        if (localSize > winner.size() || localRank >= 0 && localSize >= 0 && localRank >= localSize) {
            throw new UsageException("this JVM is number " + localRank + " of " + localSize + " on its node and the job has "
                    + winner.size() + " (" + join(winner.evidence()) + "): these do not fit together" + ALONE);
        }
        return new ProcessPlacement(winner.kind(), winner.process(), winner.size(), localRank, localSize, job, coordinator,
                winner.evidence());
    }

    private static int countOr(PgasConfig config, PgasKey key) {
        return config.isAuto(key) ? ProcessPlacement.UNKNOWN : config.count(key);
    }

    private static String textOr(PgasConfig config, PgasKey key) {
        return config.isAuto(key) ? null : config.text(key);
    }
}
