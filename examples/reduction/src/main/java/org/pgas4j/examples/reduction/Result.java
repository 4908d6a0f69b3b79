package org.pgas4j.examples.reduction;

/**
 * What came out on one rank.
 *
 * @param ns       each measured sum, from a barrier until rank 0's host has it
 * @param cpuNs    processor time of this rank's thread in all measured sums
 * @param sum      of the last run, on rank 0
 * @param expected what each sum should be
 * @param checked  every sum was exact; the same on all ranks
 */
public record Result(long[] ns, long cpuNs, Sums sum, Sums expected, boolean checked) {
}
