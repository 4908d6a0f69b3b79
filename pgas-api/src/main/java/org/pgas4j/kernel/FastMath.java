package org.pgas4j.kernel;

/**
 * Marks a kernel whose floating point a GPU may compute faster than Java defines it: {@code c.forAll((IndexKernel & FastMath) i
 * -> ...)}. Products and sums are then contracted to fused multiply-adds, which round once. For {@code float} alone, small
 * numbers become zero, division and square roots are off by up to two units in the last place, and {@code sin}, {@code exp},
 * {@code pow} and their kin lose some bits more. Integers, and all of it on the host device, stay as Java has them. It is
 * NVRTC's {@code --use_fast_math}.
 */
public interface FastMath {
}
