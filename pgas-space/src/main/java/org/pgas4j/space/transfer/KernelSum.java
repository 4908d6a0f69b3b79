package org.pgas4j.space.transfer;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.pgas4j.ElementType;
import org.pgas4j.Kernel;

/** Atomic addition of a multiple of an element at byte {@code s} of a source to that at byte {@code d}, in kernels. */
enum KernelSum {

    INT(ElementType.INT, "int", "long long", "atomicAdd_system((int *) (dst + d), (int) alpha * *(const int *) (src + s));"),

    LONG(ElementType.LONG, "long long", "long long",
            "atomicAdd_system((unsigned long long *) (dst + d), (unsigned long long) (alpha * *(const long long *) (src + s)));"),

    FLOAT(ElementType.FLOAT, "float", "double",
            "atomicAdd_system((float *) (dst + d), (float) alpha * *(const float *) (src + s));"),

    DOUBLE(ElementType.DOUBLE, "double", "double",
            "atomicAdd_system((double *) (dst + d), alpha * *(const double *) (src + s));");

    private final ElementType type;
    private final String element;
    private final String factor;
    private final String add; // in the scope of the system, because peers add too

    KernelSum(ElementType type, String element, String factor, String add) {
        this.type = type;
        this.element = element;
        this.factor = factor;
        this.add = add;
    }

    static KernelSum of(ElementType type) {
        return switch (type) {
            case INT -> INT;
            case LONG -> LONG;
            case FLOAT -> FLOAT;
            case DOUBLE -> DOUBLE;
            default -> throw new IllegalArgumentException("accumulate: type=" + type);
        };
    }

    /** A kernel for each type. */
    static Map<KernelSum, Kernel> kernels(Function<KernelSum, Kernel> maker) {
        Map<KernelSum, Kernel> all = new EnumMap<>(KernelSum.class);
        for (KernelSum sum : values()) {
            all.put(sum, maker.apply(sum));
        }
        return all;
    }

    ElementType type() {
        return type;
    }

    /** End of the kernels' names. */
    String suffix() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Fills the text of a kernel in: ADD, the addition; UNIT, bytes of an element; FACTOR, the type of {@code alpha}. */
    String in(String text) {
        return text.replace("ADD", add).replace("UNIT", "(long long) sizeof(" + element + ")").replace("FACTOR", factor);
    }

    private boolean isIntegral() {
        return this == INT || this == LONG;
    }

    /** The argument for {@code alpha}. */
    Object argument(double alpha) {
        return isIntegral() ? (Object) (long) alpha : (Object) alpha;
    }

    double alpha(Kernel.Args args, int index) {
        return isIntegral() ? args.longAt(index) : args.doubleAt(index);
    }
}
