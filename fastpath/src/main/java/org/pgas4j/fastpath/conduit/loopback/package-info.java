/** The loopback conduit: one JVM, byte by byte; the reference semantics and the template for a new conduit. */
package org.pgas4j.fastpath.conduit.loopback;
