package org.pgas4j.kernels;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.OperatorInstruction;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Counters of a method's loops that are never negative, as {@code for (int k = self.thread(); k < 1024; k += self.threads())} has
 * one. The compiler, which does not find that out, then divides them by shifts and masks. Looked for in loops that divide.
 */
final class KnownCounters {

    private static final int MAX_BACK = 12; // elements before a loop in which its counter starts
    private static final int MAX_START = 1 << 20;

    private final MethodShape shape;
    private final SymbolicCalls calls;
    private final BiFunction<Integer, TypeKind, Symbol> entry;
    private final Map<Integer, Integer> slots = new HashMap<>(); // by position of the test

    /** @param entry value of a local variable at the loop that is looked at */
    KnownCounters(MethodShape shape, SymbolicCalls calls, BiFunction<Integer, TypeKind, Symbol> entry) {
        this.shape = shape;
        this.calls = calls;
        this.entry = entry;
    }

    /** Looks at the loop that starts at a position, if one does. */
    void at(int from) {
        int end = shape.isLoop(from) ? shape.enteredLoopEnd(from) : -1;
        if (end < 0 || !divides(from, end)) {
            return;
        }
        LoopRun run = LoopRun.of(calls, shape, from, end, entry);
        if (run != null && run.growing() >= 0 && startsSmall(from, run.growing())) {
            slots.put(run.test(), run.growing());
        }
    }

    /** Slot of an int that is not negative behind the test at a position; -1 if there is none. */
    int behind(int test) {
        return slots.getOrDefault(test, -1);
    }

    private boolean divides(int from, int to) {
        return shape.elements().subList(from, to).stream().anyMatch(element -> element instanceof OperatorInstruction of
                && (of.opcode() == Opcode.IDIV || of.opcode() == Opcode.IREM));
    }

    /** True if the statement before a loop makes the variable a small number, or the index of a thread. */
    private boolean startsSmall(int loop, int slot) {
        for (int first = loop - 1; first >= Math.max(0, loop - MAX_BACK) && isStraight(first); first--) {
            SymbolicRun run = new SymbolicRun(calls, entry);
            for (int i = first; i < loop; i++) {
                if (shape.elements().get(i) instanceof Instruction instruction) {
                    run.step(instruction, i);
                }
            }
            if (!run.isClosed() && run.locals().get(slot) instanceof Symbol.Integral start && isSmall(start)) {
                return true;
            }
        }
        return false;
    }

    private boolean isStraight(int position) {
        return !shape.isBlock(position)
                && !(shape.elements().get(position) instanceof Instruction instruction && SymbolicCalls.isJump(instruction));
    }

    private static boolean isSmall(Symbol.Integral value) {
        LinearForm form = value.form();
        return form.constant() >= 0 && form.constant() <= MAX_START && form.terms().entrySet().stream()
                .allMatch(term -> Intrinsics.THREAD_NUMBERS.containsKey(term.getKey().name()) && term.getValue() > 0);
    }
}
