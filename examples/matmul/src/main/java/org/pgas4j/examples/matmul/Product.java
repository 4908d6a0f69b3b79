package org.pgas4j.examples.matmul;

import java.lang.foreign.MemorySegment;
import org.pgas4j.Buffer;
import org.pgas4j.ElementType;
import org.pgas4j.Rank;
import org.pgas4j.SharedArray;

/** C, wherever its elements are. */
interface Product {

    /** All bits set is NaN in float and double. */
    int ALL_NAN = 0xff;

    /** Type of its elements. */
    ElementType type();

    /** Makes all elements NaN, each rank its own. */
    void forget();

    /** Reads all elements, column-major, for rank 0. */
    void read(MemorySegment dst);

    /** An array on rank 0's device. */
    static Product onRank0(Rank rank, SharedArray c) {
        return new Product() {

            @Override
            public ElementType type() {
                return c.type();
            }

            @Override
            public void forget() {
                if (rank.rank() == 0) {
                    rank.stream().fill(c.local(), ALL_NAN);
                    rank.stream().sync();
                }
            }

            @Override
            public void read(MemorySegment dst) {
                rank.stream().copy(Buffer.ofHost(dst, type()), c.local());
                rank.stream().sync();
            }
        };
    }
}
