/**
 * Conduits, which carry bytes between the host segments of ranks. A conduit belongs to a JVM and is thread-safe. An
 * endpoint belongs to one rank: calls come from its thread or, one at a time, from a thread that works on its behalf.
 */
package org.pgas4j.fastpath.conduit;

import org.pgas4j.fastpath.Conduits;
