/**
 * The launcher {@code pgasrun}: starts the JVMs of a job, which run a share of its ranks each, and watches them to
 * their end.
 */
package org.pgas4j.launch;
