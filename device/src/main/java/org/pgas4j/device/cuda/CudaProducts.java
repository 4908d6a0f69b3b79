package org.pgas4j.device.cuda;

import jcuda.driver.CUgraphExec;
import jcuda.driver.CUstream;
import org.pgas4j.Buffer;
import org.pgas4j.DeviceMemory;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;
import org.pgas4j.device.StreamOperation.Product;

/** Matrix products of one stream, by cuBLAS: small ones that are repeated as graphs. For the stream's thread. */
final class CudaProducts implements AutoCloseable {

    private final CudaAccelerator device;
    private final CUstream stream;
    private final Cublas blas;
    private final RepeatedProducts repeated = new RepeatedProducts(CudaDriver::destroyGraph);
    private DeviceMemory workspace; // of graphs
    private boolean hasGraphs;

    /**
     * Products of a stream; the device's context is current.
     *
     * @param hasGraphs whether repeated products may be graphs: not where the stream itself is captured
     */
    CudaProducts(CudaAccelerator device, CUstream stream, boolean hasGraphs) {
        this.device = device;
        this.stream = stream;
        this.hasGraphs = hasGraphs;
        this.blas = device.residents().without(() -> Cublas.open(NativeAddress.get(stream), device.toString()));
    }

    /** Queues a product; m and n are not 0. False, and nothing is queued, if it is one of bytes that cuBLAS does not take. */
    boolean multiply(Product product) {
        Gemm gemm = product.gemm();
        long a = address(product.a());
        long b = address(product.b());
        long c = address(product.c());
        ElementType type = product.c().type();
        CUgraphExec graph = hasGraphs && gemm.precision() != Gemm.Precision.INT8
                ? repeated.graph(gemm, a, b, c, type, () -> captured(gemm, a, b, c, type)) : null;
        if (graph == null) {
            return blas.gemm(gemm, a, b, type, c);
        }
        CudaDriver.launch(graph, stream);
        return true;
    }

    private static long address(Buffer buffer) {
        return buffer.deviceMemory().address() + buffer.deviceOffset();
    }

    /** A graph of one product, or null if the device has no room for the workspace of graphs; nothing is queued. */
    private CUgraphExec captured(Gemm gemm, long a, long b, long c, ElementType type) {
        return device.residents().without(() -> {
            if (workspace == null) {
                if (CudaDriver.freeBytes() < Cublas.WORKSPACE_BYTES) {
                    hasGraphs = false; // the program needs the memory: the library makes its calls for each product
                    return null;
                }
                workspace = device.allocate(Cublas.WORKSPACE_BYTES, false);
            }
            blas.workspace(workspace.address());
            try {
                return CudaDriver.instantiate(CudaDriver.captured(stream, () -> blas.gemm(gemm, a, b, type, c)));
            } finally {
                blas.ownWorkspace();
            }
        });
    }

    /** Frees all; the stream's work is done, and the device's context is current. */
    @Override
    public void close() {
        repeated.close();
        device.residents().without(blas::close);
        if (workspace != null) {
            workspace.close();
        }
    }
}
