/** Finds the job of a JVM that pgasrun did not start: under mpirun, srun, torchrun, Kubernetes or by hand. */
package org.pgas4j.launch.join;
