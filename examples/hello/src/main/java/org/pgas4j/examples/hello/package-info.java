/** The smallest program: shared memory on each rank, a put, a barrier. */
package org.pgas4j.examples.hello;
