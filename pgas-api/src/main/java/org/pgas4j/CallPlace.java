package org.pgas4j;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;

/**
 * Place of a call in the code of a method.
 *
 * @param method     name of the method
 * @param descriptor of the method
 * @param index      of the call, bytes from the start of the code
 * @param called     name of the method that is called there
 */
record CallPlace(String method, String descriptor, int index, String called) {

    /** True if the call is there, and no way of normal control from it returns from the method. */
    boolean onlyThrows(ClassModel type) {
        return type.methods().stream()
                .filter(m -> m.methodName().equalsString(method) && m.methodType().equalsString(descriptor))
                .findFirst().flatMap(m -> m.findAttribute(Attributes.code())).filter(this::onlyThrows).isPresent();
    }

    private boolean onlyThrows(CodeAttribute code) {
        TreeMap<Integer, Instruction> instructions = new TreeMap<>();
        int end = 0;
        for (CodeElement element : code) {
            if (element instanceof Instruction instruction) {
                instructions.put(end, instruction);
                end += instruction.sizeInBytes();
            }
        }
        // An agent may have changed the code that runs: then the file has something else here.
        return instructions.get(index) instanceof InvokeInstruction call && call.name().equalsString(called)
                && !mayReturn(code, instructions);
    }

    private boolean mayReturn(CodeAttribute code, TreeMap<Integer, Instruction> instructions) {
        Set<Integer> seen = new HashSet<>();
        Deque<Integer> open = new ArrayDeque<>();
        open.add(instructions.higherKey(index));
        while (!open.isEmpty()) {
            int at = open.remove();
            if (!seen.add(at)) {
                continue;
            }
            Instruction instruction = instructions.get(at);
            if (instruction instanceof ReturnInstruction) {
                return true;
            }
            addTargets(code, instruction, open);
            if (goesOn(instruction)) {
                open.add(instructions.higherKey(at));
            }
        }
        return false;
    }

    private static void addTargets(CodeAttribute code, Instruction instruction, Deque<Integer> open) {
        switch (instruction) {
            case BranchInstruction branch -> open.add(code.labelToBci(branch.target()));
            case TableSwitchInstruction table -> addCases(code, table.defaultTarget(), table.cases(), open);
            case LookupSwitchInstruction lookup -> addCases(code, lookup.defaultTarget(), lookup.cases(), open);
            default -> { }
        }
    }

    private static void addCases(CodeAttribute code, Label other, Iterable<SwitchCase> cases, Deque<Integer> open) {
        open.add(code.labelToBci(other));
        cases.forEach(each -> open.add(code.labelToBci(each.target())));
    }

    private static boolean goesOn(Instruction instruction) {
        Opcode opcode = instruction.opcode();
        return !(instruction instanceof ThrowInstruction || instruction instanceof TableSwitchInstruction
                || instruction instanceof LookupSwitchInstruction || opcode == Opcode.GOTO || opcode == Opcode.GOTO_W);
    }
}
