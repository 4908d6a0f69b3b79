package org.pgas4j.examples.stencil;

/**
 * What came out on one rank.
 *
 * @param ns       each measured run of all steps, from a barrier on; a launch and its end included
 * @param cpuNs    processor time of this rank's thread in all measured runs
 * @param maxError largest difference from the CPU after the checked steps, of all ranks
 * @param checksum of every bit of the field after the last run, of all ranks; does not depend on how it was computed
 * @param checked  there was no difference from the CPU
 */
public record Result(long[] ns, long cpuNs, double maxError, long checksum, boolean checked) {
}
