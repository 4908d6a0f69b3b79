/**
 * A sum over a vector that is spread over the blocks of all devices: dCUDA's first example.
 * {@link org.pgas4j.examples.reduction.BlockReduction} is the part to copy.
 */
package org.pgas4j.examples.reduction;
