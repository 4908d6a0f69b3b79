/** Locks and semaphores of one rank, in the host memory of the ranks. Each rank calls from its own thread. */
package org.pgas4j.space.lock;
