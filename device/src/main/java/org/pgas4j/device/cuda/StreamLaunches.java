package org.pgas4j.device.cuda;

import jcuda.Pointer;
import jcuda.driver.CUstream;
import org.pgas4j.DeviceException;
import org.pgas4j.Kernel;
import org.pgas4j.device.BlockGrid;
import org.pgas4j.device.StreamOperation.Launch;

/**
 * Launches of kernels on one stream, with the memory of their arguments and descriptions, which the driver reads at the call. One
 * thread at a time, with the device's context current.
 */
final class StreamLaunches implements AutoCloseable {

    private final CudaAccelerator device;
    private final CUstream stream;
    private KernelParameters parameters;
    private ExtendedLaunch extended;
    private Kernel lastKernel;
    private CudaKernels.Function lastFunction;
    private CudaKernels.Function copyFunction;

    StreamLaunches(CudaAccelerator device, CUstream stream) {
        this.device = device;
        this.stream = stream;
    }

    private KernelParameters parameters() {
        if (parameters == null) {
            parameters = new KernelParameters();
        }
        return parameters;
    }

    private ExtendedLaunch extended() {
        if (extended == null) {
            extended = new ExtendedLaunch();
        }
        return extended;
    }

    private CudaKernels.Function function(Kernel kernel) {
        return device.kernels().function(kernel, device.toString());
    }

    void launch(Launch launch) {
        Kernel kernel = launch.kernel();
        if (kernel != lastKernel) {
            lastFunction = function(kernel);
            lastKernel = kernel;
        }
        Kernel.Shape shape = launch.shape();
        Pointer packed = parameters().pack(kernel.name(), lastFunction.parameterBytes(), launch.args());
        lastFunction.allowShared(shape.sharedBytes());
        if (shape.cluster() == null && !launch.early()) {
            CudaDriver.launch(lastFunction.handle(), kernel.name(), shape, stream, packed);
            return;
        }
        if (shape.cluster() != null) {
            lastFunction.allowCluster(shape.cluster().count());
        }
        extended().launch(lastFunction.handle(), kernel.name(), shape, launch.early(), stream, packed);
    }

    /** Launches, before the kernel before it has ended, one that waits for that by itself and takes five arguments or fewer. */
    void launchEarly(CudaKernels.Function function, String name, Kernel.Shape shape, long first, long second, long third,
                     long fourth, long fifth) {
        extended().launch(function.handle(), name, shape, true, stream, parameters().pack(first, second, third, fourth, fifth));
    }

    /** Copies between devices by a kernel. */
    void copy(long dst, long src, long bytes) {
        if (copyFunction == null) {
            copyFunction = function(CopyKernel.KERNEL);
        }
        CudaDriver.launch(copyFunction.handle(), CopyKernel.KERNEL.name(), CopyKernel.blocks(bytes), CopyKernel.THREADS, stream,
                parameters().pack(dst, src, bytes, 0, 0));
    }

    /** Launches a grid whose blocks are resident together. */
    void launch(BlockGrid grid) {
        Kernel kernel = grid.kernel();
        CudaKernels.Function function = function(kernel);
        int resident = device.residentBlocks(kernel, grid.threads(), grid.sharedBytes());
        if (grid.blocks() > resident) {
            throw new DeviceException("kernel " + kernel.name() + ": " + grid.blocks() + " blocks of " + grid.threads()
                    + " threads and " + grid.sharedBytes() + " bytes of shared memory cannot be resident at once on "
                    + device + ", which holds " + resident + " (" + device.multiprocessors()
                    + " multiprocessors); use fewer blocks, threads or bytes");
        }
        Object[] all = new Object[grid.args().length + 1];
        all[0] = grid.world();
        System.arraycopy(grid.args(), 0, all, 1, grid.args().length);
        Pointer packed = parameters().pack(kernel.name(), function.parameterBytes(), all);
        device.residents().without(() -> CudaDriver.launchCooperative(function.handle(), kernel.name(), grid.blocks(),
                grid.threads(), grid.sharedBytes(), stream, packed)); // it may need the room of a resident block
    }

    @Override
    public void close() {
        if (parameters != null) {
            parameters.close();
        }
        if (extended != null) {
            extended.close();
        }
    }
}
