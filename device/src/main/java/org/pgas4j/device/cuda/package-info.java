/**
 * The CUDA backend: memory, streams and events of the driver API through JCuda, kernels compiled by NVRTC, matrix
 * products of cuBLAS. {@link org.pgas4j.device.cuda.CudaDriver} is the only class that calls the driver.
 */
package org.pgas4j.device.cuda;
