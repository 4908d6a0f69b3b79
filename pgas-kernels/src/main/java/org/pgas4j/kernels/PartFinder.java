package org.pgas4j.kernels;

import java.lang.classfile.Instruction;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntPredicate;

/**
 * Finds the parts of a method that are worth two copies: loops with a counter, and instructions without jumps that use several
 * elements. One for each pass over a run of elements.
 */
final class PartFinder {

    private static final int MAX_SIZE = 600; // instructions of a part
    private static final int MIN_READS = 2;  // elements of a part without a loop, so that one need not wait for the other's check

    private final MethodShape shape;
    private final SymbolicCalls calls;
    private final BiFunction<Integer, TypeKind, Symbol> entry;
    private final IntPredicate isKnown;
    private final int to;
    private CopiedPart next;
    private int searched;

    /**
     * @param entry   value of a local variable at the position that is asked for
     * @param isKnown whether an element or call at a position needs no check any more
     * @param to      end of the elements
     */
    PartFinder(MethodShape shape, SymbolicCalls calls, BiFunction<Integer, TypeKind, Symbol> entry, IntPredicate isKnown, int to) {
        this.shape = shape;
        this.calls = calls;
        this.entry = entry;
        this.isKnown = isKnown;
        this.to = to;
    }

    /** The part that starts at a position, or null; the operand stack is empty there. */
    CopiedPart at(int position) {
        if (shape.isLoop(position)) {
            return loop(position);
        }
        if (position >= searched) {
            next = null;
            find(position);
        }
        return next != null && next.from() == position ? next : null;
    }

    private CopiedPart loop(int from) {
        int end = shape.enteredLoopEnd(from);
        if (end < 0 || end > to || shape.size(from, end) > MAX_SIZE) {
            return null;
        }
        LoopRun run = LoopRun.of(calls, shape, from, end, entry);
        if (run == null || run.isClosed()) {
            return null;
        }
        List<SymbolicRun.Access> accesses = open(run);
        Map<Integer, SymbolicRun.Access> noted = Map.of();
        if (run.isCounted() && !run.hasEffects() && !shape.hasLoop(from + 1, end)) {
            noted = run.unproven();
        }
        if (noted.isEmpty() && accesses.stream().allMatch(access -> run.meets() && isByCounterAlone(access))) {
            return null;
        }
        return part(from, end, run, accesses, noted, run.exit());
    }

    /** True for an element of an array of constant length by a counter: where the compiler unrolls the loop, it needs no check. */
    private static boolean isByCounterAlone(SymbolicRun.Access access) {
        return access.array().type().isLocal() && access.index().form().terms().keySet().stream().noneMatch(Term::isFixed);
    }

    private List<SymbolicRun.Access> open(SymbolicRun run) {
        return run.accesses().stream().filter(access -> !isKnown.test(access.position())).toList();
    }

    private CopiedPart part(int from, int end, SymbolicRun run, List<SymbolicRun.Access> accesses,
            Map<Integer, SymbolicRun.Access> noted, int exit) {
        Set<Integer> unchecked = new HashSet<>();
        accesses.stream().map(SymbolicRun.Access::position).filter(at -> !run.fastCalls().contains(at)).forEach(unchecked::add);
        StringBuilder condition = new StringBuilder(RangeCondition.of(accesses));
        noted.values().stream().map(access -> "pgas_has<" + (access.element().isEmpty() ? "int" : access.element()) + ">("
                + access.array().text() + ")").distinct()
                .forEach(one -> condition.append(condition.isEmpty() ? "" : " & ").append(one));
        String all = !(run instanceof LoopRun loop) ? condition.toString()
                : run.meets() ? "pgas_together(" + loop.runs() + ", " + condition + ")" : "pgas_alike(" + condition + ")";
        return new CopiedPart(from, end, all, unchecked, run.fastCalls(),
                run instanceof LoopRun loop ? loop.sums() : Set.of(), noted, exit);
    }

    // ---- instructions without jumps

    /** Looks at the instructions from {@code start} to the next jump or label, statement by statement. */
    private void find(int start) {
        SymbolicRun run = new SymbolicRun(calls, entry);
        List<Integer> statements = new ArrayList<>();
        int end = follow(run, start, statements);
        searched = Math.max(end, start + 1);
        for (int i = 0; i < statements.size() && next == null && run.firstUse() < end; i++) {
            boolean isBefore = i + 1 < statements.size() && statements.get(i + 1) <= run.firstUse();
            next = isBefore || statements.get(i) >= end ? null : from(statements.get(i));
        }
        if (next != null) {
            searched = next.to();
        }
    }

    private CopiedPart from(int start) {
        SymbolicRun run = new SymbolicRun(calls, entry);
        List<Integer> statements = new ArrayList<>();
        int end = follow(run, start, statements);
        List<SymbolicRun.Access> accesses = open(run).stream().filter(access -> access.position() < end).toList();
        if (accesses.stream().filter(SymbolicRun.Access::isRead).count() < MIN_READS || statements.size() > 1 && run.firstUse() >= statements.get(1)) {
            return null;
        }
        int last = accesses.getLast().position();
        int close = statements.stream().filter(at -> at > last && at < end).findFirst().orElse(end);
        return shape.size(start, close) > MAX_SIZE ? null : part(start, close, run, accesses, Map.of(), -1);
    }

    /**
     * Follows the instructions from {@code start}.
     *
     * @param statements takes the positions where the operand stack is empty
     * @return the position behind them
     */
    private int follow(SymbolicRun run, int start, List<Integer> statements) {
        int lastEmpty = start;
        for (int i = start; i < to; i++) {
            if (run.stack().isEmpty()) {
                lastEmpty = i;
            }
            if (shape.isBlock(i) && i > start || shape.isLoop(i)) {
                return lastEmpty;
            }
            if (shape.elements().get(i) instanceof Instruction instruction) {
                if (run.stack().isEmpty()) {
                    statements.add(i);
                }
                if (SymbolicCalls.isJump(instruction)) {
                    return jumpEnd(instruction, run, i, lastEmpty);
                }
                run.step(instruction, i);
                if (run.isClosed()) {
                    return lastEmpty;
                }
            }
        }
        return lastEmpty;
    }

    /** A jump belongs to the part if nothing is left on the stack behind it. */
    private static int jumpEnd(Instruction instruction, SymbolicRun run, int position, int lastEmpty) {
        int taken = switch (instruction) {
            case java.lang.classfile.instruction.BranchInstruction branch -> branch.opcode().name().startsWith("IF_") ? 2
                    : branch.opcode().name().startsWith("IF") ? 1 : 0;
            case java.lang.classfile.instruction.ReturnInstruction give -> give.opcode() == java.lang.classfile.Opcode.RETURN ? 0 : 1;
            default -> -1;
        };
        return run.stack().size() == taken ? position + 1 : lastEmpty;
    }
}
