package org.pgas4j.examples.reduction;

/** CUDA C++ that both ways have in common. */
final class Kernels {

    private Kernels() {
    }

    /** {@code block_sum}: a block's sum of values first..last-1, the same in all its threads. */
    static final String BLOCK_SUM = """
            struct sums { long long whole; double half; };

            __device__ sums block_sum(const long long *values, long long first, long long last) {
                __shared__ sums part[1024];
                sums mine = {0, 0};
                for (long long i = first + threadIdx.x; i < last; i += blockDim.x) {
                    mine.whole += values[i];
                    mine.half += 0.5 * values[i];
                }
                part[threadIdx.x] = mine;
                __syncthreads();
                for (int n = blockDim.x; n > 1; n = (n + 1) / 2) {
                    const int upper = (n + 1) / 2 + threadIdx.x;
                    if (upper < n) {
                        part[threadIdx.x].whole += part[upper].whole;
                        part[threadIdx.x].half += part[upper].half;
                    }
                    __syncthreads();
                }
                return part[0];
            }
            """;
}
