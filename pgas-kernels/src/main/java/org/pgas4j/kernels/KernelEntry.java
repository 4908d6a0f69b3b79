package org.pgas4j.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The function that the driver starts: it takes the kernel's arguments, opens arrays, and calls the body. */
final class KernelEntry {

    private final String name;
    private final KernelForm form;
    private final Translation.Function body;
    private final List<Kind> captured;
    private final FastLoop fast;
    private final StringBuilder parameters = new StringBuilder();
    private final StringBuilder opening = new StringBuilder();

    /**
     * @param captured kinds of the body's first parameters
     * @param fast     form of a loop's body; null if there is none
     */
    KernelEntry(String name, KernelForm form, Translation.Function body, List<Kind> captured, FastLoop fast) {
        this.fast = fast;
        this.name = name;
        this.form = form;
        this.body = body;
        this.captured = captured;
    }

    /** C++ of the function. */
    String text() {
        for (int i = 0; i < captured.size(); i++) {
            take(captured.get(i), "a" + i, isConstant(i));
        }
        if (form == KernelForm.BLOCKS) {
            return BlockSource.entry(name, parameters.toString(), opening + (hasArrays() ? BlockSource.STORES : ""), call(body, "&self"));
        }
        return "extern \"C\" PGAS_KERNEL " + name + "(pgas_fault *fault, char *const *bases" + loopParameters() + parameters + ") {\n"
                + "    PGAS_BEGIN\n"
                + opening
                + "    const pgas_context context = {fault};\n"
                + "    const pgas_context *cx = &context;\n"
                + switch (form) {
                    case BLOCKS -> throw new AssertionError(form);
                    case GRID -> "    pgas_thread self = {0};\n    " + call(body, "&self") + ";\n";
                    case LOOP -> loops("", ";");
                    case REDUCE_DOUBLES -> reduction("double");
                    case REDUCE_LONGS -> reduction("long long");
                }
                + "    PGAS_END\n}\n";
    }

    private boolean hasArrays() {
        return captured.stream().anyMatch(kind -> kind instanceof Kind.Known known && known.type().isArray());
    }

    private boolean isMemory(int number) {
        return isMemory(number, true) || isMemory(number, false);
    }

    private boolean isMemory(int number, boolean isArray) {
        return captured.get(number) instanceof Kind.Known known && known.type().isMemory() && known.type().isArray() == isArray;
    }

    /** True for memory that the kernel only reads; arrays and buffers that it writes may be the same memory. */
    private boolean isConstant(int number) {
        if (form == KernelForm.BLOCKS) {
            return false; // other ranks write it meanwhile
        }
        boolean isArray = isMemory(number, true);
        return body.written().stream().noneMatch(written -> written == number
                || written < captured.size() && isMemory(written, !isArray));
    }

    /**
     * Pairs of captured values, one that is only read and one that is written: the kernel must be compiled with PGAS_APART empty if they
     * overlap.
     */
    List<ApartPair> apart() {
        List<ApartPair> pairs = new ArrayList<>();
        for (int read = 0; read < captured.size(); read++) {
            for (int written : body.written()) {
                if (written < captured.size() && isMemory(read) && isConstant(read) && isMemory(written)) {
                    pairs.add(new ApartPair(position(read), position(written)));
                }
            }
        }
        return pairs;
    }

    /** Number of a captured value when records before it are taken apart. */
    private int position(int number) {
        return captured.subList(0, number).stream().mapToInt(KernelEntry::size).sum();
    }

    private static int size(Kind kind) {
        return kind instanceof Kind.Struct struct ? struct.struct().fields().values().stream().mapToInt(KernelEntry::size).sum() : 1;
    }

    private String loopParameters() {
        String loop = ", long long from, long long to, long long block, long long shift, int ranks, int rank, long long first, "
                + "long long stride, long long aligned";
        return switch (form) {
            case GRID, BLOCKS -> "";
            case LOOP -> loop;
            case REDUCE_DOUBLES -> loop + ", int op, double identity, double *results";
            case REDUCE_LONGS -> loop + ", int op, long long identity, long long *results";
        };
    }

    private void take(Kind kind, String at, boolean isConstant) {
        switch (kind) {
            case Kind.Number number -> parameters.append(", ").append(number.cpp()).append(' ').append(at);
            case Kind.Struct struct -> {
                opening.append("    ").append(struct.cpp()).append(' ').append(at).append(";\n");
                takeComponents(struct.struct(), at);
            }
            case Kind.Known known when known.type().isConstant() -> parameters.append(", int ").append(at);
            case Kind.Known known when known.type().isArray() -> {
                parameters.append(", long long ").append(at).append("_offset, long long ").append(at).append("_length, long long ")
                        .append(at).append("_start, long long ").append(at).append("_block, int ").append(at).append("_ranks, int ")
                        .append(at).append("_rank, ").append(isConstant ? "const char *PGAS_APART " : "char *").append(at)
                        .append("_base");
                opening.append("    ").append(known.type().cpp()).append(' ').append(at).append(";\n    pgas_open(&").append(at)
                        .append(", bases, ").append(at).append("_offset, ").append(at).append("_length, ").append(at)
                        .append("_start, ").append(at).append("_block, ").append(at).append("_ranks, ").append(at).append("_rank, ")
                        .append(at).append("_base);\n");
            }
            case Kind.Known _ -> {
                parameters.append(isConstant ? ", const char *PGAS_APART " : ", char *").append(at).append("_start, long long ")
                        .append(at).append("_bytes, long long ").append(at).append("_length");
                opening.append("    pgas_buffer ").append(at).append(" = {(char *) ").append(at).append("_start, ").append(at)
                        .append("_bytes, ").append(at).append("_length};\n");
            }
        }
    }

    private void takeComponents(RecordStruct struct, String at) {
        struct.fields().forEach((field, kind) -> {
            String component = at + "_" + field;
            if (kind instanceof Kind.Struct inner) {
                opening.append("    ").append(inner.cpp()).append(' ').append(component).append(";\n");
                takeComponents(inner.struct(), component);
            } else {
                parameters.append(", ").append(kind.cpp()).append(' ').append(component);
            }
            opening.append("    ").append(struct.write(at, field, component)).append('\n');
        });
    }

    private String call(Translation.Function body, String last) {
        List<String> arguments = new ArrayList<>(List.of("cx"));
        for (int i = 0; i < captured.size(); i++) {
            arguments.add(captured.get(i) instanceof Kind.Known known && !known.type().isValue() ? "&a" + i : "a" + i);
        }
        arguments.add(last);
        return arguments.stream().collect(Collectors.joining(", ", body.name() + "(", ")"));
    }

    /** A loop over one run of elements, all of whose uses are within bounds, or else the general one. */
    private String loops(String before, String after) {
        String general = loop(before + call(body, "i") + after);
        return fast == null ? general : """
                    const long long offset = (long long) rank * block - shift;
                    const long long start = from + pgas_block() * pgas_threads() + pgas_thread_index();
                    const long long step = pgas_blocks() * pgas_threads();
                    const long long first_index = offset + start, last_index = first_index + (to - 1 - start) / step * step;
                    if ((to <= block) & (stride == 1) & CONDITION) {
                        for (long long at = start; at < to; at += step) {
                            const long long i = offset + at;
                            STATEMENT
                        }
                    } else {
                GENERAL    }
                """.replace("CONDITION", fast.condition()).replace("STATEMENT", before + call(fast.body(), "i") + after)
                .replace("GENERAL", general);
    }

    /** Elements of this rank in the order of its memory, so that the index needs no division and its arrays are near. */
    private String loop(String statement) {
        StringBuilder near = new StringBuilder();
        for (int i = 0; i < captured.size(); i++) {
            if (captured.get(i) instanceof Kind.Known known && known.type().isArray()) {
                near.append("            if (aligned >> ").append(i).append(" & 1) {\n                pgas_near_block(&a").append(i)
                        .append(", number);\n            }\n");
            }
        }
        return """
                    long long at = from + pgas_block() * pgas_threads() + pgas_thread_index();
                    const long long step = pgas_blocks() * pgas_threads();
                    const long long numbers = step / block;
                    const long long rest = step % block;
                    long long number = at / block;
                    long long in = at % block;
                    long long nearest = 0;
                    for (; at < to; at += step) {
                        const long long i = (number * ranks + rank) * block + in - shift;
                        if (number != nearest) {
                            nearest = number;
                NEAR        }
                        if (stride == 1 || (i - first) % stride == 0) {
                            STATEMENT
                        }
                        number += numbers;
                        in += rest;
                        if (in >= block) {
                            in -= block;
                            number++;
                        }
                    }
                """.replace("NEAR", near).replace("STATEMENT", statement);
    }

    private String reduction(String type) {
        return "    " + type + " value = identity;\n" + loops("value = pgas_combine(value, ", ", op);")
                + "    pgas_reduce_block(value, op, results);\n";
    }
}
