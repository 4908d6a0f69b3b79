package org.pgas4j.kernels;

import java.lang.classfile.MethodModel;
import java.util.ArrayList;
import java.util.List;

/**
 * Form of a loop's body for indices of which the first and last are known to be within bounds.
 *
 * @param condition C++ condition on the indices {@link #FIRST} to {@link #LAST}
 * @param body      without checks
 */
record FastLoop(String condition, Translation.Function body) {

    /** Name of the variable with the thread's first index. */
    static final String FIRST = "first_index";
    /** Name of the variable with the thread's last index. */
    static final String LAST = "last_index";

    /** The form for a method whose first parameters are captured values; null if there is nothing to gain. */
    static FastLoop of(Translation translation, String owner, String method, String descriptor, List<Kind> captured) {
        MethodModel model = translation.files().method(owner, method, descriptor);
        List<Symbol> arguments = new ArrayList<>();
        for (int i = 0; i < captured.size(); i++) {
            arguments.add(argument(captured.get(i), "a" + i));
        }
        arguments.add(Symbol.Integral.of(2, new Term("index", FIRST, LAST, "pgas_small(" + FIRST + ") & pgas_small(" + LAST + ")", false),
                null));
        SymbolicCalls.Start start = translation.calls().start(owner, model, arguments);
        if (!start.isFast() || start.accesses().isEmpty()) {
            return null;
        }
        Translation.Function body = translation.function(new KernelSite(owner, "kernel", 0, null), owner, method, descriptor,
                Translation.Form.FAST);
        return new FastLoop(RangeCondition.of(start.accesses()), body);
    }

    private static Symbol argument(Kind kind, String name) {
        return switch (kind) {
            case Kind.Known known -> new Symbol.Array(known.type(), known.type().isValue() ? name : "(&" + name + ")");
            case Kind.Number.INT -> SymbolicArithmetic.value(name, 1, true);
            case Kind.Number.LONG -> SymbolicArithmetic.value(name, 2, true);
            default -> new Symbol.Unknown(kind == Kind.Number.DOUBLE ? 2 : 1);
        };
    }
}
