/** Matrices of the example: read from files, made from a seed, written to a file. Any thread. */
package org.pgas4j.examples.matmul.io;
