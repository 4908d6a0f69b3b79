package org.pgas4j.kernels;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.AtomicOp;
import org.pgas4j.KernelRefusedException;

/** Captured values in the order in which {@link KernelEntry} takes them. */
final class CapturedValues {

    private CapturedValues() {
    }

    static Object[] flat(Object[] values, List<Kind> kinds) {
        boolean plain = true;
        for (Kind kind : kinds) {
            plain &= !(kind instanceof Kind.Struct);
        }
        if (plain && !hasSmallNumbers(values)) {
            return values;
        }
        List<Object> flat = new ArrayList<>();
        for (Object value : values) {
            add(value, flat);
        }
        return flat.toArray();
    }

    private static boolean hasSmallNumbers(Object[] values) {
        for (Object value : values) {
            if (value instanceof Boolean || value instanceof Byte || value instanceof Short || value instanceof Character
                    || value instanceof Enum) {
                return true;
            }
        }
        return false;
    }

    private static void add(Object value, List<Object> flat) {
        switch (value) {
            case Boolean of -> flat.add(of ? 1 : 0);
            case Byte of -> flat.add((int) of);
            case Short of -> flat.add((int) of);
            case Character of -> flat.add((int) of);
            case AtomicOp of -> flat.add(of.code());
            case Enum<?> of -> flat.add(of.ordinal());
            case Record of when !(of instanceof org.pgas4j.Kernel) -> {
                for (RecordComponent component : of.getClass().getRecordComponents()) {
                    add(read(component, of), flat);
                }
            }
            case null -> throw new KernelRefusedException("a kernel has captured null");
            default -> flat.add(value);
        }
    }

    private static Object read(RecordComponent component, Record of) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new KernelRefusedException("record " + of.getClass().getName() + " that a kernel has captured cannot be read: "
                    + e.getMessage() + "; open its package to org.pgas4j.kernels", e);
        }
    }
}
