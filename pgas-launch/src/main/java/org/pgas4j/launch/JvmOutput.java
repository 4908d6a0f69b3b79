package org.pgas4j.launch;

import java.io.OutputStream;

/** Where the output of a node's JVMs goes. */
interface JvmOutput {

    /** True if the JVMs shall write where this process writes, without us in between. */
    boolean inherited();

    /** Takes whole lines of a JVM's standard output, or of its standard error. Thread-safe. */
    OutputStream of(int process, boolean error);
}
