package org.pgas4j.array;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;
import org.pgas4j.Stream;

/** Arithmetic by kernels on the rank's stream. */
record DeviceArithmetic(GlobalArray array) implements Arithmetic {

    private static final int MAX_BLOCKS = 1024;

    private void launch(ArrayKernels.Operation operation, Number alpha, GlobalArray a, Number beta, GlobalArray b) {
        LocalPart local = array.local();
        RowMath math = RowMath.of(array.type());
        if (local.count() == 0) {
            return;
        }
        Object[] args = ArrayKernels.args(elements(array), elements(a), elements(b), math.scalar(alpha), math.scalar(beta),
                local);
        array.owner().stream().launch(ArrayKernels.of(operation, array.type()), shape(local), args);
        array.owner().stream().sync();
    }

    private static Kernel.Shape shape(LocalPart local) {
        return new Kernel.Shape((int) Math.min(MAX_BLOCKS, Math.ceilDiv(local.count(), (long) ArrayKernels.THREADS)),
                ArrayKernels.THREADS);
    }

    /** A rank's memory from its first element on. */
    private static Buffer elements(GlobalArray of) {
        LocalPart local = of.local();
        return local.buffer().slice(local.offset(), local.buffer().length() - local.offset());
    }

    @Override
    public void fill(Number value) {
        launch(ArrayKernels.Operation.FILL, value, array, 0, array);
    }

    @Override
    public void scale(Number factor) {
        launch(ArrayKernels.Operation.SCALE, factor, array, 0, array);
    }

    @Override
    public void add(Number alpha, GlobalArray a, Number beta, GlobalArray b) {
        launch(ArrayKernels.Operation.ADD, alpha, a, beta, b);
    }

    @Override
    public RowMath.Sum products(GlobalArray other) {
        LocalPart local = array.local();
        RowMath math = RowMath.of(array.type());
        RowMath.Sum sum = new RowMath.Sum();
        if (local.count() > 0) {
            Kernel.Shape shape = shape(local);
            ElementType wide = math.isIntegral() ? ElementType.LONG : ElementType.DOUBLE;
            Stream stream = array.owner().stream();
            try (Arena arena = Arena.ofShared(); Buffer sums = array.owner().device().alloc(wide, shape.blocks())) {
                stream.launch(ArrayKernels.of(ArrayKernels.Operation.DOT, array.type()), shape,
                        ArrayKernels.args(sums, elements(array), elements(other), math.scalar(0), math.scalar(0), local));
                MemorySegment host = arena.allocate(wide.bytes(shape.blocks()), Long.BYTES);
                stream.copy(Buffer.ofHost(host, wide), sums);
                stream.sync();
                for (int block = 0; block < shape.blocks(); block++) {
                    sum.integral += host.getAtIndex(ElementType.LAYOUT_LONG, block);
                    sum.real += host.getAtIndex(ElementType.LAYOUT_DOUBLE, block);
                }
            }
        }
        return sum;
    }
}
