/** Shared memory of the host and the few libc calls it takes; any thread. */
package org.pgas4j.device.memory;
