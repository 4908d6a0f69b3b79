package org.pgas4j.kernels;

import java.lang.classfile.Attributes;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Jumps and loops of a method, by positions among the elements of its code. */
final class MethodShape {

    private final List<CodeElement> elements;
    private final Set<Label> blocks;
    private final Map<Label, Integer> positions = new HashMap<>();
    private final Map<Integer, List<Integer>> targets = new HashMap<>(); // of jumps
    private final TreeMap<Integer, Integer> loops = new TreeMap<>();     // ends by starts

    MethodShape(CodeModel code) {
        this.elements = code.elementList();
        this.blocks = blocks(code);
        for (int i = 0; i < elements.size(); i++) {
            if (elements.get(i) instanceof LabelTarget target) {
                positions.put(target.label(), i);
            }
        }
        for (int i = 0; i < elements.size(); i++) {
            if (elements.get(i) instanceof Instruction instruction) {
                List<Integer> found = targets(instruction).stream().map(positions::get).toList();
                if (!found.isEmpty()) {
                    targets.put(i, found);
                }
                int at = i;
                found.stream().filter(target -> target < at).forEach(target -> loops.merge(target, at + 1, Math::max));
            }
        }
    }

    /** Labels that have a frame in the StackMapTable. */
    static Set<Label> blocks(CodeModel code) {
        return code.findAttribute(Attributes.stackMapTable()).map(table -> table.entries().stream()
                .map(java.lang.classfile.attribute.StackMapFrameInfo::target).collect(Collectors.toSet())).orElse(Set.of());
    }

    private static List<Label> targets(Instruction instruction) {
        List<Label> labels = new ArrayList<>();
        switch (instruction) {
            case BranchInstruction branch -> labels.add(branch.target());
            case TableSwitchInstruction table -> {
                labels.add(table.defaultTarget());
                table.cases().stream().map(SwitchCase::target).forEach(labels::add);
            }
            case LookupSwitchInstruction lookup -> {
                labels.add(lookup.defaultTarget());
                lookup.cases().stream().map(SwitchCase::target).forEach(labels::add);
            }
            default -> {
            }
        }
        return labels;
    }

    List<CodeElement> elements() {
        return elements;
    }

    int position(Label label) {
        return positions.get(label);
    }

    /** True for a label to which jumps may go. */
    boolean isBlock(int position) {
        return elements.get(position) instanceof LabelTarget target && blocks.contains(target.label());
    }

    /** Targets of the jump at a position; empty if there is none. */
    List<Integer> targets(int position) {
        return targets.getOrDefault(position, List.of());
    }

    /** End of the loop that starts at a position; -1 if none does. */
    int loopEnd(int start) {
        return loops.getOrDefault(start, -1);
    }

    /** As {@link #loopEnd}, but -1 also if a jump from outside leads to the loop or into it: what was before it is not all known. */
    int enteredLoopEnd(int start) {
        int end = loopEnd(start);
        for (Map.Entry<Integer, List<Integer>> jump : targets.entrySet()) {
            boolean isOutside = jump.getKey() < start || jump.getKey() >= end;
            if (isOutside && jump.getValue().stream().anyMatch(target -> target >= start && target < end)) {
                return -1;
            }
        }
        return end;
    }

    /** True if a loop starts at a position. */
    boolean isLoop(int position) {
        return loops.containsKey(position);
    }

    /** True if a loop starts in a part of the method. */
    boolean hasLoop(int from, int to) {
        return !loops.subMap(from, to).isEmpty();
    }

    /** Farthest position outside of a part to which it jumps; -1 if it does not leave it by a jump. */
    int farthest(int from, int to) {
        int far = -1;
        for (int i = from; i < to; i++) {
            for (int target : targets(i)) {
                far = target < from || target >= to ? Math.max(far, target) : far;
            }
        }
        return far;
    }

    /** Slots of the local variables that a part changes, with the number of places that do. */
    Map<Integer, Integer> stores(int from, int to) {
        Map<Integer, Integer> stores = new HashMap<>();
        for (int i = from; i < to; i++) {
            if (elements.get(i) instanceof StoreInstruction store) {
                stores.merge(store.slot(), 1, Integer::sum);
            } else if (elements.get(i) instanceof IncrementInstruction increment) {
                stores.merge(increment.slot(), 1, Integer::sum);
            }
        }
        return stores;
    }

    /** Number of instructions. */
    int size(int from, int to) {
        return (int) elements.subList(from, to).stream().filter(Instruction.class::isInstance).count();
    }

    /** Labels with a frame from a position to another. */
    Set<Label> labels(int from, int to) {
        Set<Label> labels = new HashSet<>();
        for (int i = from; i < to; i++) {
            if (isBlock(i)) {
                labels.add(((LabelTarget) elements.get(i)).label());
            }
        }
        return labels;
    }
}
