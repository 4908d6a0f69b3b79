/** Starts processes for tests. */
package org.pgas4j.testkit.harness;
