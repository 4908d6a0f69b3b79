package org.pgas4j.kernels;

import java.util.Map;

/**
 * Call of a function that is not copied to its callers. Buffers are handed over by addresses that the compiler takes for those of
 * other memory: it still sees that nobody writes what the rest only reads. Nothing is handed over in memory of the thread.
 *
 * @param parameters of the function, C++
 * @param arguments  of it
 * @param passed     arguments of the method that it calls, made of its parameters
 */
record FarCall(String parameters, String arguments, String passed) {

    /** @param variables of the caller, with their kinds, which the method takes */
    static FarCall of(Map<String, Kind> variables) {
        StringBuilder parameters = new StringBuilder("const pgas_context given");
        StringBuilder arguments = new StringBuilder("*cx");
        StringBuilder passed = new StringBuilder("&given");
        variables.forEach((variable, kind) -> {
            if (isBuffer(kind)) {
                parameters.append(", char *V_start, long long V_bytes, long long V_length".replace("V", variable));
                arguments.append(", V.plain, V.bytes, V.length".replace("V", variable));
                passed.append(", pgas_memory(V_start, V_bytes, V_length)".replace("V", variable));
            } else if (isThread(kind)) {
                passed.append(", &thread");
            } else {
                parameters.append(", ").append(kind.cpp()).append(' ').append(variable);
                arguments.append(", ").append(variable);
                passed.append(", ").append(variable);
            }
        });
        return new FarCall(parameters.toString(), arguments.toString(), passed.toString());
    }

    /** The function. @param called the method's own */
    String function(String name, Translation.Function called) {
        return "PGAS_FAR_FUNCTION " + (called.result() == null ? "void" : called.result().cpp()) + " " + name + "(" + parameters
                + ") {\n    pgas_thread thread = {0};\n    return " + called.name() + "(" + passed + ");\n}\n\n";
    }

    private static boolean isBuffer(Kind kind) {
        return kind instanceof Kind.Known known && known.type() == KnownType.BUFFER;
    }

    private static boolean isThread(Kind kind) {
        return kind instanceof Kind.Known known && known.type() == KnownType.THREAD;
    }

    /** True for numbers, records, buffers and the thread of a kernel. */
    static boolean takes(Kind kind) {
        return !(kind instanceof Kind.Known) || isBuffer(kind) || isThread(kind);
    }
}
