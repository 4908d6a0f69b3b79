package org.pgas4j.kernels;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.pgas4j.AtomicOp;
import org.pgas4j.KernelRefusedException;

/** Captured values in the order in which {@link KernelEntry} takes them. */
final class CapturedValues {

    private CapturedValues() {
    }

    /** @param kernel for messages */
    static Object[] flat(KernelLambda kernel, Object[] values, List<Kind> kinds) {
        requireValues(kernel, values);
        boolean plain = true;
        for (Kind kind : kinds) {
            plain &= !(kind instanceof Kind.Struct);
        }
        if (plain && !hasSmallNumbers(values)) {
            return values;
        }
        List<Object> flat = new ArrayList<>();
        for (Object value : values) {
            add(kernel, value, flat);
        }
        return flat.toArray();
    }

    private static void requireValues(KernelLambda kernel, Object[] values) {
        for (int i = 0; i < values.length; i++) {
            if (values[i] == null) {
                throw new KernelRefusedException("kernel " + kernel.name() + " has captured null, its value " + (i + 1) + " of "
                        + values.length + "; give every variable that it uses a value before");
            }
        }
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

    private static void add(KernelLambda kernel, Object value, List<Object> flat) {
        switch (value) {
            case Boolean of -> flat.add(of ? 1 : 0);
            case Byte of -> flat.add((int) of);
            case Short of -> flat.add((int) of);
            case Character of -> flat.add((int) of);
            case AtomicOp of -> flat.add(of.code());
            case Enum<?> of -> flat.add(of.ordinal());
            case Record of when !(of instanceof org.pgas4j.Kernel) -> {
                for (RecordComponent component : of.getClass().getRecordComponents()) {
                    add(kernel, read(kernel, component, of), flat);
                }
            }
            default -> flat.add(value);
        }
    }

    private static Object read(KernelLambda kernel, RecordComponent component, Record of) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(of);
        } catch (InvocationTargetException e) {
            throw new KernelRefusedException("kernel " + kernel.name() + " has captured record " + of.getClass().getName()
                    + ", whose " + component.getName() + "() has thrown " + e.getCause() + "; let it return the component", e.getCause());
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new KernelRefusedException("kernel " + kernel.name() + " has captured record " + of.getClass().getName()
                    + ", which cannot be read: " + e.getMessage() + "; open its package to org.pgas4j.kernels", e);
        }
    }
}
