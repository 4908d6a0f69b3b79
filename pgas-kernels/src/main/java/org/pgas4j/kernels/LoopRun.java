package org.pgas4j.kernels;

import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Follows one round of a loop {@code for (i = a; i < b; i += c)}. Elements count if each round uses them, behind the test of the
 * counter.
 */
final class LoopRun extends SymbolicRun {

    private static final String NAME = "counter ";
    static final int MAX_THREADS = 1024; // of a block
    private static final LinearForm THREADS = ((Symbol.Integral) SymbolicArithmetic.value("pgas_threads()", 1, false)).form();

    /**
     * Range of a counter.
     *
     * @param bound that it stays below or above
     */
    private record Test(Symbol.Integral bound, String relation) {
    }

    private final MethodShape shape;
    private final int from;
    private final int to;
    private final Map<Integer, Integer> stores;
    private final BiFunction<Integer, TypeKind, Symbol> outside;
    private final Map<Integer, Term> counters; // null while they are looked for
    private final Map<Integer, Test> tests = new HashMap<>();
    private final Map<Integer, Symbol.Integral> steps = new HashMap<>();
    private final Set<Integer> sums = new HashSet<>(); // positions of the additions of the steps
    private int previous;
    private int until; // instructions before it may be skipped
    private boolean leaves;
    private boolean isTested;
    private boolean isUnconditional = true;
    private int exit = -1;
    private int test = -1;

    private LoopRun(SymbolicCalls calls, MethodShape shape, int from, int to, BiFunction<Integer, TypeKind, Symbol> outside,
            Map<Integer, Term> counters) {
        super(calls, (slot, kind) -> null);
        this.shape = shape;
        this.from = from;
        this.to = to;
        this.stores = shape.stores(from, to);
        this.outside = outside;
        this.counters = counters;
    }

    /**
     * Follows the loop at {@code from}.
     *
     * @param outside value of a local variable before the loop
     * @return the run, or null if the loop counts nothing
     */
    static LoopRun of(SymbolicCalls calls, MethodShape shape, int from, int to, BiFunction<Integer, TypeKind, Symbol> outside) {
        LoopRun first = new LoopRun(calls, shape, from, to, outside, null);
        first.follow();
        Map<Integer, Term> counters = first.found();
        if (counters.isEmpty()) {
            return null;
        }
        LoopRun second = new LoopRun(calls, shape, from, to, outside, counters);
        second.follow();
        return second.found().keySet().equals(counters.keySet()) ? second : null;
    }

    @Override
    boolean isCounting() {
        return isTested && isUnconditional && !leaves;
    }

    @Override
    boolean mayMeet() {
        return isCounting();
    }

    /** True if the loop ends by the test of its counter alone. */
    boolean isCounted() {
        return isTested && !leaves;
    }

    /** Positions of the instructions that add the steps of counters, which do not wrap. */
    Set<Integer> sums() {
        return sums;
    }

    /** Position to which the test of the counter leaves the loop. */
    int exit() {
        return exit;
    }

    /** Position of the test of the counter. */
    int test() {
        return test;
    }

    /** Slot of the counter if it is an int that only grows: no step makes it wrap, whatever it starts from; -1 if there is none. */
    int growing() {
        return tests.entrySet().stream().filter(test -> steps.containsKey(test.getKey()) && grows(steps.get(test.getKey()), test.getValue()))
                .map(Map.Entry::getKey).findFirst().orElse(-1);
    }

    private static boolean grows(Symbol.Integral step, Test test) {
        LinearForm by = step.form();
        long most = by.isConstant() ? by.constant() : by.equals(THREADS) ? MAX_THREADS : 0;
        boolean isBelow = test.relation.equals("<") && most == 1 && test.bound.words() == 1
                || test.bound.isConstant() && test.bound.form().constant() <= Integer.MAX_VALUE - most;
        return step.words() == 1 && most > 0 && test.relation.startsWith("<") && isBelow;
    }

    @Override
    Symbol local(int slot, TypeKind kind) {
        Symbol known = locals().get(slot);
        if (known == null) {
            Term counter = stores.getOrDefault(slot, 0) != 1 || kind != TypeKind.INT && kind != TypeKind.LONG ? null
                    : counters == null ? new Term(NAME + slot, "0", "", null, false) : counters.get(slot);
            known = !stores.containsKey(slot) ? outside.apply(slot, kind)
                    : counter == null ? new Symbol.Unknown(kind.slotSize()) : Symbol.Integral.of(kind.slotSize(), counter, null);
            locals().put(slot, known);
        }
        return known;
    }

    private void follow() {
        for (int i = from; i < to && !isClosed(); i++) {
            isUnconditional = i >= until;
            if (i > from && shape.isLoop(i)) {
                i = skip(i) - 1;
                continue;
            }
            if (i > from && shape.isBlock(i)) {
                stack().clear(); // javac's conditional expressions: what they leave is unknown
            }
            if (shape.elements().get(i) instanceof Instruction instruction) {
                if (SymbolicCalls.isJump(instruction)) {
                    jump(instruction, i);
                } else {
                    follow(instruction, i);
                }
                previous = i;
            }
        }
    }

    private int skip(int start) {
        int end = shape.loopEnd(start);
        shape.stores(start, end).keySet().forEach(slot -> locals().put(slot, new Symbol.Unknown(2)));
        if (shape.farthest(start, end) > end) {
            until = Math.max(until, Math.min(to, shape.farthest(start, end)));
            leaves |= shape.farthest(start, end) >= to;
        }
        effect();
        stack().clear();
        return end;
    }

    private void follow(Instruction instruction, int position) {
        int slot = instruction instanceof StoreInstruction store ? store.slot()
                : instruction instanceof IncrementInstruction increment ? increment.slot() : -1;
        if (slot >= 0) {
            local(slot, instruction instanceof StoreInstruction store ? store.typeKind().asLoadable() : TypeKind.INT);
        } else if (instruction instanceof LoadInstruction load) {
            local(load.slot(), load.typeKind().asLoadable());
        }
        step(instruction, position);
        if (slot < 0) {
            return;
        }
        if (!isUnconditional) {
            locals().put(slot, new Symbol.Unknown(locals().get(slot).words()));
        } else if (locals().get(slot) instanceof Symbol.Integral next) {
            stepOf(slot, next, position);
        }
    }

    private void stepOf(int slot, Symbol.Integral next, int position) {
        Term counter = next.form().terms().keySet().stream().filter(term -> term.name().equals(NAME + slot)).findFirst().orElse(null);
        if (counter == null || next.form().terms().get(counter) != 1) {
            return;
        }
        LinearForm step = next.form().plus(LinearForm.of(counter), -1);
        if (step != null && step.isFixed() && step.terms().size() <= 1 && next.assumed().isEmpty()) {
            String text = step.isConstant() ? null : step.constant() == 0 ? step.low() : null;
            if (step.isConstant() || text != null) {
                sums.add(shape.elements().get(position) instanceof IncrementInstruction ? position : previous);
                steps.put(slot, new Symbol.Integral(next.words(), step, text, false, List.of()));
            }
        }
    }

    // ---- jumps

    private void jump(Instruction instruction, int position) {
        boolean isTest = instruction instanceof BranchInstruction branch && test(branch, position);
        stack().clear();
        for (int target : shape.targets(position)) {
            if (target > position && target < to) {
                until = Math.max(until, target);
            } else if (target >= to && !isTest || target < from) {
                leaves = true;
            }
        }
        leaves |= position + 1 == to && !isGoto(instruction); // behind its last jump, as do { } while (...) does
        leaves |= shape.targets(position).isEmpty(); // a return or throw
    }

    private static boolean isGoto(Instruction instruction) {
        return instruction.opcode() == Opcode.GOTO || instruction.opcode() == Opcode.GOTO_W;
    }

    /** Notes the test of a counter that ends the loop. */
    private boolean test(BranchInstruction branch, int position) {
        String relation = Arithmetic.relation(branch.opcode());
        exit = isTested ? exit : shape.targets(position).getFirst();
        test = isTested ? test : position;
        if (isTested || !isUnconditional || relation == null || relation.matches("[!=]=") || shape.targets(position).getFirst() < to) {
            return false;
        }
        Symbol right = branch.opcode().name().startsWith("IF_") ? pop() : Symbol.Integral.constant(1, 0);
        Symbol left = pop();
        if (left instanceof Symbol.Order order) {
            left = order.left();
            right = order.right();
        }
        return noted(left, right, Arithmetic.opposite(relation)) || noted(right, left, mirrored(Arithmetic.opposite(relation)));
    }

    private boolean noted(Symbol left, Symbol right, String stays) {
        if (!(left instanceof Symbol.Integral of && right instanceof Symbol.Integral bound) || of.wraps() || !of.assumed().isEmpty()
                || of.form().constant() != 0 || of.form().terms().size() != 1 || !bound.form().isFixed()) {
            return false;
        }
        Map.Entry<Term, Long> counter = of.form().terms().entrySet().iterator().next();
        if (!counter.getKey().name().startsWith(NAME) || counter.getValue() != 1) {
            return false;
        }
        tests.put(Integer.parseInt(counter.getKey().name().substring(NAME.length())), new Test(bound, stays));
        isTested = true;
        return true;
    }

    private static String mirrored(String relation) {
        return switch (relation) {
            case "<" -> ">";
            case ">" -> "<";
            case "<=" -> ">=";
            case ">=" -> "<=";
            default -> relation;
        };
    }

    /** The counters with their ranges. */
    private Map<Integer, Term> found() {
        Map<Integer, Term> found = new HashMap<>();
        tests.forEach((slot, test) -> {
            Symbol.Integral step = steps.get(slot);
            if (step != null && outside.apply(slot, step.words() == 2 ? TypeKind.LONG : TypeKind.INT) instanceof Symbol.Integral start) {
                Term term = range(slot, start, step, test);
                if (term != null) {
                    found.put(slot, term);
                }
            }
        });
        return found;
    }

    /** C++ condition that there is a first round, in which all threads of a block are if they wait for each other there. */
    String runs() {
        return tests.entrySet().stream().map(test -> {
            Term counter = counters.get(test.getKey());
            return counter == null ? "false" : counter.low() + " <= " + counter.high();
        }).findFirst().orElse("false");
    }

    private static Term range(int slot, Symbol.Integral start, Symbol.Integral step, Test test) {
        boolean isUp = step.form().isConstant() ? step.form().constant() > 0 : true;
        boolean isStrict = test.relation.length() == 1;
        if (isUp != test.relation.startsWith("<") || step.form().isConstant() && step.form().constant() == 0) {
            return null;
        }
        Symbol.Integral bound = test.bound.unwrapped();
        String first = start.form().low();
        String last = "(" + bound.form().low() + (isStrict ? isUp ? " - 1" : " + 1" : "") + ")";
        if (step.form().isConstant() && Math.abs(step.form().constant()) > 1) {
            String by = Literals.of(step.form().constant());
            last = "(" + first + " + (" + last + " - " + first + ") / " + by + " * " + by + ")";
        }
        String rounds = step.form().isConstant() ? null : step.form().low() + " > 0";
        String wraps = step.words() == 2 ? null : "pgas_is_int(" + last + " + " + step.form().low() + ")";
        List<String> guards = new ArrayList<>();
        for (LinearForm form : bound.assumed()) {
            guards.add(SymbolicArithmetic.guarded(form, "pgas_is_int(" + form.low() + ")"));
        }
        for (LinearForm form : List.of(start.form(), bound.form(), step.form())) {
            guards.add(SymbolicArithmetic.guarded(form));
        }
        guards.add(rounds == null ? "" : rounds);
        guards.add(wraps == null ? "" : wraps);
        String guard = guards.stream().filter(one -> !one.isEmpty()).distinct().map(one -> "(" + one + ")")
                .collect(Collectors.joining(" & "));
        return new Term(NAME + slot, isUp ? first : last, isUp ? last : first, guard.isEmpty() ? null : guard, false);
    }
}
