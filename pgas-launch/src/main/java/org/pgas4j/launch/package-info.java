/** The launcher {@code pgasrun} and what it starts: JVMs that run a share of the job's ranks, watched to their end. */
package org.pgas4j.launch;
