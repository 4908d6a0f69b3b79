/** How a JVM that pgasrun did not start finds the job it is part of: under mpirun, srun, torchrun, Kubernetes or by hand. */
package org.pgas4j.launch.join;
