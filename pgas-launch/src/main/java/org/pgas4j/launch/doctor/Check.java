package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.util.List;

/**
 * Check of one thing of the machine. Reading and judging are separate: the judgement is a static method
 * of values, so that it can be tested on the values of other machines.
 */
interface Check {

    /** Subject of the check, for the line of one that failed to run. */
    String name();

    /** Runs the check. */
    List<Verdict> run() throws IOException, InterruptedException;
}
