/**
 * Kernels written in Java. A kernel is a lambda expression or a static method; on the host device it runs as it is, for a GPU its
 * class file is translated to CUDA C++ when it is first launched.
 */
package org.pgas4j.kernel;
