/**
 * The API of a program: ranks, shared pointers and arrays, allocation, transfer, collectives, devices, streams,
 * kernels and errors. A {@link org.pgas4j.Rank} and everything obtained from it belong to the thread the runtime
 * called the program on; nothing here needs a runtime to be loaded until {@link org.pgas4j.Pgas#run} is called.
 */
package org.pgas4j;
