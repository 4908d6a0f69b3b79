/**
 * The product of two square matrices, C = A * B: B and C split by columns over the ranks, A on every rank, all in
 * device memory, each rank's columns of C put to rank 0. {@link org.pgas4j.examples.matmul.MatmulProgram} is the part
 * to copy.
 */
package org.pgas4j.examples.matmul;
