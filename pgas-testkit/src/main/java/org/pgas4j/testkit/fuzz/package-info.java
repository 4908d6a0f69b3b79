/**
 * Random Java methods, and a command that compares what they give on a rank's device with what they give in plain Java. A generated
 * class may be shared; everything else is for one thread.
 */
package org.pgas4j.testkit.fuzz;
