package org.pgas4j.kernels;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The function that the driver starts: it takes the kernel's arguments, opens arrays, and calls the body. */
final class KernelEntry {

    private static final String CONTEXT = "    const pgas_context context = {fault};\n    const pgas_context *cx = &context;\n";
    private static final String FIRST_PARAMETERS = "pgas_fault *fault, char *const *bases";

    private final String name;
    private final KernelForm form;
    private final Translation.Function body;
    private final List<Kind> captured;
    private final FastLoop fast;
    private final int site;
    private final boolean gathers;
    private final StringBuilder parameters = new StringBuilder();
    private final StringBuilder opening = new StringBuilder();

    /**
     * @param captured kinds of the body's first parameters
     * @param fast     form of a loop's body; null if there is none
     * @param site     number of the kernel's place, for faults that are not the body's
     * @param gathers  whether it uses elements by indices that it loads
     */
    KernelEntry(String name, KernelForm form, Translation.Function body, List<Kind> captured, FastLoop fast, int site,
            boolean gathers) {
        this.gathers = gathers;
        this.fast = fast;
        this.site = site;
        this.name = name;
        this.form = form;
        this.body = body;
        this.captured = captured;
    }

    /** C++ of the function. @param first statements at its start */
    String text(String first) {
        for (int i = 0; i < captured.size(); i++) {
            take(captured.get(i), "a" + i, isConstant(i));
        }
        if (form == KernelForm.BLOCKS) {
            return BlockSource.entry(name, parameters.toString(), opening + (hasArrays() ? BlockSource.STORES : ""), call(body, "&self"));
        }
        return "extern \"C\" " + (gathers ? "PGAS_GATHERING_KERNEL " : "PGAS_KERNEL ") + name + "(" + FIRST_PARAMETERS + loopParameters() + parameters + ") {\n"
                + "    PGAS_BEGIN\n"
                + first
                + opening
                + CONTEXT
                + walk()
                + "    PGAS_END\n}\n";
    }

    /** The same as a part of another kernel, which calls the body with {@code a} and {@code b}. */
    KernelPart part() {
        for (int i = 0; i < captured.size(); i++) {
            take(captured.get(i), "a" + i, true);
        }
        return new KernelPart(", pgas_fault *fault" + parameters, opening + CONTEXT, call(body, "a", "b"));
    }

    private String walk() {
        if (form.isScan()) {
            return ScanBody.text(form, form.isOperator() ? call(body, "a", "b") : call(body, "i"), site);
        }
        if (form == KernelForm.GRID) {
            return "    pgas_thread self = {0};\n    " + call(body, "&self") + ";\n";
        }
        return form.combined() == null ? loops("", ";") : reduction(form.combined());
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

    private boolean hasGrids() {
        return captured.stream().anyMatch(kind -> kind instanceof Kind.Known known && known.type().isGrid());
    }

    /** True for memory that the kernel only reads; arrays and buffers that it writes may be the same memory. */
    private boolean isConstant(int number) {
        if (form == KernelForm.BLOCKS || form.isScan() || hasGrids()) {
            return false; // other ranks write it meanwhile, or it may be the scan's or in a global array
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
        if (form == KernelForm.GRID || form == KernelForm.BLOCKS) {
            return "";
        }
        if (form.isScan()) {
            return ScanBody.parameters(form);
        }
        String loop = form.isSpace() ? SpaceLoop.PARAMETER : ", long long from, long long to, long long block, long long shift, "
                + "int ranks, int rank, long long first, long long stride, long long aligned";
        return form.combined() == null ? loop : loop + ", int op, TYPE identity, TYPE *results".replace("TYPE", form.combined());
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
                parameters.append(", int A_table, long long A_offset, long long A_length, long long A_start, long long A_block, "
                        .replace("A_", at + "_")).append("int A_ranks, int A_rank, ".replace("A_", at + "_"))
                        .append(isConstant ? "const char *PGAS_APART " : "char *").append(at).append("_base");
                opening.append("    ").append(known.type().cpp()).append(' ').append(at).append(";\n    pgas_open(&").append(at)
                        .append(", bases + A_table, A_offset, A_length, A_start, A_block, A_ranks, A_rank, A_base);\n"
                                .replace("A_", at + "_"));
            }
            case Kind.Known known when known.type().isGrid() -> {
                parameters.append(", pgas_grid_place ").append(at).append("_place");
                opening.append("    ").append(known.type().cpp()).append(' ').append(at).append(";\n    pgas_grid_open(&").append(at)
                        .append(", bases, ").append(at).append("_place);\n");
            }
            case Kind.Known _ -> {
                int number = parameterCount();
                parameters.append(isConstant ? ", const char *PGAS_APART " : ", char *").append(at).append("_start, long long ")
                        .append(at).append("_bytes, long long ").append(at).append("_length");
                opening.append("    pgas_buffer A = pgas_memory((char *) A_start, A_bytes, A_length);\n".replace("A", at));
                if (form != KernelForm.BLOCKS) {
                    opening.append("    PGAS_PLAIN(").append(at).append(", ").append(name).append(", ").append(number).append(");\n");
                }
            }
        }
    }

    /** Number of parameters of the kernel that there are so far. */
    private int parameterCount() {
        return (int) (FIRST_PARAMETERS + loopParameters() + parameters).chars().filter(c -> c == ',').count() + 1;
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

    private String call(Translation.Function function, String... last) {
        List<String> arguments = new ArrayList<>(List.of("cx"));
        for (int i = 0; i < captured.size(); i++) {
            arguments.add(captured.get(i) instanceof Kind.Known known && !known.type().isValue() ? "&a" + i : "a" + i);
        }
        arguments.addAll(List.of(last));
        return arguments.stream().collect(Collectors.joining(", ", function.name() + "(", ")"));
    }

    /**
     * A loop over one run of elements, all of whose uses are within bounds, or else the general one. Where not all are, the first and the
     * last round of a thread are done apart: often these alone use elements of other ranks, and the rest needs no checks.
     */
    private String loops(String before, String after) {
        if (form.isSpace()) {
            return SpaceLoop.text(captured, before + call(body, SpaceLoop.indices(form)) + after);
        }
        String general = loop(before + call(body, "i") + after);
        String start = """
                    const long long start = from + pgas_block() * pgas_threads() + pgas_thread_index();
                    const long long step = pgas_blocks() * pgas_threads();
                """;
        return start + (fast == null ? "    const long long begin = start;\n    const long long end = to;\n" + general : """
                    const long long offset = (long long) rank * block - shift;
                    const long long last = start + (to - 1 - start) / step * step;
                    const bool is_run = (to <= block) & (stride == 1);
                    const long long first_index = offset + start, last_index = offset + last;
                    if (is_run & CONDITION) {
                        for (long long at = start; at < to; at += step) {
                            const long long i = offset + at;
                            STATEMENT
                        }
                    } else {
                        const bool is_split = is_run & (last - start >= 2 * step);
                        for (long long begin = start; begin < to; ) {
                            const long long end = !is_split ? to : begin == start ? begin + step : begin < last ? last : to;
                            const long long first_index = offset + begin, last_index = offset + end - step;
                            if ((is_split & begin > start & begin < last) && (CONDITION)) {
                                PGAS_UNROLL
                                for (long long at = begin; at < end; at += step) {
                                    const long long i = offset + at;
                                    STATEMENT
                                }
                            } else {
                GENERAL            }
                            begin = end;
                        }
                    }
                """.replace("CONDITION", fast.condition()).replace("STATEMENT", before + call(fast.body(), "i") + after)
                .replace("GENERAL", general.indent(8)));
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
                    const long long numbers = step / block;
                    const long long rest = step % block;
                    long long number = begin / block;
                    long long in = begin % block;
                    long long nearest = 0;
                    for (long long at = begin; at < end; at += step) {
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
