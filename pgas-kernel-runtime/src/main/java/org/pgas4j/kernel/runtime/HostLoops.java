package org.pgas4j.kernel.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.pgas4j.ReduceOp;
import org.pgas4j.kernel.DoubleKernel;
import org.pgas4j.kernel.IndexKernel;
import org.pgas4j.kernel.LongKernel;
import org.pgas4j.kernel.ThreadKernel;

/**
 * Loops of the host device around the body of a kernel. The kernels of each place of a program have a class of their own for
 * them, a copy of {@link BodyLoops}: the JIT compiler then sees calls of one body only, and inlines it. Thread-safe.
 */
interface HostLoops {

    /** Runs the iterations of the places {@code from} to {@code to - 1}, in their order. */
    void forAll(IndexKernel body, LoopRange range, long from, long to);

    /** Combines the values of these places, one after the other. */
    double reduce(DoubleKernel body, LoopRange range, long from, long to, ReduceOp op);

    /** As {@link #reduce}. */
    long reduceLongs(LongKernel body, LoopRange range, long from, long to, ReduceOp op);

    /** Runs all threads of a block, one after the other. */
    void block(ThreadKernel body, HostThread self, long block);

    /** The loops for lambdas of a class. */
    static HostLoops of(Class<?> lambda) {
        return Copies.OF.get(lambda);
    }

    /** Copies of {@link BodyLoops} by the class of the lambda. */
    final class Copies {

        private static final byte[] CODE = code();
        private static final ClassValue<HostLoops> OF = new ClassValue<>() {
            @Override
            protected HostLoops computeValue(Class<?> lambda) {
                return copy();
            }
        };

        private Copies() {
        }

        private static byte[] code() {
            try (InputStream in = BodyLoops.class.getResourceAsStream("BodyLoops.class")) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static HostLoops copy() {
            try {
                MethodHandles.Lookup copy = MethodHandles.lookup().defineHiddenClass(CODE, true);
                return (HostLoops) copy.findConstructor(copy.lookupClass(), MethodType.methodType(void.class)).invoke();
            } catch (Throwable e) {
                throw new IllegalStateException("loops of the host device cannot be made: " + e, e);
            }
        }
    }
}
