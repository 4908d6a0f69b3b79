/**
 * Four of the Parallel Research Kernels (Van der Wijngaart and Mattson, HPEC 2014), each a whole program whose result follows
 * from a formula. {@link org.pgas4j.examples.prk.SynchP2p} is the shortest program with notifications.
 */
package org.pgas4j.examples.prk;
