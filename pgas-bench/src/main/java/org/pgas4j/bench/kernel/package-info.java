/** Kernels of the study {@code kernels}, each in Java, in CUDA C++ as one writes it by hand, and as a plain loop. */
package org.pgas4j.bench.kernel;
