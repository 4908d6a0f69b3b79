package org.pgas4j.kernels;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgas4j.kernel.KernelThread;

/** Tells which positions of a method a thread reaches before it has done anything that must not be done twice. */
final class Beginning {

    private static final String THREAD = KernelThread.class.getName().replace('.', '/');
    private static final Set<String> SAME_IN_A_WARP = Set.of("lanes", "threads", "block", "blocks");

    private final MethodShape shape;
    private final Effects effects;

    Beginning(MethodShape shape, Effects effects) {
        this.shape = shape;
        this.effects = effects;
    }

    /** True if the method comes to a position once at most, and nothing before it has effects. */
    boolean has(int position) {
        List<CodeElement> elements = shape.elements();
        return IntStream.range(position, elements.size())
                .noneMatch(i -> shape.targets(i).stream().anyMatch(target -> target < position))
                && !effects.isAny(elements, 0, position);
    }

    /** True if the threads of a warp that come to the method come to a position all or none. */
    boolean isTogether(int position) {
        return IntStream.range(0, position).noneMatch(i -> shape.targets(i).stream().anyMatch(target -> target > position)
                && !isSameInAWarp(i));
    }

    /** True for a jump by a condition of constants and numbers that all threads of a warp have in common. */
    private boolean isSameInAWarp(int jump) {
        if (!(shape.elements().get(jump) instanceof BranchInstruction branch)) {
            return false;
        }
        int needed = branch.opcode().name().startsWith("IF_I") ? 2 : branch.opcode().name().startsWith("IF") ? 1 : 0;
        for (int i = jump - 1; i >= 0 && needed > 0; i--) {
            if (shape.isBlock(i)) {
                return false;
            }
            if (shape.elements().get(i) instanceof Instruction instruction) {
                int taken = taken(instruction);
                if (taken < 0) {
                    return false;
                }
                needed += taken - 1;
            }
        }
        return needed == 0;
    }

    /** Operands of an instruction whose result depends on nothing else; -1 for others. */
    private static int taken(Instruction instruction) {
        return switch (instruction) {
            case ConstantInstruction _ -> 0;
            case LoadInstruction load when load.typeKind() == TypeKind.REFERENCE -> 0;
            case InvokeInstruction call when call.owner().asInternalName().equals(THREAD)
                    && SAME_IN_A_WARP.contains(call.name().stringValue()) && call.typeSymbol().parameterCount() == 0 -> 1;
            case ConvertInstruction _ -> 1;
            case OperatorInstruction operator when operator.opcode() != Opcode.ARRAYLENGTH ->
                operator.opcode().name().endsWith("NEG") ? 1 : 2;
            default -> -1;
        };
    }
}
