/** Checks of the machine a job shall run on, a verdict a line, each with the one thing to do; any thread. */
package org.pgas4j.launch.doctor;
