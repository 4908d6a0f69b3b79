package org.pgas4j.array;

import java.lang.foreign.MemorySegment;

/** Arithmetic by the calling thread. */
record HostArithmetic(GlobalArray array) implements Arithmetic {

    private static MemorySegment memory(GlobalArray of) {
        return of.local().buffer().segment();
    }

    @Override
    public void fill(Number value) {
        RowMath math = RowMath.of(array.type());
        MemorySegment c = memory(array);
        array.local().forEachRow((at, length) -> math.fill(c, at, length, value));
    }

    @Override
    public void scale(Number factor) {
        RowMath math = RowMath.of(array.type());
        MemorySegment c = memory(array);
        array.local().forEachRow((at, length) -> math.scale(c, at, length, factor));
    }

    @Override
    public void add(Number alpha, GlobalArray a, Number beta, GlobalArray b) {
        RowMath math = RowMath.of(array.type());
        MemorySegment c = memory(array);
        MemorySegment x = memory(a);
        MemorySegment y = memory(b);
        array.local().forEachRow((at, length) -> math.add(c, x, y, at, length, alpha, beta));
    }

    @Override
    public RowMath.Sum products(GlobalArray other) {
        RowMath math = RowMath.of(array.type());
        MemorySegment x = memory(array);
        MemorySegment y = memory(other);
        RowMath.Sum sum = new RowMath.Sum();
        array.local().forEachRow((at, length) -> math.dot(x, y, at, length, sum));
        return sum;
    }
}
