/**
 * The Himeno benchmark, Jacobi's method for a pressure equation, over the blocks of all devices and, beside it, driven by the
 * host. {@link org.pgas4j.examples.himeno.BlockSolver} is the part to copy.
 */
package org.pgas4j.examples.himeno;
