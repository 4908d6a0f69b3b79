package org.pgas4j.kernels;

/**
 * A place in a Java program.
 *
 * @param what what is there, for faults: the class of an exception that the program throws, or null
 */
record KernelSite(String method, String file, int line, String what) {

    @Override
    public String toString() {
        return method + "(" + file + ":" + line + ")";
    }
}
