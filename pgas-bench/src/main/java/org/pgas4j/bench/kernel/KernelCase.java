package org.pgas4j.bench.kernel;

import java.util.function.Supplier;
import org.pgas4j.Buffer;
import org.pgas4j.CudaCode;
import org.pgas4j.Kernel;
import org.pgas4j.kernel.ThreadKernel;

/**
 * A computation in three forms, which give the same bits.
 *
 * @param name      of the computation
 * @param n         size of the problem: elements, points, rows or the order of a matrix
 * @param shape     of the Java kernel
 * @param java      kernel written in Java
 * @param cudaShape of the CUDA kernel
 * @param cuda      kernel written in CUDA C++
 * @param arguments of the CUDA kernel
 * @param output    memory that both write; they expect zeros there
 * @param plain     does the same on the host, without kernels, and returns the output as an array
 */
public record KernelCase(String name, long n, Kernel.Shape shape, ThreadKernel java, Kernel.Shape cudaShape, Kernel cuda,
        Object[] arguments, Buffer output, Supplier<Object> plain) {

    /** A kernel of CUDA C++ whose floating point is that of Java: no products and sums in one operation. */
    static Kernel cuda(String name, String source) {
        return new Kernel(name, null, CudaCode.source(source).withOptions("--fmad=false"));
    }
}
