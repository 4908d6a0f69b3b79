/**
 * Services of Linux that the JDK does not offer: libc calls, shared memory, TCP options, failpoints, closing of many
 * resources. Any thread.
 */
package org.pgas4j.os;
