package org.pgas4j.launch;

import java.io.OutputStream;

/** Destination of the output of a node's JVMs. */
interface JvmOutput {

    /** True if the JVMs write to the output of this process directly. */
    boolean inherited();

    /** Stream for whole lines of a JVM's standard output, or of its standard error. Thread-safe. */
    OutputStream of(int process, boolean error);
}
