/**
 * Conduits: what carries bytes between the host segments of ranks. A conduit belongs to a JVM and is thread-safe; an
 * endpoint may be used by every rank thread of the JVM.
 */
package org.pgas4j.fastpath.conduit;

import org.pgas4j.fastpath.Conduits;

