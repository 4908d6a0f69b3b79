package org.pgas4j.kernels;

import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.util.Set;

/** Translates one method, instruction by instruction; expressions, which stay on a stack of their texts, itself. */
final class MethodTranslator {

    private final MethodFrame frame;
    private final String name;
    private final FlowTranslator flow;
    private final ObjectTranslator objects;
    private final PrintTranslator prints;
    private final CallTranslator calls;
    private final PartTranslator parts;

    /**
     * @param owner class of the method, in internal form
     * @param name  of the function
     */
    MethodTranslator(Translation translation, String owner, MethodModel method, String name, Translation.Form form) {
        this.frame = new MethodFrame(translation, owner, method, new Copies(form, translation.calls().unchecked(owner, method, form)));
        this.name = name;
        this.flow = new FlowTranslator(frame);
        this.objects = new ObjectTranslator(frame);
        this.prints = new PrintTranslator(frame);
        this.calls = new CallTranslator(frame, prints);
        this.parts = new PartTranslator(frame, flow, translation.calls(), this::translate);
    }

    /** Appends the function to {@code out}, behind those that it calls. */
    Translation.Function translate(StringBuilder out) {
        String parameters = frame.parameters();
        Kind result = frame.result();
        parts.translate();
        out.append(frame.function(name, parameters, result));
        return new Translation.Function(name, result, frame.written());
    }

    private void translate(CodeElement element) {
        switch (element) {
            case LineNumber number -> frame.line(number.line());
            case LabelTarget target -> {
                if (flow.isBlock(target.label())) {
                    flow.begin(target.label());
                }
            }
            case java.lang.classfile.Instruction instruction when flow.isReachable() -> translate(instruction);
            default -> {
            }
        }
    }

    private void translate(java.lang.classfile.Instruction instruction) {
        switch (instruction) {
            case LoadInstruction load -> load(load);
            case StoreInstruction store -> store(store);
            case IncrementInstruction increment -> increment(increment);
            case ConstantInstruction constant -> constant(constant);
            case OperatorInstruction operator -> operator(operator.opcode());
            case ConvertInstruction convert -> {
                Operand.Value value = frame.popValue();
                frame.push(value.converted(convert.opcode()));
            }
            case BranchInstruction branch -> flow.branch(branch);
            case TableSwitchInstruction table -> flow.choose(table.cases(), table.defaultTarget());
            case LookupSwitchInstruction lookup -> flow.choose(lookup.cases(), lookup.defaultTarget());
            case ReturnInstruction give -> flow.giveBack(give);
            case InvokeInstruction call -> calls.call(call);
            case FieldInstruction field -> objects.field(field);
            case StackInstruction operation -> new StackOperation<>(operation.opcode(), Operand::words).apply(frame.stack(), this::atom);
            case NewObjectInstruction allocation -> objects.allocate(allocation);
            case ThrowInstruction _ -> flow.raise();
            case NewPrimitiveArrayInstruction array -> objects.makeArray(array);
            case ArrayLoadInstruction load -> objects.loadElement(load);
            case NewReferenceArrayInstruction _ when prints.makeArguments() -> {
            }
            case ArrayStoreInstruction store when store.typeKind() == TypeKind.REFERENCE -> prints.store();
            case ArrayStoreInstruction _ -> objects.storeElement();
            case InvokeDynamicInstruction dynamic -> calls.dynamic(dynamic);
            case TypeCheckInstruction check -> objects.check(check);
            case MonitorInstruction _ -> throw frame.refused("uses synchronized", "use atomic operations of the arrays");
            case java.lang.classfile.instruction.NopInstruction _ -> {
            }
            default -> refuseAllocation(instruction);
        }
    }

    private void refuseAllocation(java.lang.classfile.Instruction instruction) {
        if (instruction.opcode() == Opcode.ANEWARRAY) {
            prints.callOfArguments().ifPresent(calls::refuse);
        }
        throw switch (instruction.opcode()) {
            case ANEWARRAY, MULTIANEWARRAY -> frame.refused("allocates an array of objects",
                    "use an array of numbers for each component, with a constant length");
            default -> frame.refused("uses " + instruction.opcode(), "compile it with javac");
        };
    }

    private Operand atom(Operand operand) {
        return operand instanceof Operand.Value value && !value.atom() ? frame.temporary(value) : operand;
    }

    private void load(LoadInstruction load) {
        if (load.typeKind() == TypeKind.REFERENCE) {
            Kind kind = frame.objects().get(load.slot());
            if (frame.isConstructor() && load.slot() == 0) {
                frame.push(new Operand.Self(kind));
                return;
            }
            if (kind == null) {
                throw frame.refused("uses an object that is neither a record, a shared array nor a buffer",
                        "copy the numbers that it needs to local variables before the kernel");
            }
            frame.arrays().load(load.slot());
            String variable = frame.variable(kind, load.slot());
            frame.stack().add(new Operand.Value(kind, variable, true, Set.of(variable)));
            return;
        }
        Kind kind = MethodFrame.number(load.typeKind());
        String variable = frame.declared(kind, frame.variable(kind, load.slot()));
        frame.stack().add(new Operand.Value(kind, variable, true, Set.of(variable)).within(frame.ranges().of(variable)));
    }

    private void store(StoreInstruction store) {
        Operand stored = frame.stack().getLast();
        Operand.Value value = frame.popValue();
        frame.arrays().store(stored, store.slot(),
                frame.stack().contains(stored) || frame.isRead(frame.variable(value.kind(), store.slot())),
                frame.copies().position());
        if (!(value.kind() instanceof Kind.Number)) {
            frame.objects().put(store.slot(), value.kind());
            if (value.kind() instanceof Kind.Known known && known.type().isMemory()) {
                frame.write("a copy of a reference");
            }
        }
        String variable = frame.declared(value.kind(), frame.variable(value.kind(), store.slot()));
        frame.keep(variable);
        frame.emit(variable + " = " + value.text() + ";");
        frame.ranges().set(store.slot(), variable, value.range());
    }

    private void increment(IncrementInstruction increment) {
        String variable = frame.declared(Kind.Number.INT, frame.variable(Kind.Number.INT, increment.slot()));
        frame.keep(variable);
        String by = Literals.of(increment.constant());
        frame.emit(variable + " = " + (frame.copies().isExact() ? variable + " + " + by : "pgas_add(" + variable + ", " + by + ")") + ";");
        frame.ranges().set(increment.slot(), variable,
                IntRange.of(Opcode.IADD, frame.ranges().of(variable), IntRange.of(increment.constant())));
    }

    private void constant(ConstantInstruction constant) {
        switch (constant.constantValue()) {
            case Integer value -> frame.push(Operand.Value.fixed(Kind.Number.INT, Literals.of(value)).within(IntRange.of(value)));
            case Long value -> frame.push(Operand.Value.fixed(Kind.Number.LONG, Literals.of(value)));
            case Float value -> frame.push(Operand.Value.fixed(Kind.Number.FLOAT, Literals.of(value)));
            case Double value -> frame.push(Operand.Value.fixed(Kind.Number.DOUBLE, Literals.of(value)));
            case ClassDesc type -> throw frame.refused("uses class " + type.displayName() + " as an object", "decide on the host");
            case Object other -> frame.push(new Operand.Text(other.toString(), other instanceof String));
        }
    }

    private void operator(Opcode opcode) {
        if (opcode == Opcode.ARRAYLENGTH) {
            Operand.Value array = frame.popValue();
            frame.push(Kind.Number.INT, array.part() + ".length", true, array.reads());
            return;
        }
        if (opcode.name().endsWith("NEG")) {
            Operand.Value value = frame.popValue();
            frame.push(value.kind(), Arithmetic.negation(opcode, value), false, value.reads());
            return;
        }
        Operand.Value right = frame.popValue();
        Operand.Value left = frame.popValue();
        switch (opcode) {
            case LCMP -> frame.push(new Operand.Comparison(left, right, 0));
            case FCMPL, DCMPL -> frame.push(new Operand.Comparison(left, right, -1));
            case FCMPG, DCMPG -> frame.push(new Operand.Comparison(left, right, 1));
            default -> frame.push(result(opcode, left, right).within(IntRange.of(opcode, left.range(), right.range())));
        }
    }

    private Operand.Value result(Opcode opcode, Operand.Value left, Operand.Value right) {
        String name = Arithmetic.name(opcode);
        if (Arithmetic.mayStop(opcode) && right.isDivisor()) {
            return new Operand.Value(left.kind(), left.part() + (name.equals("DIV") ? " / " : " % ") + right.part(), false,
                    MethodFrame.both(left, right));
        }
        if (Arithmetic.mayStop(opcode)) {
            return frame.temporary(left.kind(), "pgas_" + name.toLowerCase(java.util.Locale.ROOT) + "(" + left.text() + ", "
                    + right.text() + ", cx, " + frame.stop(null) + ")");
        }
        if (frame.copies().isExact()) {
            return new Operand.Value(left.kind(), left.part() + (name.equals("SUB") ? " - " : " + ") + right.part(), false,
                    MethodFrame.both(left, right));
        }
        return new Operand.Value(Arithmetic.kind(opcode), Arithmetic.expression(opcode, left, right), false,
                MethodFrame.both(left, right)).withExact(Arithmetic.exact(opcode, left, right), Arithmetic.plain(opcode, left, right));
    }
}
