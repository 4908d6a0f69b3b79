package org.pgas4j.device.host;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;

/**
 * Arguments of a launch for a Java body: buffers as segments, in whose bounds every access of the body is checked.
 * Retains the memory of the buffers until {@link #release}.
 */
final class KernelArgs implements Kernel.Args {

    private final Kernel kernel;
    private final Object[] values;
    private final HostDeviceMemory[] held;

    private KernelArgs(Kernel kernel, int count) {
        this.kernel = kernel;
        values = new Object[count];
        held = new HostDeviceMemory[count];
    }

    /**
     * Takes the arguments of a launch.
     *
     * @param implicit number of arguments of the kernel that the Java body does not receive
     * @throws IllegalArgumentException if an argument is of a type that kernels do not take, or if they are not as many
     *         as the kernel's CUDA source declares
     */
    static KernelArgs of(Kernel kernel, int implicit, Object[] args) {
        int declared = DeclaredParameters.count(kernel);
        if (declared != DeclaredParameters.UNKNOWN && declared - implicit != args.length) {
            throw new IllegalArgumentException("kernel " + kernel.name() + ": " + args.length
                    + " arguments given, its CUDA source declares " + (declared - implicit));
        }
        KernelArgs result = new KernelArgs(kernel, args.length);
        boolean success = false;
        try {
            for (int i = 0; i < args.length; i++) {
                result.set(i, args[i]);
            }
            success = true;
            return result;
        } finally {
            if (!success) {
                result.release();
            }
        }
    }

    private void set(int index, Object arg) {
        switch (arg) {
            case Buffer block when block.kind() == MemoryKind.DEVICE -> {
                held[index] = HostDeviceMemory.retain(block.deviceMemory());
                values[index] = HostDeviceMemory.segmentOf(block.deviceMemory())
                        .asSlice(block.deviceOffset(), block.bytes());
            }
            case Integer i -> values[index] = i;
            case Long l -> values[index] = l;
            case Float f -> values[index] = f;
            case Double d -> values[index] = d;
            case null, default -> throw new IllegalArgumentException("kernel " + kernel.name() + ": argument " + index
                    + " is " + (arg instanceof Buffer ? arg : arg == null ? "null" : arg.getClass().getName())
                    + " (expected: a Buffer on the device, Integer, Long, Float or Double)");
        }
    }

    void release() {
        for (HostDeviceMemory memory : held) {
            HostDeviceMemory.release(memory);
        }
    }

    @Override
    public MemorySegment segment(int index) {
        return get(index, MemorySegment.class);
    }

    @Override
    public int intAt(int index) {
        return get(index, Integer.class);
    }

    @Override
    public long longAt(int index) {
        return get(index, Long.class);
    }

    @Override
    public float floatAt(int index) {
        return get(index, Float.class);
    }

    @Override
    public double doubleAt(int index) {
        return get(index, Double.class);
    }

    private <T> T get(int index, Class<T> type) {
        if (index < 0 || index >= values.length) {
            throw new IllegalArgumentException("kernel " + kernel.name() + ": its Java body requests argument " + index
                    + " (from 0), " + values.length + " were given");
        }
        Object value = values[index];
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("kernel " + kernel.name() + ": argument " + index + " is "
                    + value.getClass().getSimpleName() + ", the kernel's body requests " + type.getSimpleName());
        }
        return type.cast(value);
    }
}
