/** Collective operations on values and arrays. Each rank calls from its own thread. */
package org.pgas4j.collective;
