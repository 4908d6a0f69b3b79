/**
 * Three of the NAS Parallel Benchmarks (NASA Ames RNR-94-007, and the verification values of NPB 3.4), written from the
 * specification for ranks with global arrays. {@link org.pgas4j.examples.npb.HostCg} and {@link org.pgas4j.examples.npb.KeySort}
 * are the parts to copy.
 */
package org.pgas4j.examples.npb;
