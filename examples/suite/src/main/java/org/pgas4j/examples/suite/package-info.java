/** Runs the examples with known answers on several numbers of ranks and JVMs, and compares. {@code scripts/suite} is this. */
package org.pgas4j.examples.suite;
