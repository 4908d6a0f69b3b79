package org.pgas4j.kernels;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Follows a straight part of a method with what is known of its integers before that part, and collects the elements of arrays and
 * buffers that it uses.
 */
class SymbolicRun {

    /**
     * Use of an element.
     *
     * @param position of the instruction in the method that is followed
     * @param element  C++ type
     * @param isRead   whether it is read and nothing else
     */
    record Access(int position, Symbol.Array array, String element, Symbol.Integral index, boolean isRead) {
    }

    private final SymbolicCalls calls;
    private final BiFunction<Integer, TypeKind, Symbol> entry;
    private final List<Symbol> stack = new ArrayList<>();
    private final Map<Integer, Symbol> locals = new HashMap<>();
    private final List<Access> accesses = new ArrayList<>();
    private final Set<Integer> fastCalls = new HashSet<>();
    private final Map<Integer, Access> unproven = new HashMap<>();
    private int firstUse = Integer.MAX_VALUE;
    private boolean hasEffects;
    private boolean meets;
    private boolean isClosed; // to checks ahead and copies

    /** @param entry value of a local variable before the part, by slot */
    SymbolicRun(SymbolicCalls calls, BiFunction<Integer, TypeKind, Symbol> entry) {
        this.calls = calls;
        this.entry = entry;
    }

    List<Symbol> stack() {
        return stack;
    }

    Map<Integer, Symbol> locals() {
        return locals;
    }

    /** Elements whose indices are known before the part, in the order of their use. */
    List<Access> accesses() {
        return accesses;
    }

    /** Positions of calls whose elements are among {@link #accesses}. */
    Set<Integer> fastCalls() {
        return fastCalls;
    }

    /** Elements of known arrays whose indices are not known before the part, by position. */
    Map<Integer, Access> unproven() {
        return unproven;
    }

    /** Position of the first use of an element; the greatest integer if there is none. */
    int firstUse() {
        return firstUse;
    }

    /** True if something was done that may not be done twice, or that may stop the thread. */
    boolean hasEffects() {
        return hasEffects;
    }

    /** True if a part with this must not be copied: threads wait for each other, or memory is made. */
    boolean isClosed() {
        return isClosed;
    }

    /** True if threads wait for each other, each time the part runs. */
    boolean meets() {
        return meets;
    }

    /** Whether threads may wait for each other here. */
    boolean mayMeet() {
        return false;
    }

    void effect() {
        hasEffects = true;
    }

    /** Whether uses of elements count: those that are only made under a condition do not. */
    boolean isCounting() {
        return true;
    }

    static int words(TypeKind kind) {
        return kind.slotSize();
    }

    Symbol pop() {
        return stack.isEmpty() ? new Symbol.Unknown(1) : stack.removeLast();
    }

    void push(Symbol symbol) {
        stack.add(symbol);
    }

    private void unknown(int words) {
        if (words > 0) {
            push(new Symbol.Unknown(words));
        }
    }

    Symbol local(int slot, TypeKind kind) {
        return locals.computeIfAbsent(slot, _ -> entry.apply(slot, kind));
    }

    /** Follows an instruction that is no jump. */
    void step(Instruction instruction, int position) {
        switch (instruction) {
            case LoadInstruction load -> {
                Symbol value = local(load.slot(), load.typeKind().asLoadable());
                int words = words(load.typeKind().asLoadable());
                push(value.words() != words ? new Symbol.Unknown(words)
                        : value instanceof Symbol.Integral of && words == 1 ? of.unwrapped() : value); // its variable has wrapped
            }
            case StoreInstruction store -> locals.put(store.slot(), pop());
            case IncrementInstruction increment -> locals.put(increment.slot(), SymbolicArithmetic.binary(Opcode.IADD,
                    local(increment.slot(), TypeKind.INT), Symbol.Integral.constant(1, increment.constant())));
            case ConstantInstruction constant -> constant(constant);
            case OperatorInstruction operator -> operator(operator.opcode());
            case ConvertInstruction convert -> push(SymbolicArithmetic.convert(convert.opcode(), pop(),
                    words(convert.toType().asLoadable())));
            case StackInstruction of -> arrange(new StackOperation<>(of.opcode(), Symbol::words));
            case FieldInstruction field -> field(field);
            case InvokeInstruction call -> call(call, position);
            case InvokeDynamicInstruction dynamic -> {
                arguments(dynamic.typeSymbol().parameterList());
                unknown(1);
                isClosed = true;
            }
            case NewObjectInstruction _ -> unknown(1);
            case ArrayLoadInstruction load -> {
                Symbol index = pop();
                access(position, pop(), index, true);
                unknown(words(load.typeKind().asLoadable()));
            }
            case ArrayStoreInstruction _ -> {
                pop();
                Symbol index = pop();
                access(position, pop(), index, false);
                effect();
            }
            default -> isClosed = true; // arrays that are made, and what is refused
        }
    }

    /** Of what a jump left on the stack nothing is known. */
    private void arrange(StackOperation<Symbol> operation) {
        if (stack.stream().mapToInt(Symbol::words).sum() < operation.needed()) {
            stack.clear();
        } else {
            operation.apply(stack, symbol -> symbol);
        }
    }

    private void constant(ConstantInstruction constant) {
        push(switch (constant.constantValue()) {
            case Integer value -> Symbol.Integral.constant(1, value);
            case Long value -> Symbol.Integral.constant(2, value);
            case Double _ -> new Symbol.Unknown(2);
            default -> new Symbol.Unknown(1);
        });
    }

    private void field(FieldInstruction field) {
        int words = words(TypeKind.from(field.typeSymbol()));
        switch (field.opcode()) {
            case GETSTATIC -> unknown(words);
            case GETFIELD -> {
                pop();
                unknown(words);
            }
            default -> isClosed = true;
        }
    }

    private void operator(Opcode opcode) {
        if (opcode == Opcode.ARRAYLENGTH) {
            push(pop() instanceof Symbol.Array array ? SymbolicArithmetic.value(array.text() + ".length", 1, false)
                    : new Symbol.Unknown(1));
        } else if (opcode.name().endsWith("NEG")) {
            push(SymbolicArithmetic.negation(opcode, pop()));
        } else {
            Symbol right = pop();
            Symbol left = pop();
            if (Arithmetic.mayStop(opcode) && !(right instanceof Symbol.Integral by && by.isConstant()
                    && by.form().constant() != 0)) {
                effect();
            }
            push(SymbolicArithmetic.binary(opcode, left, right));
        }
    }

    // ---- elements

    private void access(int position, Symbol array, Symbol index, boolean isRead) {
        firstUse = Math.min(firstUse, position);
        if (!(array instanceof Symbol.Array of)) {
            effect();
        } else {
            access(position, of, of.type().isLocal() ? of.type().elementCpp() : "", index, isRead);
        }
    }

    private void access(int position, Symbol.Array array, String element, Symbol index, boolean isRead) {
        firstUse = Math.min(firstUse, position);
        if (isCounting() && index instanceof Symbol.Integral known) {
            accesses.add(new Access(position, array, element, known, isRead));
        } else {
            unproven.put(position, new Access(position, array, element, null, isRead));
        }
    }

    // ---- calls

    private List<Symbol> arguments(List<ClassDesc> types) {
        List<Symbol> arguments = new ArrayList<>();
        for (ClassDesc type : types.reversed()) {
            Symbol argument = pop();
            int words = words(TypeKind.from(type));
            arguments.addFirst(argument.words() == words ? argument : new Symbol.Unknown(words)); // nothing known of what a jump left
        }
        return arguments;
    }

    private void call(InvokeInstruction call, int position) {
        List<Symbol> arguments = arguments(call.typeSymbol().parameterList());
        if (CallTranslator.isNullCheck(call)) {
            return;
        }
        boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
        if (!isStatic) {
            arguments.addFirst(pop());
        }
        int words = words(TypeKind.from(call.typeSymbol().returnType()));
        String signature = call.name().stringValue() + call.type().stringValue();
        Intrinsic intrinsic = isStatic ? Intrinsics.of(call.owner().asInternalName(), signature)
                : arguments.getFirst() instanceof Symbol.Array of ? Intrinsics.of(of.type(), signature) : null;
        if (intrinsic != null) {
            intrinsic(intrinsic, call, arguments, position, words);
        } else if (isStatic && arguments.stream().noneMatch(SymbolicRun::isThread)) {
            push(call, arguments, position, words);
        } else {
            effect();
            isClosed |= arguments.stream().anyMatch(SymbolicRun::isThread) || !call.name().equalsString("<init>") && !isStatic
                    && !(arguments.getFirst() instanceof Symbol.Unknown);
            unknown(words);
        }
    }

    /** True for a thread or block, whose methods may wait for others. */
    private static boolean isThread(Symbol symbol) {
        return symbol instanceof Symbol.Array of && !of.type().isCaptured() && !of.type().isLocal();
    }

    private void intrinsic(Intrinsic intrinsic, InvokeInstruction call, List<Symbol> arguments, int position, int words) {
        if (intrinsic.isPure()) {
            push(intrinsic, call, arguments, words);
            return;
        }
        int array = intrinsic.arrayArgument();
        if (array < 0) {
            effect();
            boolean isMeeting = !arguments.isEmpty() && isThread(arguments.getFirst()); // a fence has none
            isClosed |= isMeeting && !mayMeet();
            meets |= isMeeting;
        } else if (arguments.get(array) instanceof Symbol.Array of) {
            access(position, of, of.type() == KnownType.BUFFER ? intrinsic.element() : of.type().elementCpp(),
                    arguments.get(array + 1), intrinsic.isRead());
            if (!intrinsic.isRead()) {
                effect();
            }
        } else {
            effect();
        }
        unknown(words);
    }

    /** The value of a method without effects, if its arguments are known. */
    private void push(Intrinsic intrinsic, InvokeInstruction call, List<Symbol> arguments, int words) {
        List<Operand.Value> texts = new ArrayList<>();
        for (Symbol argument : arguments) {
            String text = argument instanceof Symbol.Array of ? of.text() : argument instanceof Symbol.Integral of ? of.text() : null;
            if (text != null) {
                texts.add(Operand.Value.fixed(Kind.Number.LONG, text));
            }
        }
        char type = call.typeSymbol().returnType().descriptorString().charAt(0);
        if (texts.size() == arguments.size() && (type == 'I' || type == 'J')) {
            push(SymbolicArithmetic.value(intrinsic.expression(texts, IndexCheck.STOP, () -> "0"), words, false));
        } else {
            unknown(words);
        }
    }

    private void push(InvokeInstruction call, List<Symbol> arguments, int position, int words) {
        SymbolicCalls.Start start = calls.start(call, arguments);
        if (start == null) {
            effect();
            unknown(words);
            return;
        }
        firstUse = start.hasAccesses() ? Math.min(firstUse, position) : firstUse;
        if (start.hasEffects()) {
            effect();
        }
        if (start.isFast() && isCounting()) {
            fastCalls.add(position);
            start.accesses().forEach(access -> accesses.add(new Access(position, access.array(), access.element(), access.index(),
                    access.isRead())));
        } else if (start.hasAccesses()) {
            effect();
        }
        if (words > 0) {
            push(start.result() == null ? new Symbol.Unknown(words) : start.result());
        }
    }
}
