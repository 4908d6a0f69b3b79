package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Set;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.KernelThread;

/** Fields, constants of classes, records that are made, and arrays of the method or the block. */
final class ObjectTranslator {

    private final MethodFrame frame;

    ObjectTranslator(MethodFrame frame) {
        this.frame = frame;
    }

    void check(TypeCheckInstruction check) {
        if (check.opcode() == Opcode.INSTANCEOF) {
            throw frame.refused("tests a class by instanceof", "kernels know the class of everything when they are translated");
        }
    }

    void allocate(NewObjectInstruction allocation) {
        Class<?> type = frame.translation().files().type(allocation.className().asInternalName());
        if (!type.isRecord() && !Throwable.class.isAssignableFrom(type) && type != StringBuilder.class) {
            throw frame.refused("allocates an object of " + type.getName(), "use a record of numbers, which is a value in a kernel");
        }
        frame.push(new Operand.Allocated(type));
    }

    void field(FieldInstruction field) {
        String of = field.name().stringValue();
        switch (field.opcode()) {
            case GETSTATIC -> frame.push(constantOf(field));
            case GETFIELD -> {
                Operand.Value record = frame.popValue();
                if (!(record.kind() instanceof Kind.Struct struct)) {
                    throw frame.refused("reads field " + of + " of an object", "copy it to a local variable before the kernel");
                }
                frame.push(struct.struct().kind(of), struct.struct().read(record.part(), of), false, record.reads());
            }
            case PUTFIELD -> {
                Operand.Value value = frame.popValue();
                if (!(frame.pop() instanceof Operand.Self self && self.kind() instanceof Kind.Struct struct)) {
                    throw frame.refused("writes field " + of, "kernels write arrays and local variables");
                }
                frame.keep(MethodFrame.SELF);
                frame.emit(struct.struct().write(MethodFrame.SELF, of, value.part()));
            }
            default -> throw frame.refused("writes the static field " + of, "kernels write arrays and local variables");
        }
    }

    private Operand constantOf(FieldInstruction instruction) {
        String of = instruction.name().stringValue();
        if (of.equals("$assertionsDisabled")) {
            return Operand.Value.fixed(Kind.Number.INT, "1");
        }
        try {
            Field field = frame.translation().files().type(instruction.owner().asInternalName()).getDeclaredField(of);
            Operand constant = BlockIntrinsics.constant(field);
            if (constant != null) {
                return constant;
            }
            if (field.getType().isEnum() || of.startsWith("$SwitchMap$")) {
                throw frame.refused("uses an enum", "use its number: take ordinal() before the kernel");
            }
            if (!field.getType().isPrimitive()) {
                throw frame.refused("reads the static field " + of + ", which is no number", field.getType().isArray()
                        ? "copy it to a shared array or a Buffer, or make it in the kernel"
                        : field.getType() == java.io.PrintStream.class ? "use printf of the thread"
                        : "kernels have numbers and records");
            }
            if (!Modifier.isFinal(field.getModifiers())) {
                throw frame.refused("reads the static field " + of + ", which is not final",
                        "copy it to a local variable before the kernel");
            }
            field.setAccessible(true);
            return switch (field.get(null)) {
                case Boolean value -> Operand.Value.fixed(Kind.Number.INT, value ? "1" : "0");
                case Character value -> Operand.Value.fixed(Kind.Number.INT, Literals.of((int) value));
                case Long value -> Operand.Value.fixed(Kind.Number.LONG, Literals.of(value));
                case Float value -> Operand.Value.fixed(Kind.Number.FLOAT, Literals.of(value));
                case Double value -> Operand.Value.fixed(Kind.Number.DOUBLE, Literals.of(value));
                case Object value -> Operand.Value.fixed(Kind.Number.INT, Literals.of(((java.lang.Number) value).intValue()));
            };
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            if (e instanceof KernelRefusedException refusal) {
                throw refusal;
            }
            throw frame.refused("reads the static field " + of + ", which cannot be read: " + e, "pass it as a local variable");
        }
    }

    void makeArray(NewPrimitiveArrayInstruction array) {
        Operand.Value length = frame.popValue();
        KnownType type = KnownType.of(frame.translation().files().type(array.typeKind().upperBound().arrayType()));
        if (type == null) {
            throw frame.refused("allocates an array of " + array.typeKind().upperBound().displayName(),
                    "use one of int, long, float or double");
        }
        String memory = frame.arrays().memory(type, length);
        Kind kind = new Kind.Known(type);
        frame.variables().put(memory + "[" + Math.max(1, Integer.parseInt(length.text())) + "]", type.elementCpp());
        String making = frame.copies().isAgain() ? "pgas_made_in_memory(" : "pgas_made(";
        frame.push(frame.arrays().fresh(kind, frame.temporary(kind, making + memory + ", " + length.text() + ")").text()));
    }

    private Operand.Value element() {
        Operand.Value index = frame.popValue();
        Operand.Value array = frame.popValue();
        if (!(array.kind() instanceof Kind.Known)) {
            throw frame.refused("uses an array that is not memory of its block", "use KernelThread.sharedFloats and its kin, or a Buffer");
        }
        IndexCheck check = frame.copies().check();
        String most = index.range().least() >= 0 && index.range().most() < Integer.MAX_VALUE ? ", " + index.range().most() : "";
        String arguments = check == IndexCheck.STOP ? most + ", cx, " + frame.stop(null) : check.arguments();
        return new Operand.Value(array.kind(), "*pgas_element(" + array.text() + ", " + check.index(index) + arguments + ")", false,
                Set.of());
    }

    void loadElement(ArrayLoadInstruction load) {
        frame.push(frame.temporary(MethodFrame.number(load.typeKind()), element().text()));
    }

    void storeElement() {
        Operand.Value value = frame.popValue();
        frame.emit(element().text() + " = " + value.text() + ";");
    }
}
