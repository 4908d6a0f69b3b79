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
    private final int site;
    private final StringBuilder parameters = new StringBuilder();
    private final StringBuilder opening = new StringBuilder();

    /**
     * An entry.
     *
     * @param captured kinds of the body's first parameters
     * @param site     number of the kernel's place, for faults that are not the body's
     */
    KernelEntry(String name, KernelForm form, Translation.Function body, List<Kind> captured, int site) {
        this.site = site;
        this.name = name;
        this.form = form;
        this.body = body;
        this.captured = captured;
    }

    /** C++ of the function. */
    String text() {
        for (int i = 0; i < captured.size(); i++) {
            take(captured.get(i), "a" + i);
        }
        return "extern \"C\" PGAS_KERNEL " + name + "(pgas_fault *fault, char *const *bases" + loopParameters() + parameters + ") {\n"
                + "    pgas_context context = {fault};\n"
                + "    const pgas_context *cx = &context;\n"
                + "    PGAS_BEGIN\n"
                + opening
                + walk()
                + "    PGAS_END\n}\n";
    }

    private String walk() {
        if (form.isScan()) {
            return ScanBody.text(form, form.isOperator() ? call("a", "b") : call("i"), site);
        }
        if (form == KernelForm.GRID) {
            return "    pgas_thread self = {0};\n    " + call("&self") + ";\n";
        }
        String element = form.isSpace() ? call(SpaceLoop.indices(form)) : call("i");
        return form.combined() == null ? loop(element + ";") : reduction(form.combined(), element);
    }

    private String loopParameters() {
        if (form == KernelForm.GRID) {
            return "";
        }
        if (form.isScan()) {
            return ScanBody.parameters(form);
        }
        String loop = form.isSpace() ? SpaceLoop.PARAMETER : ", long long from, long long to, long long block, long long shift, "
                + "int ranks, int rank, long long first, long long stride, long long aligned";
        return form.combined() == null ? loop : loop + ", int op, TYPE identity, TYPE *results".replace("TYPE", form.combined());
    }

    private void take(Kind kind, String at) {
        switch (kind) {
            case Kind.Number number -> parameters.append(", ").append(number.cpp()).append(' ').append(at);
            case Kind.Struct struct -> {
                opening.append("    ").append(struct.cpp()).append(' ').append(at).append(";\n");
                takeComponents(struct.struct(), at);
            }
            case Kind.Known known when known.type().isArray() -> {
                parameters.append(", int A_table, long long A_offset, long long A_length, long long A_start, long long A_block, "
                        .replace("A", at)).append("int A_ranks, int A_rank".replace("A", at));
                opening.append("    TYPE A;\n    pgas_open(&A, bases + A_table, A_offset, A_length, A_start, A_block, A_ranks, A_rank);\n"
                        .replace("A", at).replace("TYPE", known.type().cpp()));
            }
            case Kind.Known known when known.type().isGrid() -> {
                parameters.append(", pgas_grid_place ").append(at).append("_place");
                opening.append("    TYPE A;\n    pgas_grid_open(&A, bases, A_place);\n".replace("A", at)
                        .replace("TYPE", known.type().cpp()));
            }
            case Kind.Known _ -> {
                parameters.append(", char *").append(at).append("_start, long long ").append(at).append("_bytes, long long ")
                        .append(at).append("_length");
                opening.append("    pgas_buffer ").append(at).append(" = {").append(at).append("_start, ").append(at)
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

    private String call(String... last) {
        List<String> arguments = new ArrayList<>(List.of("cx"));
        for (int i = 0; i < captured.size(); i++) {
            arguments.add(captured.get(i) instanceof Kind.Known ? "&a" + i : "a" + i);
        }
        arguments.addAll(List.of(last));
        return arguments.stream().collect(Collectors.joining(", ", body.name() + "(", ")"));
    }

    /** Elements of this rank in the order of its memory, so that the index needs no division and its arrays are near. */
    private String loop(String statement) {
        if (form.isSpace()) {
            return SpaceLoop.text(captured, statement);
        }
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

    private String reduction(String type, String element) {
        return "    " + type + " value = identity;\n" + loop("value = pgas_combine(value, " + element + ", op);")
                + "    pgas_reduce_block(value, op, results);\n";
    }
}
