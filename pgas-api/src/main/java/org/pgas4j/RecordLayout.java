package org.pgas4j;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/**
 * Layout of a record of primitives, or of such records, as the C struct of the same fields in the same order: each field aligned
 * to its size, a struct to its largest field, its size a multiple of that (System V ABI, as CUDA's). {@code boolean} is C's
 * {@code bool}, {@code char} an {@code unsigned short}. Made once for a class; any thread may use it.
 *
 * @param <R> the record
 */
public final class RecordLayout<R extends Record> {

    private static final ClassValue<RecordLayout<?>> LAYOUTS = new ClassValue<>() {

        @Override
        protected RecordLayout<?> computeValue(Class<?> type) {
            return new RecordLayout<>(type.asSubclass(Record.class));
        }
    };

    private record Field(long offset, ValueLayout value, RecordLayout<?> nested, Method accessor) {
    }

    private final Class<R> type;
    private final StructLayout layout;
    private final List<Field> fields = new ArrayList<>();
    private final Constructor<R> constructor;

    private RecordLayout(Class<R> type) {
        this.type = type;
        List<MemoryLayout> members = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>();
        long offset = 0;
        long alignment = 1;
        for (RecordComponent component : type.getRecordComponents()) {
            MemoryLayout member = member(component);
            long start = Math.ceilDiv(offset, member.byteAlignment()) * member.byteAlignment();
            pad(members, start - offset);
            members.add(member.withName(component.getName()));
            fields.add(new Field(start, member instanceof ValueLayout value ? value : null,
                    member instanceof ValueLayout ? null : LAYOUTS.get(component.getType()), opened(component.getAccessor())));
            types.add(component.getType());
            offset = start + member.byteSize();
            alignment = Math.max(alignment, member.byteAlignment());
        }
        pad(members, Math.ceilDiv(offset, alignment) * alignment - offset);
        layout = MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new)).withName(type.getSimpleName());
        constructor = constructor(types);
    }

    private static void pad(List<MemoryLayout> members, long bytes) {
        if (bytes > 0) {
            members.add(MemoryLayout.paddingLayout(bytes));
        }
    }

    private MemoryLayout member(RecordComponent component) {
        Class<?> of = component.getType();
        if (of.isRecord()) {
            return LAYOUTS.get(of).layout;
        }
        return switch (of.getName()) {
            case "byte" -> ValueLayout.JAVA_BYTE;
            case "boolean" -> ValueLayout.JAVA_BOOLEAN;
            case "short" -> ValueLayout.JAVA_SHORT;
            case "char" -> ValueLayout.JAVA_CHAR;
            case "int" -> ValueLayout.JAVA_INT;
            case "long" -> ValueLayout.JAVA_LONG;
            case "float" -> ValueLayout.JAVA_FLOAT;
            case "double" -> ValueLayout.JAVA_DOUBLE;
            default -> throw new IllegalArgumentException("record " + type.getName() + " has no layout: " + component.getName()
                    + " is " + of.getName() + " (expected: primitives, and records of them)");
        };
    }

    private Constructor<R> constructor(List<Class<?>> types) {
        try {
            return opened(type.getDeclaredConstructor(types.toArray(Class<?>[]::new)));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every record has its canonical constructor: " + type, e);
        }
    }

    private <T extends AccessibleObject> T opened(T member) {
        if (!member.trySetAccessible()) {
            throw new IllegalArgumentException("record " + type.getName() + " cannot be read: its module does not open "
                    + type.getPackageName() + " to " + RecordLayout.class.getModule()
                    + "; make the record public and export its package, or open the package");
        }
        return member;
    }

    /**
     * The layout of a record.
     *
     * @throws IllegalArgumentException if a component is neither a primitive nor a record of such, or the record cannot be
     * accessed
     */
    @SuppressWarnings("unchecked")
    public static <R extends Record> RecordLayout<R> of(Class<R> type) {
        return (RecordLayout<R>) LAYOUTS.get(type);
    }

    /** A record as a struct of its own, in memory that Java manages, aligned to 8 bytes. */
    @SuppressWarnings("unchecked")
    public static MemorySegment struct(Record value) {
        RecordLayout<Record> layout = (RecordLayout<Record>) LAYOUTS.get(value.getClass());
        MemorySegment struct = MemorySegment.ofArray(new long[(int) Math.ceilDiv(layout.bytes(), (long) Long.BYTES)])
                .asSlice(0, layout.bytes());
        layout.set(struct, 0, value);
        return struct;
    }

    /** The struct, its members named as the record's components. */
    public StructLayout layout() {
        return layout;
    }

    /** Size in bytes; a record without components has none. */
    public long bytes() {
        return layout.byteSize();
    }

    /** Writes a record at {@code offset}, which needs no alignment. */
    public void set(MemorySegment segment, long offset, R value) {
        for (Field field : fields) {
            write(segment, offset + field.offset(), field, read(field.accessor(), value));
        }
    }

    private static Object read(Method accessor, Object of) {
        try {
            return accessor.invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("accessor of a record failed: " + accessor, e);
        }
    }

    @SuppressWarnings("unchecked")
    private static void write(MemorySegment segment, long at, Field field, Object value) {
        switch (value) {
            case Byte b -> segment.set(ValueLayout.JAVA_BYTE, at, b);
            case Boolean b -> segment.set(ValueLayout.JAVA_BOOLEAN, at, b);
            case Short s -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, s);
            case Character c -> segment.set(ValueLayout.JAVA_CHAR_UNALIGNED, at, c);
            case Integer i -> segment.set(ValueLayout.JAVA_INT_UNALIGNED, at, i);
            case Long l -> segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, l);
            case Float f -> segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, f);
            case Double d -> segment.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, d);
            case Record record -> ((RecordLayout<Record>) field.nested()).set(segment, at, record);
            default -> throw new IllegalStateException("a record's component is null");
        }
    }

    /** Reads the record at {@code offset}, which needs no alignment. */
    public R get(MemorySegment segment, long offset) {
        Object[] values = new Object[fields.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = read(segment, offset + fields.get(i).offset(), fields.get(i));
        }
        try {
            return constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException("record " + type.getName() + " refuses the values read: " + e.getCause(),
                    e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make a " + type.getName(), e);
        }
    }

    private static Object read(MemorySegment segment, long at, Field field) {
        return switch (field.value()) {
            case null -> field.nested().get(segment, at);
            case ValueLayout.OfByte _ -> segment.get(ValueLayout.JAVA_BYTE, at);
            case ValueLayout.OfBoolean _ -> segment.get(ValueLayout.JAVA_BOOLEAN, at);
            case ValueLayout.OfShort _ -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, at);
            case ValueLayout.OfChar _ -> segment.get(ValueLayout.JAVA_CHAR_UNALIGNED, at);
            case ValueLayout.OfInt _ -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, at);
            case ValueLayout.OfLong _ -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
            case ValueLayout.OfFloat _ -> segment.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
            case ValueLayout.OfDouble _ -> segment.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at);
            default -> throw new IllegalStateException("no such component: " + field);
        };
    }

    @Override
    public String toString() {
        return "RecordLayout[" + type.getName() + " " + layout.byteSize() + " bytes]";
    }
}
