package org.pgas4j.kernels;

import java.util.Locale;
import org.pgas4j.ElementType;
import org.pgas4j.GridRank;

/** C++ around the functions of a block program: the device library, and the entry that begins and ends the block. */
final class BlockSource {

    /** Orders stores to elements of shared arrays before later notifications of the block. */
    static final String STORES = "    context.block->order.x = context.block->order.y = PGAS_DIRTY | PGAS_ALWAYS;\n";

    private static final String HEADER = KernelTranslator.read("pgas_java_blocks.cuh");

    private BlockSource() {
    }

    /**
     * The whole source. It is compiled with the device library in place of the include, and with {@code -DPGAS_THREADS=} for the threads
     * of a block.
     *
     * @param header     what all kernels stand on
     * @param program    structs, functions and entry
     * @param blockBytes memory of the block that the program uses, in front of what the launch gives
     */
    static String text(String header, String program, long blockBytes) {
        return "#define PGAS_BLOCK_PROGRAM\n#include <pgas_device.cuh>\n#define PGAS_WHOLE_WARPS\n#define PGAS_BLOCK_BYTES "
                + blockBytes + "\n#ifndef PGAS_THREADS\n#define PGAS_MAX_THREADS 1024\n#endif\n" + constants()
                + "namespace pgas_java {\n#line 1 \"pgas_java.cuh\"\n" + header + types() + "#line 1 \"pgas_java_blocks.cuh\"\n" + HEADER
                + program + "}\n";
    }

    private static String constants() {
        StringBuilder text = new StringBuilder();
        for (GridRank.Callers callers : GridRank.Callers.values()) {
            define(text, "CALLERS_", callers);
        }
        for (ElementType type : ElementType.values()) {
            define(text, "TYPE_", type);
        }
        return text.toString();
    }

    private static void define(StringBuilder text, String prefix, Enum<?> constant) {
        text.append("#define PGAS_").append(prefix).append(constant.name()).append(' ').append(constant.ordinal()).append('\n');
    }

    private static String types() {
        StringBuilder text = new StringBuilder("PGAS_FUNCTION int pgas_type_bytes(int type) {\n    return ");
        for (ElementType type : ElementType.values()) {
            text.append("type == PGAS_TYPE_").append(type.name()).append(" ? ").append(type.bytes()).append(" : ");
        }
        return text.append("0;\n}\n").toString();
    }

    /**
     * The function that is launched.
     *
     * @param parameters of the captured values, each behind a comma
     * @param opening    statements that make the captured values of them
     * @param call       of the body
     */
    static String entry(String name, String parameters, String opening, String call) {
        return String.format(Locale.ROOT, """
                extern "C" __global__ void __launch_bounds__(PGAS_MAX_THREADS, 1) %s(::pgas_world world, int program, char *const *bases%s) {
                    pgas_context context = {::pgas_init(world), program};
                    const pgas_context *cx = &context;
                %s    pgas_grid_rank self;
                    self.c = context.block;
                    self.left = 0;
                    %s;
                    pgas_end_block(&self);
                }
                """, name, parameters, opening, call);
    }
}
