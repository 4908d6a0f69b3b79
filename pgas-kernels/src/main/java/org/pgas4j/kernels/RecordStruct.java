package org.pgas4j.kernels;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;

/** A record as a C struct: its components in order, each aligned to its size as C and {@link java.lang.foreign.MemoryLayout} do. */
final class RecordStruct {

    /** A component as the struct declares it. */
    private record Field(Kind kind, String cpp) {
    }

    private final Class<?> type;
    private final String name;
    private final Map<String, Field> fields = new LinkedHashMap<>();

    /**
     * @param name    of the struct
     * @param structs gives those of components that are records
     */
    RecordStruct(Class<?> type, String name, Structs structs) {
        this.type = type;
        this.name = name;
        for (RecordComponent component : type.getRecordComponents()) {
            fields.put(component.getName(), new Field(structs.kind(component.getType()), stored(component.getType(), structs)));
        }
    }

    /** Structs of records, made when they are first needed. */
    interface Structs {

        /** @throws org.pgas4j.KernelRefusedException if kernels have no such type */
        Kind kind(Class<?> type);
    }

    private static String stored(Class<?> type, Structs structs) {
        if (type == boolean.class) {
            return "bool";
        }
        if (type == byte.class) {
            return "signed char";
        }
        if (type == short.class) {
            return "short";
        }
        return type == char.class ? "unsigned short" : structs.kind(type).cpp();
    }

    Class<?> type() {
        return type;
    }

    String name() {
        return name;
    }

    /** Kinds of all components, in order. */
    Map<String, Kind> fields() {
        Map<String, Kind> kinds = new LinkedHashMap<>();
        fields.forEach((field, of) -> kinds.put(field, of.kind()));
        return kinds;
    }

    /** Kind of a component. */
    Kind kind(String field) {
        return fields.get(field).kind();
    }

    /** Value of a component, widened as the Java virtual machine does. */
    String read(String value, String field) {
        Field of = fields.get(field);
        String text = value + "." + field + "_";
        return of.kind().cpp().equals(of.cpp()) ? text : "(int) " + text;
    }

    /** Statement that sets a component. */
    String write(String variable, String field, String value) {
        return variable + "." + field + "_ = (" + fields.get(field).cpp() + ") " + value + ";";
    }

    /** The declaration. */
    String declaration() {
        StringBuilder text = new StringBuilder("struct " + name + " {\n");
        fields.forEach((field, of) -> text.append("    ").append(of.cpp()).append(' ').append(field).append("_;\n"));
        return text.append("};\n").toString();
    }
}
