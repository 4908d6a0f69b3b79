/** The allocators of shared heaps. Their data lives in the JVM's own memory for host and device segments alike. */
package org.pgas4j.space.heap;
