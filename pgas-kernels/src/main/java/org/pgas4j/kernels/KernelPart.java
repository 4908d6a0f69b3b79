package org.pgas4j.kernels;

/**
 * A function of two values that a kernel of others calls, as C++ in three places of that kernel; what the function stands on is
 * {@link TranslatedKernel#cuda()}. Its arguments are the address of a fault's record and the captured values.
 *
 * @param parameters of the kernel, each with a comma before it
 * @param opening    statements at the start of the kernel
 * @param call       of the function, with {@code a} and {@code b}
 */
public record KernelPart(String parameters, String opening, String call) {
}
