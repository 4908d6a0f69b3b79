package org.pgas4j.runtime.blocks;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import org.pgas4j.GridRank.Comm;
import org.pgas4j.GridRank.Comparison;
import org.pgas4j.GridSourceWindow;
import org.pgas4j.ReduceOp;
import org.pgas4j.device.AtomicWords;

/**
 * The layout classes as CUDA C++: a {@code #define PGAS_...} for each {@code int} constant that is not private, and the
 * world data's struct. The device library has no numbers of its own for memory that it shares with the classes here.
 */
final class DeviceConstants {

    private DeviceConstants() {
    }

    static String text() {
        StringBuilder text = new StringBuilder();
        for (Comm comm : Comm.values()) {
            define(text, comm.name(), comm.ordinal());
        }
        for (Comparison comparison : Comparison.values()) {
            define(text, comparison.name(), comparison.ordinal());
        }
        for (BlockFailure.Barrier barrier : BlockFailure.Barrier.values()) {
            define(text, "BARRIER_" + barrier.name(), barrier.ordinal());
        }
        for (ReduceOp op : ReduceOp.values()) {
            define(text, "REDUCE_" + op.name(), op.ordinal());
        }
        define(text, "ANY_SOURCE", GridSourceWindow.ANY_SOURCE);
        defineAll(text, "SOURCES_", SourcesLayout.class);
        defineAll(text, "SPLIT_", SplitLayout.class);
        defineAll(text, "LOG_", LogFormat.class);
        defineAll(text, "", BlockLayout.class);
        defineAll(text, "", BlockFailure.class);
        defineAll(text, "PAGE_", HostPage.class);
        defineAll(text, "COMMAND_", Command.class);
        return text.append(AtomicWords.CONSTANTS).append(worldData()).toString();
    }

    private static void defineAll(StringBuilder text, String prefix, Class<?> layout) {
        for (Field field : layout.getDeclaredFields()) {
            if (field.getType() == int.class && Modifier.isStatic(field.getModifiers())
                    && !Modifier.isPrivate(field.getModifiers())) {
                define(text, prefix + field.getName(), value(field));
            }
        }
    }

    private static int value(Field field) {
        try {
            return field.getInt(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(field.toString(), e);
        }
    }

    private static void define(StringBuilder text, String name, int value) {
        text.append("#define PGAS_").append(name).append(' ').append(value).append('\n');
    }

    private static String worldData() {
        StringBuilder text = new StringBuilder("struct pgas_world_data {\n");
        int bytes = 0;
        for (WorldField field : WorldField.values()) {
            text.append(field.bytes() == Integer.BYTES ? "    pgas_u32 " : "    pgas_u64 ")
                    .append(field.cudaName()).append(";\n");
            bytes += field.bytes();
        }
        return text.append("};\n").append("static_assert(sizeof(pgas_world_data) == ").append(bytes)
                .append(", \"world data has gaps\");\n").toString();
    }
}
