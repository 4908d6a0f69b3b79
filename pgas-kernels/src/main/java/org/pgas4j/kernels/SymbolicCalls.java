package org.pgas4j.kernels;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Static methods as their callers see them: the elements that they use before their first jump. A method has a fast form, in which
 * these are not checked.
 */
final class SymbolicCalls {

    /**
     * Uses of elements that the fast form of a method does not check.
     *
     * @param accesses positions of instructions
     * @param calls    positions of calls of fast forms
     */
    record Unchecked(Set<Integer> accesses, Set<Integer> calls) {

        boolean isEmpty() {
            return accesses.isEmpty() && calls.isEmpty();
        }
    }

    /**
     * The start of a method with given arguments.
     *
     * @param isFast      whether {@code accesses} has all elements that the fast form does not check
     * @param hasAccesses whether it uses elements, known or not
     * @param result      known result; null if there is none
     */
    record Start(List<SymbolicRun.Access> accesses, boolean isFast, boolean hasAccesses, boolean hasEffects, Symbol result) {
    }

    private static final int MAX_DEPTH = 8;
    private static final Unchecked NOTHING = new Unchecked(Set.of(), Set.of());

    private final Translation translation;
    private final Map<String, Unchecked> known = new HashMap<>();
    private int depth;

    SymbolicCalls(Translation translation) {
        this.translation = translation;
    }

    /** True for an instruction behind which another may follow that is not the next. */
    static boolean isJump(Instruction instruction) {
        return instruction instanceof BranchInstruction || instruction instanceof TableSwitchInstruction
                || instruction instanceof LookupSwitchInstruction || instruction instanceof ReturnInstruction
                || instruction instanceof ThrowInstruction;
    }

    /** Follows a method up to its first jump; null if there is no such method. */
    Start start(InvokeInstruction call, List<Symbol> arguments) {
        String owner = translation.files().declaring(call.owner().asInternalName(), call.name().stringValue(),
                call.type().stringValue());
        MethodModel method = translation.files().method(owner, call.name().stringValue(), call.type().stringValue());
        if (method == null || method.code().isEmpty() || !method.flags().has(AccessFlag.STATIC) || depth > MAX_DEPTH) {
            return null;
        }
        return start(owner, method, arguments);
    }

    /** Follows a static method up to its first jump. */
    Start start(String owner, MethodModel method, List<Symbol> arguments) {
        Unchecked unchecked = unchecked(owner, method);
        Map<Integer, Symbol> locals = new HashMap<>();
        int slot = 0;
        for (Symbol argument : arguments) {
            locals.put(slot, argument);
            slot += argument.words();
        }
        return follow(method, locals, unchecked);
    }

    /** Elements and calls that a form of a method does not check. */
    Unchecked unchecked(String owner, MethodModel method, Translation.Form form) {
        return form == Translation.Form.FAST ? unchecked(owner, method) : NOTHING;
    }

    /** Those that the fast form of a method does not check: their indices follow from its parameters. */
    private Unchecked unchecked(String owner, MethodModel method) {
        String key = owner + "." + method.methodName().stringValue() + method.methodType().stringValue();
        Unchecked found = known.get(key);
        if (found == null) {
            known.put(key, NOTHING); // for one that calls itself, which is refused later
            found = unchecked(method);
            known.put(key, found);
        }
        return found;
    }

    private Unchecked unchecked(MethodModel method) {
        Map<Integer, Symbol> locals = new HashMap<>();
        int slot = 0;
        for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
            locals.put(slot, parameter(type, "a" + slot));
            slot += TypeKind.from(type).slotSize();
        }
        SymbolicRun run = new SymbolicRun(this, (_, kind) -> new Symbol.Unknown(kind.slotSize()));
        run.locals().putAll(locals);
        follow(method, run);
        Set<Integer> accesses = new HashSet<>();
        run.accesses().stream().map(SymbolicRun.Access::position).filter(at -> !run.fastCalls().contains(at)).forEach(accesses::add);
        return new Unchecked(accesses, run.fastCalls());
    }

    private Symbol parameter(ClassDesc type, String name) {
        if (!type.isPrimitive()) {
            KnownType known = KnownType.of(translation.files().type(type));
            return known == null ? new Symbol.Unknown(1) : new Symbol.Array(known, name);
        }
        TypeKind kind = TypeKind.from(type).asLoadable();
        return kind == TypeKind.INT || kind == TypeKind.LONG ? SymbolicArithmetic.value(name, kind.slotSize(), false)
                : new Symbol.Unknown(kind.slotSize());
    }

    private Start follow(MethodModel method, Map<Integer, Symbol> locals, Unchecked unchecked) {
        SymbolicRun run = new SymbolicRun(this, (_, kind) -> new Symbol.Unknown(kind.slotSize()));
        run.locals().putAll(locals);
        depth++;
        Instruction end = follow(method, run);
        depth--;
        List<SymbolicRun.Access> accesses = new ArrayList<>();
        Set<Integer> found = new HashSet<>();
        for (SymbolicRun.Access access : run.accesses()) {
            if (unchecked.accesses().contains(access.position()) || unchecked.calls().contains(access.position())) {
                accesses.add(access);
                found.add(access.position());
            }
        }
        boolean isFast = found.containsAll(unchecked.accesses()) && run.fastCalls().containsAll(unchecked.calls());
        boolean isWhole = end instanceof ReturnInstruction;
        boolean isChecked = !run.unproven().isEmpty() || run.accesses().size() != accesses.size();
        Symbol result = isWhole && ((ReturnInstruction) end).opcode() != Opcode.RETURN && !run.stack().isEmpty()
                ? run.stack().getLast() : null;
        return new Start(accesses, isFast && !unchecked.isEmpty(), isChecked || !accesses.isEmpty(),
                run.hasEffects() || !isWhole || isChecked, result);
    }

    /** @return the jump at its end, or null if it stopped before one */
    private static Instruction follow(MethodModel method, SymbolicRun run) {
        List<CodeElement> elements = method.code().orElseThrow().elementList();
        Set<Label> labels = MethodShape.blocks(method.code().orElseThrow());
        for (int i = 0; i < elements.size(); i++) {
            if (elements.get(i) instanceof LabelTarget target && labels.contains(target.label())) {
                return null;
            }
            if (elements.get(i) instanceof Instruction instruction) {
                if (isJump(instruction)) {
                    return instruction;
                }
                run.step(instruction, i);
                if (run.isClosed()) {
                    return null;
                }
            }
        }
        return null;
    }
}
