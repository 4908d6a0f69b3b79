package org.pgas4j.kernels;

/**
 * A kernel that a class has.
 *
 * @param origin  class and method, as {@code Program.main}
 * @param file    Java source file
 * @param line    of the kernel's first statement; 0 if the class file has no lines
 * @param isFast  true if floating point need not be Java's
 * @param name    of the function that would be launched; null if it is refused
 * @param cuda    its source; null if it is refused
 * @param refusal message of the refusal; null if there is none
 */
public record ScannedKernel(String origin, String file, int line, KernelForm form, boolean isFast, String name, String cuda,
                            String refusal) {
}
