/** Services of Linux that the JDK does not offer: libc calls, shared memory, TCP options, failpoints; and closing many things. Any thread. */
package org.pgas4j.os;
