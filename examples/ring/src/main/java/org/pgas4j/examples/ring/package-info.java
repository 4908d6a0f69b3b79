/**
 * A token that goes round, everyone adding one: blocks with notified puts, streams, hosts.
 * {@link org.pgas4j.examples.ring.BlockRing} and {@link org.pgas4j.examples.ring.HostRing} are the parts to copy.
 */
package org.pgas4j.examples.ring;
