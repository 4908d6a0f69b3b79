package org.pgas4j.kernels;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The function by which a thread that has done nothing yet starts the kernel again, with all checks, and ends. It reads the
 * kernel's parameters where the driver has put them, so that they take no registers until then.
 */
final class KernelRestart {

    private static final int FIRST_PARAMETERS = 2; // of each kernel, before the captured values

    private final String kernel;
    private final StringBuilder declarations = new StringBuilder();
    private final StringBuilder opening = new StringBuilder();
    private final List<String> kept = new ArrayList<>();
    private final Map<String, Kind> variables = new LinkedHashMap<>();

    /**
     * @param kernel   name of its function
     * @param captured kinds of the captured values
     */
    KernelRestart(String kernel, List<Kind> captured) {
        this.kernel = kernel;
        for (int i = 0; i < captured.size(); i++) {
            take(captured.get(i), "a" + i);
            variables.put("a" + i, captured.get(i));
        }
        variables.put("thread", new Kind.Known(KnownType.THREAD));
    }

    /** True if a kernel that captures such values has it. */
    static boolean takes(List<Kind> captured) {
        return captured.stream().allMatch(FarCall::takes);
    }

    /** Call of the function that does all of the kernel. */
    FarCall call() {
        return FarCall.of(variables);
    }

    /** The function. @param again function that does all of the kernel */
    String text(String again) {
        return declarations + "\n[[noreturn]] PGAS_FUNCTION void pgas_restart(const pgas_context *cx) {\n" + opening
                + "    " + again + "(" + call().arguments() + ");\n    pgas_leave();\n}\n\n";
    }

    /** Statements at the start of the kernel. */
    String keeping() {
        StringBuilder statements = new StringBuilder();
        kept.forEach(name -> statements.append("    PGAS_KEEP(").append(name).append(");\n"));
        return statements.toString();
    }

    private void take(Kind kind, String at) {
        switch (kind) {
            case Kind.Number number -> given(number.cpp(), at, switch (number) {
                case INT -> "s32, \"=r\"";
                case LONG -> "s64, \"=l\"";
                case FLOAT -> "f32, \"=f\"";
                case DOUBLE -> "f64, \"=d\"";
            });
            case Kind.Struct struct -> {
                opening.append("    ").append(struct.cpp()).append(' ').append(at).append(";\n");
                struct.struct().fields().forEach((field, component) -> {
                    take(component, at + "_" + field);
                    opening.append("    ").append(struct.struct().write(at, field, at + "_" + field)).append('\n');
                });
            }
            case Kind.Known _ -> {
                given("char *", at + "_start", "u64, \"=l\"");
                given("long long", at + "_bytes", "s64, \"=l\"");
                given("long long", at + "_length", "s64, \"=l\"");
                opening.append("    pgas_buffer A = pgas_memory(A_start, A_bytes, A_length);\n".replace("A", at));
            }
        }
    }

    private void given(String type, String name, String inPtx) {
        declarations.append("PGAS_KEPT(").append(type).append(", ").append(name).append(")\n");
        opening.append("    ").append(type).append(' ').append(name).append(";\n    PGAS_GIVEN(").append(name).append(", ").append(inPtx)
                .append(", ").append(kernel).append(", ").append(FIRST_PARAMETERS + kept.size()).append(");\n");
        kept.add(name);
    }
}
