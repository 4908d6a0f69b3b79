/**
 * The UCX conduit: segments are registered with UCP, operations are UCP's puts, gets and atomics. Only {@link
 * org.pgas4j.fastpath.conduit.ucx.Ucp} calls the library.
 */
package org.pgas4j.fastpath.conduit.ucx;
