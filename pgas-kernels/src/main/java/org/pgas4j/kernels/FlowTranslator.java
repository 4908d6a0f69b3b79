package org.pgas4j.kernels;

import java.lang.classfile.Attributes;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.StackMapFrameInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.ObjectVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.SimpleVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.UninitializedVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.VerificationTypeInfo;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Labels, branches and ends of a method. Each run of instructions between two frames of its StackMapTable becomes a block with a
 * label; what is on the operand stack between blocks is in variables named by its depth.
 */
final class FlowTranslator {

    private static final Operand NONE = new Operand.Allocated(Object.class); // no constant
    private static final Operand SOME_TEXT = new Operand.Text("?", false);

    private final MethodFrame frame;
    private final Map<Label, StackMapFrameInfo> frames = new HashMap<>();
    private final Map<Label, Integer> labels = new HashMap<>();
    private final Map<Label, Set<Integer>> selves = new HashMap<>(); // depths of the stack at which a constructor's record is
    private final Map<Label, Map<Integer, Operand>> constants = new HashMap<>(); // that all jumps to a label leave, by depth
    private final Set<Label> begun = new HashSet<>();
    private final Map<Label, Class<?>> handlers = new HashMap<>();   // caught exceptions; null: of any class
    private boolean reachable = true;

    FlowTranslator(MethodFrame frame) {
        this.frame = frame;
        frame.code().findAttribute(Attributes.stackMapTable()).ifPresent(table -> table.entries().forEach(entry -> {
            frames.put(entry.target(), entry);
            labels.put(entry.target(), labels.size());
        }));
        frame.code().exceptionHandlers().forEach(handler -> handlers.put(handler.handler(), handler.catchType()
                .<Class<?>>map(type -> frame.translation().files().type(type.asInternalName())).orElse(null)));
    }

    /** False behind a jump, until the next label. */
    boolean isReachable() {
        return reachable;
    }

    /** Goes on behind a jump, where a label is. */
    void reach() {
        reachable = true;
    }

    /** Kinds of the local variables at a label, by slot. */
    Map<Integer, Kind> locals(Label label) {
        Map<Integer, Kind> kinds = new HashMap<>();
        int slot = 0;
        for (VerificationTypeInfo type : frames.get(label).locals()) {
            Kind kind = type instanceof ObjectVerificationTypeInfo object ? object(object) : kind(type);
            if (kind != null) {
                kinds.put(slot, kind);
            }
            slot += type == SimpleVerificationTypeInfo.LONG || type == SimpleVerificationTypeInfo.DOUBLE ? 2 : 1;
        }
        return kinds;
    }

    /** True if a block starts at a label. */
    boolean isBlock(Label label) {
        return frames.containsKey(label);
    }

    private void noteConstants(Label target) {
        Map<Integer, Operand> known = constants.computeIfAbsent(target, _ -> new HashMap<>());
        for (int depth = 0; depth < frame.stack().size(); depth++) {
            Operand operand = frame.stack().get(depth);
            Operand before = known.get(depth);
            Operand merged = known.merge(depth, operand.isConstant() ? operand : NONE, FlowTranslator::merged);
            if (before != null && !before.equals(merged) && begun.contains(target)) {
                throw frame.refused("jumps back with another value on the stack", "compile it with javac");
            }
        }
    }

    private static Operand merged(Operand before, Operand now) {
        return before.equals(now) ? before : before instanceof Operand.Text && now instanceof Operand.Text ? SOME_TEXT : NONE;
    }

    private boolean isCollected(Label target, int depth, Operand operand) {
        return operand instanceof Operand.Arguments || operand instanceof Operand.Text
                && frames.get(target).stack().get(depth) instanceof ObjectVerificationTypeInfo type
                && type.className().asInternalName().equals("java/lang/String");
    }

    /** Puts the stack into the variables in which the block at {@code target} expects it. */
    private void leave(Label target) {
        noteConstants(target);
        for (int depth = 0; depth < frame.stack().size(); depth++) {
            Operand operand = frame.stack().get(depth);
            if (operand instanceof Operand.Self) {
                selves.computeIfAbsent(target, _ -> new HashSet<>()).add(depth);
            } else if (!(operand instanceof Operand.Allocated) && !isCollected(target, depth, operand)) { // which have no value
                frame.stack().set(depth, leave(depth, frame.value(operand)));
            }
        }
    }

    private Operand.Value leave(int depth, Operand.Value value) {
        String variable = "s" + depth + "_" + value.kind().letter();
        frame.variables().putIfAbsent(variable, value.kind().cpp());
        frame.emit(variable + " = " + value.text() + ";");
        return value;
    }

    void begin(Label label) {
        if (handlers.containsKey(label)) {
            refuseHandler(label);
        }
        if (reachable) {
            leave(label);
        }
        begun.add(label);
        StackMapFrameInfo entry = frames.get(label);
        frame.label(label(label));
        reachable = true;
        readLocals(entry.locals());
        frame.stack().clear();
        for (VerificationTypeInfo type : entry.stack()) {
            frame.stack().add(entered(label, type));
        }
    }

    private Operand entered(Label label, VerificationTypeInfo type) {
        int depth = frame.stack().size();
        if (selves.getOrDefault(label, Set.of()).contains(depth)) {
            return new Operand.Self(frame.objects().get(0));
        }
        Operand constant = constants.getOrDefault(label, Map.of()).getOrDefault(depth, NONE);
        if (constant.isConstant()) {
            return constant;
        }
        if (type instanceof UninitializedVerificationTypeInfo allocated) {
            return new Operand.Allocated(allocatedAt(allocated.newTarget()));
        }
        Kind kind = kind(type);
        if (kind == null) {
            throw frame.refused("has a value of no known kind", "use numbers and records");
        }
        return frame.temporary(kind, "s" + depth + "_" + kind.letter());
    }

    private void refuseHandler(Label label) {
        boolean found = false;
        for (CodeElement element : frame.code().elementList()) {
            if (element instanceof LineNumber number) {
                frame.line(number.line());
            }
            if (found && element instanceof java.lang.classfile.Instruction) {
                break;
            }
            found |= element instanceof LabelTarget target && target.label().equals(label);
        }
        Class<?> type = handlers.get(label);
        if (type == null) {
            throw frame.refused("has a finally block", "write what it does where it is due; an exception ends the launch");
        }
        throw frame.refused("catches " + type.getName(), "test for the case before it happens; an exception ends the launch");
    }

    private Class<?> allocatedAt(Label label) {
        boolean found = false;
        for (CodeElement element : frame.code().elementList()) {
            found |= element instanceof LabelTarget target && target.label().equals(label);
            if (found && element instanceof NewObjectInstruction made) {
                return frame.translation().files().type(made.className().asInternalName());
            }
        }
        throw frame.refused("allocates in an unknown place", "compile it with javac");
    }

    private void readLocals(List<VerificationTypeInfo> locals) {
        frame.objects().clear();
        int slot = 0;
        for (VerificationTypeInfo type : locals) {
            if (frame.isConstructor() && slot == 0) {
                frame.objects().put(0, frame.kindOf(frame.translation().files().type(frame.owner())));
            } else if (type instanceof ObjectVerificationTypeInfo object) {
                Kind kind = object(object);
                if (kind != null) {
                    frame.objects().put(slot, kind);
                }
            }
            slot += type == SimpleVerificationTypeInfo.LONG || type == SimpleVerificationTypeInfo.DOUBLE ? 2 : 1;
        }
    }

    /** Kind of an object that kernels have; null for others. */
    private Kind object(ObjectVerificationTypeInfo object) {
        Class<?> type = frame.translation().files().type(object.className().asInternalName());
        return type.isRecord() || KnownType.of(type) != null ? frame.kindOf(type) : null;
    }

    private Kind kind(VerificationTypeInfo type) {
        return switch (type) {
            case SimpleVerificationTypeInfo simple -> switch (simple) {
                case INTEGER -> Kind.Number.INT;
                case LONG -> Kind.Number.LONG;
                case FLOAT -> Kind.Number.FLOAT;
                case DOUBLE -> Kind.Number.DOUBLE;
                default -> null;
            };
            case ObjectVerificationTypeInfo object ->
                frame.kindOf(frame.translation().files().type(object.className().asInternalName()));
            case UninitializedVerificationTypeInfo _ -> null;
        };
    }

    String label(Label target) {
        return frame.copies().label(target, "L" + labels.get(target));
    }

    void branch(BranchInstruction branch) {
        if (branch.opcode() == Opcode.GOTO || branch.opcode() == Opcode.GOTO_W) {
            leave(branch.target());
            frame.emit("goto " + label(branch.target()) + ";");
            reachable = false;
            return;
        }
        if (frame.stack().getLast() instanceof Operand.Value value && BlockIntrinsics.isNullTest(branch.opcode(), value.kind())) {
            frame.pop();
            leave(branch.target());
            frame.emit("if (" + value.part() + ".start " + (branch.opcode() == Opcode.IFNULL ? "==" : "!=") + " 0) goto "
                    + label(branch.target()) + ";");
            return;
        }
        String relation = Arithmetic.relation(branch.opcode());
        if (relation == null) {
            throw frame.refused("compares references", "kernels have numbers and records; compare their components");
        }
        String condition;
        Operand.Value compared = null;
        IntRange with = IntRange.of(0);
        if (branch.opcode().name().startsWith("IF_")) {
            Operand.Value right = frame.popValue();
            Operand.Value left = frame.popValue();
            condition = left.part() + " " + relation + " " + right.part();
            compared = left;
            with = right.range();
        } else if (frame.stack().getLast() instanceof Operand.Comparison of) {
            frame.pop();
            condition = Arithmetic.condition(relation, of);
        } else {
            compared = frame.popValue();
            condition = compared.part() + " " + relation + " 0";
        }
        leave(branch.target());
        frame.emit("if (" + condition + ") goto " + label(branch.target()) + ";");
        if (compared != null && compared.atom() && compared.reads().contains(compared.text())) {
            frame.ranges().hold(compared.text(), Arithmetic.opposite(relation), with);
        }
    }

    void choose(List<SwitchCase> cases, Label other) {
        Operand.Value value = frame.popValue();
        leave(other);
        cases.forEach(one -> selves.put(one.target(), selves.getOrDefault(other, Set.of())));
        cases.forEach(one -> noteConstants(one.target()));
        frame.emit("switch (" + value.text() + ") {");
        cases.forEach(one -> frame.emit("case " + Literals.of(one.caseValue()) + ": goto " + label(one.target()) + ";"));
        frame.emit("default: goto " + label(other) + ";");
        frame.emit("}");
        reachable = false;
    }

    void giveBack(ReturnInstruction give) {
        if (give.typeKind() == TypeKind.REFERENCE) {
            frame.arrays().giveBack(frame.stack().getLast());
        }
        frame.emit(frame.isConstructor() ? "return " + MethodFrame.SELF + ";"
                : give.typeKind() == TypeKind.VOID ? "return;" : "return " + frame.popValue().text() + ";");
        reachable = false;
    }

    void raise() {
        if (!(frame.pop() instanceof Operand.Exception thrown)) {
            throw frame.refused("throws something that it did not make there", "throw new SomeException(\"constant text\")");
        }
        String what = thrown.type().getName() + (thrown.message() == null ? "" : ": " + thrown.message());
        frame.emit("pgas_stop(cx, PGAS_THROWN, " + frame.stop(what) + ", 0, 0);");
        reachable = false;
    }
}
