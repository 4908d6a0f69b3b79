/** Checks of the machine that a job is to run on: a verdict a line, each with one remedy. Any thread. */
package org.pgas4j.launch.doctor;
