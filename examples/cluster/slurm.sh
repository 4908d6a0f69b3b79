#!/bin/bash
#SBATCH --job-name=pgas
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --time=00:10:00
# One JVM for each task; srun tells each which one it is. The home directory must be common to the nodes: process 0 says
# there how to reach it. Submit with: sbatch slurm.sh my.jar:lib/* org.example.Main [arguments]
set -euo pipefail

class_path=${1:?class path}
main=${2:?main class}
shift 2

# Ranks of each JVM; the job has ntasks times as many.
export PGAS_THREADS=${PGAS_THREADS:-1}
# A job that starts on many nodes may take longer than a minute to be complete.
export PGAS_JOIN_TIMEOUT=${PGAS_JOIN_TIMEOUT:-5m}

# With --kill-on-bad-exit Slurm ends what is left of a job that has failed; each JVM ends itself anyway.
exec srun --kill-on-bad-exit=1 java \
    --enable-native-access=ALL-UNNAMED \
    -XX:+ExitOnOutOfMemoryError -cp "$class_path" "$main" "$@"
