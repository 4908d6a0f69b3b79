package org.pgas4j.device.cuda;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import jcuda.driver.CUgraphExec;
import org.pgas4j.ElementType;
import org.pgas4j.Gemm;

/**
 * Small products that a program repeats with the same operands in the same memory, as graphs. The library makes several calls of
 * the driver for a product, which take longer than the product itself; a graph of it is launched by one. The first time a product
 * is only written down, the second time it is captured. For the stream's thread.
 *
 * <p>No room for a product is made before one has not been used for a while, so that a program of many products does not capture
 * them again and again.
 */
final class RepeatedProducts {

    /** Multiplications of a product that takes the device longer than the calls take. */
    private static final long MAX_WORK = 1L << 28;
    static final int MAX_KEPT = 16;
    static final int UNUSED_FOR = 1024;

    /** Captures a product; null if that is not possible. */
    @FunctionalInterface
    interface Capture {
        CUgraphExec capture();
    }

    private static final class Product {
        private final Gemm gemm;
        private final long a;
        private final long b;
        private final long c;
        private final ElementType type;
        private CUgraphExec graph;
        private long lastUse;

        private Product(Gemm gemm, long a, long b, long c, ElementType type, long now) {
            this.gemm = gemm;
            this.a = a;
            this.b = b;
            this.c = c;
            this.type = type;
            this.lastUse = now;
        }

        private boolean is(Gemm other, long otherA, long otherB, long otherC, ElementType otherType) {
            return c == otherC && a == otherA && b == otherB && type == otherType && gemm.equals(other);
        }
    }

    private final List<Product> products = new ArrayList<>(MAX_KEPT);
    private final Consumer<CUgraphExec> destroy;
    private long uses;

    /** @param destroy graphs that are not used any more */
    RepeatedProducts(Consumer<CUgraphExec> destroy) {
        this.destroy = destroy;
    }

    /**
     * The graph of a product, or null if it is large, new, or there is no room.
     *
     * @param type    of the result
     * @param capture is called the second time
     */
    CUgraphExec graph(Gemm gemm, long a, long b, long c, ElementType type, Capture capture) {
        if (!isSmall(gemm)) {
            return null;
        }
        uses++;
        for (Product product : products) {
            if (product.is(gemm, a, b, c, type)) {
                product.lastUse = uses;
                if (product.graph == null) {
                    product.graph = capture.capture();
                }
                return product.graph;
            }
        }
        if (products.size() < MAX_KEPT || forgetOldest()) {
            products.add(new Product(gemm, a, b, c, type, uses));
        }
        return null;
    }

    private static boolean isSmall(Gemm gemm) {
        long most = Math.max(gemm.m(), Math.max(gemm.n(), gemm.k()));
        return most <= MAX_WORK && gemm.m() * gemm.n() <= MAX_WORK && gemm.m() * gemm.n() * gemm.k() <= MAX_WORK;
    }

    private boolean forgetOldest() {
        Product oldest = products.stream().min(Comparator.comparingLong(product -> product.lastUse)).orElseThrow();
        if (uses - oldest.lastUse < UNUSED_FOR) {
            return false;
        }
        products.remove(oldest);
        destroy(oldest);
        return true;
    }

    private void destroy(Product product) {
        if (product.graph != null) {
            destroy.accept(product.graph);
        }
    }

    /** Destroys all graphs; the device's context is current. */
    void close() {
        products.forEach(this::destroy);
        products.clear();
    }
}
