/** Other libraries for GPUs, measured by programs of their own. */
package org.pgas4j.bench.peer;
