/**
 * Timeline of this JVM's threads: each writes events into a ring of its own. Off unless a run asks for it; then every method may
 * be called by any thread.
 */
package org.pgas4j.os.trace;
