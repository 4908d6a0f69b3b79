package org.pgas4j.launch.doctor;

import java.io.IOException;
import java.util.List;

/**
 * Looks at one thing of the machine. What is read and what is thought of it are apart: the second is a static method
 * of values, so that it can be tested on what other machines have.
 */
interface Check {

    /** What is looked at, for the line that says that it could not be done. */
    String name();

    /** Looks. */
    List<Verdict> run() throws IOException, InterruptedException;
}
