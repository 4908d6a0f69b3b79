package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.List;
import java.util.Set;
import org.pgas4j.kernel.KernelThread;

/** Calls: of methods that are translated themselves, of those that kernels have in C++, and of constructors. */
final class CallTranslator {

    private static final Set<String> BOXES = Set.of("java/lang/Integer", "java/lang/Long", "java/lang/Float", "java/lang/Double",
            "java/lang/Boolean", "java/lang/Byte", "java/lang/Short", "java/lang/Character");

    private final MethodFrame frame;
    private final PrintTranslator prints;

    CallTranslator(MethodFrame frame, PrintTranslator prints) {
        this.frame = frame;
        this.prints = prints;
    }

    private void construct(InvokeInstruction call) {
        List<Operand> arguments = frame.arguments(call.typeSymbol());
        Operand made = frame.pop();
        if (made instanceof Operand.Self) { // super() or this(...)
            if (call.owner().asInternalName().equals(frame.owner())) {
                frame.emit(MethodFrame.SELF + " = " + invoke(call, arguments) + ";");
            }
            return;
        }
        Class<?> type = ((Operand.Allocated) made).type();
        Operand result = type == StringBuilder.class ? textOf(arguments)
                : type.isRecord() ? frame.temporary(frame.kindOf(type), invoke(call, arguments))
                : new Operand.Exception(type, arguments.stream().filter(Operand.Text.class::isInstance).map(Operand.Text.class::cast)
                        .map(Operand.Text::value).findFirst().orElse(null));
        if (!frame.stack().isEmpty() && frame.stack().getLast() instanceof Operand.Allocated) {
            frame.stack().removeLast();
            frame.push(result); // the copy that was made for it
        }
    }

    private String invoke(InvokeInstruction call, List<Operand> arguments) {
        String list = list(arguments);
        String of = BlockIntrinsics.owner(call.owner().asInternalName(), call.name().stringValue());
        Translation.Form form = frame.copies().form();
        if (form == Translation.Form.FIRST) {
            frame.translation().comeFirst(frame.copies().isTogether());
        }
        Translation.Function function = frame.translation().function(frame.site(null), of,
                call.name().stringValue(), call.type().stringValue(), form);
        for (int written : function.written()) {
            if (arguments.get(written) instanceof Operand.Value value && isMemory(value)) {
                frame.write(value.text());
            }
        }
        return function.name() + list;
    }

    private static boolean isMemory(Operand.Value value) {
        return value.kind() instanceof Kind.Known known && known.type().isMemory();
    }

    private String list(List<Operand> arguments) {
        StringBuilder list = new StringBuilder("(cx");
        arguments.forEach(argument -> list.append(", ").append(frame.value(argument).text()));
        return list.append(')').toString();
    }

    void call(InvokeInstruction call) {
        if (call.name().equalsString("<init>")) {
            construct(call);
            return;
        }
        if (isBlockMemory(call)) {
            giveBlockMemory(call);
            return;
        }
        if (isNullCheck(call)) {
            frame.arguments(call.typeSymbol());
            return;
        }
        if (call.owner().asInternalName().equals("java/util/Objects") && call.name().equalsString("requireNonNull")
                && call.typeSymbol().parameterCount() == 1) {
            return; // it gives what it takes, and nothing in a kernel is null
        }
        if (call.owner().asInternalName().equals("java/lang/StringBuilder")) {
            text(call);
            return;
        }
        if (call.name().equalsString("valueOf") && BOXES.contains(call.owner().asInternalName())) {
            if (prints.box(call)) {
                return;
            }
            throw frame.refused("makes an object of " + call.owner().asInternalName().replace('/', '.'), "use the primitive type");
        }
        refuse(call);
        List<Operand> arguments = frame.arguments(call.typeSymbol());
        boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
        arguments.replaceAll(argument -> BlockIntrinsics.text(call, argument));
        if (PrintTranslator.isPrint(call)) {
            prints.replaceLine(arguments);
        }
        refuseTypes(call, arguments);
        refuseOperations(call, arguments);
        if (!isStatic) {
            arguments.addFirst(frame.value(frame.pop()));
        }
        Intrinsic intrinsic = intrinsic(call, isStatic ? null : ((Operand.Value) arguments.getFirst()).kind());
        Class<?> type = frame.translation().files().type(call.typeSymbol().returnType());
        Kind kind = type == void.class ? null : frame.kindOf(type);
        if (intrinsic != null) {
            apply(intrinsic, arguments, kind);
            return;
        }
        if (!isStatic && !isTranslated(((Operand.Value) arguments.getFirst()).kind(), call)) {
            throw frame.refused("calls " + call.owner().asInternalName().replace('/', '.') + "." + call.name().stringValue()
                    + ", which kernels do not have", "docs/kernels.md lists what they have");
        }
        String expression = invoke(call, arguments);
        if (kind == null) {
            frame.emit(expression + ";");
        } else {
            frame.push(frame.temporary(kind, expression));
        }
    }

    /** Refuses a call against which there is advice. */
    void refuse(InvokeInstruction call) {
        String advice = advice(call);
        if (advice != null) {
            throw frame.refused("calls " + call.owner().asInternalName().replace('/', '.') + "." + call.name().stringValue()
                    + ", which kernels do not have", advice);
        }
    }

    private void refuseTypes(InvokeInstruction call, List<Operand> arguments) {
        for (Operand argument : arguments) {
            String advice = BlockIntrinsics.typeAdvice(call, argument);
            if (advice != null) {
                throw frame.refused("calls " + call.owner().asInternalName().replace('/', '.') + "." + call.name().stringValue()
                        + " with a type that it does not take", advice);
            }
        }
    }

    private void refuseOperations(InvokeInstruction call, List<Operand> arguments) {
        for (Operand argument : arguments) {
            String advice = OperationAdvice.of(call, frame.translation().files(), argument);
            if (advice != null) {
                throw frame.refused("calls " + call.owner().asInternalName().replace('/', '.') + "." + call.name().stringValue()
                        + " with an operation that it does not take", advice);
            }
        }
    }

    /** Advice against a call, or null. */
    private static String advice(InvokeInstruction call) {
        String name = call.name().stringValue();
        return switch (call.owner().asInternalName() + "." + name) {
            case "java/lang/System.arraycopy", "java/util/Arrays.copyOf", "java/util/Arrays.copyOfRange" ->
                "copy the elements in a loop";
            case "java/lang/System.nanoTime", "java/lang/System.currentTimeMillis" ->
                "measure on the host, or in a block program by startTimer";
            case "java/lang/Math.random" -> "make random numbers of the index, by arithmetic of longs";
            default -> name.equals("clone") && call.owner().asInternalName().startsWith("[") ? "copy the elements in a loop"
                    : name.equals("equals") && call.type().equalsString("(Ljava/lang/Object;)Z") ? "compare the components"
                    : BlockIntrinsics.advice(call);
        };
    }

    /** The JDK's own classes make the texts of exceptions so. */
    private void text(InvokeInstruction call) {
        List<Operand> arguments = frame.arguments(call.typeSymbol());
        String name = call.name().stringValue();
        if (!(frame.pop() instanceof Operand.Text before) || !name.equals("append") && !name.equals("toString")) {
            throw frame.refused("calls StringBuilder." + name, "kernels have numbers and records; make texts on the host");
        }
        frame.push(new Operand.Text(before.value() + textOf(arguments).value(), false));
    }

    private static Operand.Text textOf(List<Operand> arguments) {
        StringBuilder all = new StringBuilder();
        arguments.forEach(argument -> all.append(argument instanceof Operand.Text of ? of.value() : "?"));
        return new Operand.Text(all.toString(), false);
    }

    /** True for methods of records, and those of a thread that stand on others. */
    private boolean isTranslated(Kind receiver, InvokeInstruction call) {
        String of = BlockIntrinsics.owner(call.owner().asInternalName(), call.name().stringValue());
        return receiver instanceof Kind.Struct || receiver instanceof Kind.Known known && (known.type() == KnownType.THREAD
                || known.type() == KnownType.GRID_RANK)
                && frame.translation().files().method(of, call.name().stringValue(), call.type().stringValue()) != null;
    }

    /** True for Kotlin's checks of parameters, of which kernels have none that are null. */
    static boolean isNullCheck(InvokeInstruction call) {
        return call.owner().asInternalName().equals("kotlin/jvm/internal/Intrinsics")
                && call.type().equalsString("(Ljava/lang/Object;Ljava/lang/String;)V");
    }

    /** True for calls that give memory of the block. */
    static boolean isBlockMemory(InvokeInstruction call) {
        String of = call.owner().asInternalName();
        return (of.equals(KernelThread.class.getName().replace('.', '/')) || of.equals(BlockIntrinsics.RANK))
                && call.name().stringValue().startsWith("shared") && call.type().stringValue().startsWith("(I)[");
    }

    /** Memory of the block lies at a place of its own for each call in the program, so its length must be known. */
    private void giveBlockMemory(InvokeInstruction call) {
        Operand.Value length = frame.popValue();
        frame.popValue();
        if (!length.text().matches("\\d+")) {
            throw frame.refused("asks for memory of the block of a length that is no constant",
                    "give a literal or a static final int");
        }
        Kind kind = frame.kindOf(frame.translation().files().type(call.typeSymbol().returnType()));
        KnownType type = ((Kind.Known) kind).type();
        long offset = frame.translation().blockMemory(frame.place(), Long.parseLong(length.text()),
                type.elementBytes());
        frame.push(frame.arrays().fresh(kind, frame.temporary(kind, type.cpp().replace("pgas_local", "pgas_shared") + "(" + offset
                + ", " + length.text() + ")").text()));
    }

    private Intrinsic intrinsic(InvokeInstruction call, Kind receiver) {
        String signature = call.name().stringValue() + call.type().stringValue();
        return receiver instanceof Kind.Known known ? Intrinsics.of(known.type(), signature)
                : Intrinsics.of(call.owner().asInternalName(), signature);
    }

    private void apply(Intrinsic intrinsic, List<Operand> arguments, Kind kind) {
        List<Operand.Value> values = arguments.stream().map(frame::value).toList();
        boolean isDropped = kind != null && !intrinsic.isPure() && frame.dropsResult();
        String expression = (isDropped ? intrinsic.dropped() : intrinsic).expression(values, frame.copies().check(),
                () -> frame.stop(null));
        note(intrinsic, values);
        if (intrinsic.isAtomic()) {
            frame.translation().useAtomics();
        }
        if (!intrinsic.isPure() && !intrinsic.isPrint() && !values.isEmpty() && values.getFirst().kind() instanceof Kind.Known known
                && known.type() == KnownType.THREAD) {
            frame.translation().useBlocks();
        }
        if (kind == null || isDropped) {
            frame.emit(expression + ";");
            if (isDropped) {
                frame.push(Operand.Value.fixed(kind, "0"));
            }
        } else if (intrinsic.isPure()) {
            Set<String> reads = new java.util.HashSet<>();
            values.forEach(value -> reads.addAll(value.reads()));
            frame.push(new Operand.Value(kind, expression, false, reads)
                    .within(Intrinsics.THREAD_NUMBERS.getOrDefault(expression, IntRange.ALL)));
        } else {
            frame.push(frame.temporary(kind, expression));
        }
    }

    /** Notes what a method writes; whatever waits for others may see anything change. */
    private void note(Intrinsic intrinsic, List<Operand.Value> values) {
        if (!intrinsic.isPure() && values.isEmpty()) {
            frame.write("what others write"); // a fence
            return;
        }
        if (intrinsic.isPure() || intrinsic.isRead() || !(values.getFirst().kind() instanceof Kind.Known known)) {
            return;
        }
        if (isMemory(values.getFirst())) {
            frame.write(values.getFirst().text());
        } else if (known.type() != KnownType.THREAD) {
            frame.write("what others write");
        }
    }

    /** Texts that only exceptions take: their values are not in the message of a kernel. */
    void dynamic(InvokeDynamicInstruction dynamic) {
        if (!dynamic.name().equalsString("makeConcatWithConstants")) {
            throw switch (dynamic.name().stringValue()) {
                case "equals", "hashCode", "toString" -> frame.refused("calls " + dynamic.name() + " of a record", "use its components");
                case "typeSwitch", "enumSwitch" -> frame.refused("switches on objects", "switch on numbers");
                default -> frame.refused("makes a lambda expression", "call a static method");
            };
        }
        frame.arguments(dynamic.typeSymbol());
        frame.push(new Operand.Text(String.valueOf(dynamic.bootstrapArgs().getFirst()).replace("\1", "?"), false));
    }
}
