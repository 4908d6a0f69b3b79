/** The ucx conduit without what is above it, for comparison with UCX's own ucx_perftest. */
package org.pgas4j.bench.ucx;
