package org.pgas4j.array;

import org.pgas4j.MemoryKind;

/** Operations on this rank's elements of arrays that are alike. Complete at return. */
sealed interface Arithmetic permits HostArithmetic, DeviceArithmetic {

    /** That of the array's memory. */
    static Arithmetic of(GlobalArray array) {
        return array.kind() == MemoryKind.HOST ? new HostArithmetic(array) : new DeviceArithmetic(array);
    }

    /** Sets the elements. */
    void fill(Number value);

    /** Multiplies the elements. */
    void scale(Number factor);

    /** Sets the elements to {@code alpha * a + beta * b}. */
    void add(Number alpha, GlobalArray a, Number beta, GlobalArray b);

    /** Sum of the products of this rank's elements with those of {@code other}. */
    RowMath.Sum products(GlobalArray other);
}
