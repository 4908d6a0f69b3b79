package org.pgas4j.examples.matvec;

/** One of the two ways to get all batches multiplied. */
interface Service extends AutoCloseable {

    /** Multiplies with one row of A in each lane of a warp. */
    String CUDA = """
            // a is A by columns: lane i takes row i.
            __device__ void matvec_row(const float *a, float (&row)[32]) {
                #pragma unroll
                for (int k = 0; k < 32; k++) {
                    row[k] = a[32 * k + threadIdx.x % 32];
                }
            }

            // y = A x for count vectors, a warp for each.
            __device__ void matvec_products(const float (&row)[32], const float *x, float *y, int count) {
                const int lane = threadIdx.x % 32;
                for (long long v = threadIdx.x / 32; v < count; v += blockDim.x / 32) {
                    const float element = x[32 * v + lane];
                    float sum = 0;
                    #pragma unroll
                    for (int k = 0; k < 32; k++) {
                        sum += row[k] * __shfl_sync(0xffffffffu, element, k);
                    }
                    y[32 * v + lane] = sum;
                }
            }
            """;

    /** All batches; returns when this rank's part is done. Collective. */
    void run();

    /** Collective. */
    @Override
    void close();
}
