package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/**
 * The instructions that copy, move and drop entries of the operand stack; longs and doubles count as two.
 *
 * @param words size of an entry
 */
record StackOperation<T>(Opcode opcode, ToIntFunction<T> words) {

    /** @param copied makes an entry one that may be used twice */
    void apply(List<T> stack, UnaryOperator<T> copied) {
        switch (opcode) {
            case POP -> stack.removeLast();
            case POP2 -> drop(stack, 2);
            case DUP -> copy(stack, 1, 0, copied);
            case DUP_X1 -> copy(stack, 1, 1, copied);
            case DUP_X2 -> copy(stack, 1, 2, copied);
            case DUP2 -> copy(stack, 2, 0, copied);
            case DUP2_X1 -> copy(stack, 2, 1, copied);
            case DUP2_X2 -> copy(stack, 2, 2, copied);
            case SWAP -> stack.add(stack.size() - 1, stack.removeLast());
            default -> throw new IllegalArgumentException(opcode.toString());
        }
    }

    /** Words that it moves. */
    int needed() {
        return switch (opcode) {
            case POP, DUP -> 1;
            case DUP_X2, DUP2_X1 -> 3;
            case DUP2_X2 -> 4;
            default -> 2;
        };
    }

    private void drop(List<T> stack, int count) {
        for (int left = count; left > 0; ) {
            left -= words.applyAsInt(stack.removeLast());
        }
    }

    /** Number of entries in {@code count} words that end at {@code end}. */
    private int entries(List<T> stack, int end, int count) {
        int entries = 0;
        for (int left = count; left > 0; entries++) {
            left -= words.applyAsInt(stack.get(end - 1 - entries));
        }
        return entries;
    }

    /** Copies the upper {@code count} words below the {@code below} words under them. */
    private void copy(List<T> stack, int count, int below, UnaryOperator<T> copied) {
        int upper = entries(stack, stack.size(), count);
        int under = entries(stack, stack.size() - upper, below);
        for (int i = stack.size() - upper; i < stack.size(); i++) {
            stack.set(i, copied.apply(stack.get(i)));
        }
        int at = stack.size() - upper - under;
        stack.addAll(at, List.copyOf(stack.subList(stack.size() - upper, stack.size())));
    }
}
