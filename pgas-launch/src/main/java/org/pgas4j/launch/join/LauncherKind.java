package org.pgas4j.launch.join;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pgas4j.UsageException;

/** Kinds of launchers, which give processes their numbers by variables. In the order in which they are tried. */
enum LauncherKind {

    PGAS("settings") {
        @Override
        ProcessPlacement find(Map<String, String> environment) {
            return null; // settings are read by the chain itself
        }
    },

    OMPI("Open MPI") {
        @Override
        ProcessPlacement find(Map<String, String> environment) {
            Variables found = new Variables(this, environment);
            if (!found.have("OMPI_COMM_WORLD_RANK") || !found.have("OMPI_COMM_WORLD_SIZE")) {
                return null;
            }
            String job = found.first("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid");
            return found.placement("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                    found.numberOr("OMPI_COMM_WORLD_LOCAL_RANK"), found.numberOr("OMPI_COMM_WORLD_LOCAL_SIZE"),
                    job == null ? null : "ompi-" + job, null);
        }
    },

    PMI("PMI") {
        @Override
        ProcessPlacement find(Map<String, String> environment) {
            Variables found = new Variables(this, environment);
            if (!found.have("PMI_RANK") || !found.have("PMI_SIZE")) {
                return null;
            }
            String job = found.first("PMI_JOBID", "PALS_APID");
            return found.placement("PMI_RANK", "PMI_SIZE", found.numberOr("MPI_LOCALRANKID", "PMI_LOCAL_RANK"),
                    found.numberOr("MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"), job == null ? null : "pmi-" + job, null);
        }
    },

    SLURM("Slurm") {
        @Override
        ProcessPlacement find(Map<String, String> environment) {
            Variables found = new Variables(this, environment);
            if (!SlurmVariables.isStep(environment) || !found.have("SLURM_PROCID")) {
                return null;
            }
            String size = found.have("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
            if (!found.have(size)) {
                return null;
            }
            return found.placement("SLURM_PROCID", size, found.numberOr("SLURM_LOCALID"),
                    SlurmVariables.tasksHere(environment), SlurmVariables.job(environment),
                    SlurmVariables.firstHost(environment.get("SLURM_STEP_NODELIST")));
        }
    },

    TORCHRUN("torchrun") {
        @Override
        ProcessPlacement find(Map<String, String> environment) {
            Variables found = new Variables(this, environment);
            // all four: RANK alone may have other uses
            if (!found.have("RANK") || !found.have("WORLD_SIZE") || !found.have("MASTER_ADDR")
                    || !found.have("MASTER_PORT")) {
                return null;
            }
            String run = found.first("TORCHELASTIC_RUN_ID");
            String job = "torchrun-" + (run == null ? "none" : run) + "-" + environment.get("MASTER_ADDR") + "-"
                    + environment.get("MASTER_PORT") + "-"
                    + environment.getOrDefault("TORCHELASTIC_RESTART_COUNT", "0");
            // its own store may listen on that port of that host: the next one is ours
            String coordinator = environment.get("MASTER_ADDR") + ":" + (found.number("MASTER_PORT") + 1);
            return found.placement("RANK", "WORLD_SIZE", found.numberOr("LOCAL_RANK"),
                    found.numberOr("LOCAL_WORLD_SIZE"), job, coordinator);
        }
    },

    KUBERNETES("Kubernetes") {
        @Override
        ProcessPlacement find(Map<String, String> environment) {
            return null; // has the number only: the chain has the size
        }
    };

    private final String title;

    LauncherKind(String title) {
        this.title = title;
    }

    /** For messages. */
    String title() {
        return title;
    }

    /** Value of {@code pgas.join}. */
    String choice() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }

    /**
     * Reads the variables of this kind of launcher; null if it has not started this JVM.
     *
     * @throws UsageException if they are there and make no sense
     */
    abstract ProcessPlacement find(Map<String, String> environment);

    /** Variables, and which of them were used. */
    static final class Variables {

        private final LauncherKind kind;
        private final Map<String, String> environment;
        private final List<String> used = new ArrayList<>();

        Variables(LauncherKind kind, Map<String, String> environment) {
            this.kind = kind;
            this.environment = environment;
        }

        boolean have(String name) {
            String value = environment.get(name);
            return value != null && !value.isBlank();
        }

        String first(String... names) {
            for (String name : names) {
                if (have(name)) {
                    use(name);
                    return environment.get(name);
                }
            }
            return null;
        }

        int number(String name) {
            String value = environment.get(name);
            try {
                int number = Integer.parseInt(value.strip());
                if (number >= 0) {
                    use(name);
                    return number;
                }
            } catch (NumberFormatException e) {
                throw bad(name, value, e);
            }
            throw bad(name, value, null);
        }

        int numberOr(String... names) {
            for (String name : names) {
                if (have(name)) {
                    return number(name);
                }
            }
            return ProcessPlacement.UNKNOWN;
        }

        ProcessPlacement placement(String rank, String size, int localRank, int localSize, String job, String coordinator) {
            int process = number(rank);
            int processes = number(size);
            if (process >= processes) {
                throw new UsageException(kind.title + " gives " + rank + "=" + process + " of " + size + "=" + processes
                        + " (expected: less); pgas.join=none starts this JVM as a job of its own");
            }
            return new ProcessPlacement(kind, process, processes, localRank, localSize, job, coordinator, List.copyOf(used));
        }

        private void use(String name) {
            String text = name + "=" + environment.get(name);
            if (!used.contains(text)) {
                used.add(text);
            }
        }

        private UsageException bad(String name, String value, Exception cause) {
            return new UsageException(kind.title + " gives " + name + "=" + value + " (expected: a number >= 0);"
                    + " pgas.join=none starts this JVM as a job of its own", cause);
        }
    }
}
