package org.pgas4j.device.host;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.Kernel;
import org.pgas4j.MemoryKind;
import org.pgas4j.RecordLayout;
import org.pgas4j.device.KernelValues;

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
            case Buffer pinned when pinned.isDeviceAccessible() -> values[index] = pinned.segment();
            case Integer _, Long _, Float _, Double _, Byte _, Short _, Boolean _, Character _, MemorySegment _ ->
                values[index] = arg;
            case null, default -> throw KernelValues.refused(kernel.name(), index, arg);
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

    @Override
    public byte byteAt(int index) {
        return get(index, Byte.class);
    }

    @Override
    public short shortAt(int index) {
        return get(index, Short.class);
    }

    @Override
    public boolean booleanAt(int index) {
        return get(index, Boolean.class);
    }

    @Override
    public char charAt(int index) {
        return get(index, Character.class);
    }

    @Override
    public <R extends Record> R recordAt(int index, Class<R> type) {
        RecordLayout<R> layout = RecordLayout.of(type);
        MemorySegment struct = get(index, MemorySegment.class);
        if (struct.byteSize() != layout.bytes()) {
            throw new IllegalArgumentException("kernel " + kernel.name() + ": argument " + index + " is a struct of "
                    + struct.byteSize() + " bytes, the kernel's body requests " + layout);
        }
        return layout.get(struct, 0);
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
