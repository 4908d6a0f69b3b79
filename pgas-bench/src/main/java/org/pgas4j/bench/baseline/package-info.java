/**
 * Block programs of the examples, written by hand in CUDA C++, with which the studies compare the examples' own in Java. They need
 * a GPU. May be used by several ranks' threads.
 */
package org.pgas4j.bench.baseline;
