package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.util.List;
import java.util.function.UnaryOperator;

/** The instructions that copy, move and drop entries of the operand stack; longs and doubles count as two. */
record StackOperation(Opcode opcode) {

    /** @param copied makes an entry one that may be used twice */
    void apply(List<Operand> stack, UnaryOperator<Operand> copied) {
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

    private static int size(Operand operand) {
        return operand instanceof Operand.Value value && (value.kind() == Kind.Number.LONG || value.kind() == Kind.Number.DOUBLE)
                ? 2 : 1;
    }

    private static void drop(List<Operand> stack, int words) {
        for (int left = words; left > 0; ) {
            left -= size(stack.removeLast());
        }
    }

    /** Number of entries in {@code words} words that end at {@code end}. */
    private static int entries(List<Operand> stack, int end, int words) {
        int count = 0;
        for (int left = words; left > 0; count++) {
            left -= size(stack.get(end - 1 - count));
        }
        return count;
    }

    /** Copies the upper {@code words} words below the {@code below} words under them. */
    private static void copy(List<Operand> stack, int words, int below, UnaryOperator<Operand> copied) {
        int upper = entries(stack, stack.size(), words);
        int under = entries(stack, stack.size() - upper, below);
        for (int i = stack.size() - upper; i < stack.size(); i++) {
            stack.set(i, copied.apply(stack.get(i)));
        }
        int at = stack.size() - upper - under;
        stack.addAll(at, List.copyOf(stack.subList(stack.size() - upper, stack.size())));
    }
}
