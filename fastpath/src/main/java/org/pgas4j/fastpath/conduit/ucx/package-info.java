/**
 * The UCX conduit: segments are registered with UCP, operations are UCP's puts, gets and atomics. {@link
 * org.pgas4j.fastpath.conduit.ucx.Ucp} is the one door to the library.
 */
package org.pgas4j.fastpath.conduit.ucx;
