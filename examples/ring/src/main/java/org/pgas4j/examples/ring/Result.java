package org.pgas4j.examples.ring;

/**
 * What came out on one rank.
 *
 * @param ns      each measured run, from a barrier until the token is back; a launch and its end included
 * @param cpuNs   processor time of this rank's thread in all measured runs
 * @param hops    of the token in a run, also what the token should show
 * @param shown   by the token after the last run, on rank 0
 * @param checked every token was right, all its bytes; the same on all ranks
 */
public record Result(long[] ns, long cpuNs, long hops, long shown, boolean checked) {
}
