/** The command that translates and compiles a program's kernels without running it. One thread. */
package org.pgas4j.launch.kernels;
