package org.pgas4j.kernels;

import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.LabelTarget;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Goes through the elements of a method and writes some parts of it twice, behind a condition that tells whether all their indices are
 * within bounds: a copy without checks, and one with all of them, in which a fault is found where Java finds it.
 */
final class PartTranslator {

    private final MethodFrame frame;
    private final FlowTranslator flow;
    private final SymbolicCalls calls;
    private final Consumer<CodeElement> translate;
    private final MethodShape shape;
    private final Set<Integer> changed;
    private final int parameterSlots;
    private final KnownCounters counters;
    private final Beginning beginning;

    /** @param translate takes each element in turn */
    PartTranslator(MethodFrame frame, FlowTranslator flow, SymbolicCalls calls, Consumer<CodeElement> translate) {
        this.frame = frame;
        this.flow = flow;
        this.calls = calls;
        this.translate = translate;
        this.shape = new MethodShape(frame.code());
        this.parameterSlots = frame.parameterSlots();
        this.changed = shape.stores(0, shape.elements().size()).keySet();
        this.counters = new KnownCounters(shape, calls, this::before);
        this.beginning = new Beginning(shape, frame.translation().effectsOutside());
        frame.copies().begin(beginning);
    }

    void translate() {
        translate(0, shape.elements().size());
    }

    private void translate(int from, int to) {
        PartFinder parts = new PartFinder(shape, calls, this::before, frame.copies()::isKnown, to);
        boolean isCopy = from > 0 || to < shape.elements().size();
        for (int i = from; i < to; ) {
            boolean mayCopy = !(isCopy && i == from) && flow.isReachable() && frame.stack().isEmpty() && frame.copies().isOpen();
            CopiedPart part = mayCopy ? parts.at(i) : null;
            if (part == null) {
                counters.at(i);
                frame.copies().at(i);
                translate.accept(shape.elements().get(i));
                if (shape.isLoop(i) && frame.copies().isAgain()) {
                    hide(i);
                }
                if (counters.behind(i) >= 0) {
                    String counter = frame.variable(Kind.Number.INT, counters.behind(i));
                    frame.emit("PGAS_ASSUME(" + counter + " >= 0);");
                    frame.ranges().hold(counter, ">=", IntRange.of(0));
                }
                i++;
            } else {
                copy(part);
                i = part.to();
            }
        }
    }

    /** Hides the counters of a loop from the compiler, which would else unroll it, in a form that is for few registers. */
    private void hide(int loop) {
        Map<Integer, Kind> locals = flow.locals(((LabelTarget) shape.elements().get(loop)).label());
        for (int slot : shape.stores(loop, shape.loopEnd(loop)).keySet()) {
            if (locals.get(slot) instanceof Kind.Number number && (number == Kind.Number.INT || number == Kind.Number.LONG)) {
                frame.emit("PGAS_HIDE_" + number + "(" + frame.variable(number, slot) + ");");
            }
        }
    }

    /** Value of a local variable before the instruction that is translated next. */
    private Symbol before(int slot, TypeKind type) {
        if (type == TypeKind.REFERENCE) {
            Kind kind = frame.objects().get(slot);
            return kind instanceof Kind.Known known ? new Symbol.Array(known.type(), frame.variable(kind, slot))
                    : new Symbol.Unknown(1);
        }
        if (type != TypeKind.INT && type != TypeKind.LONG) {
            return new Symbol.Unknown(type.slotSize());
        }
        boolean isLong = type == TypeKind.LONG;
        String variable = frame.declared(isLong ? Kind.Number.LONG : Kind.Number.INT,
                frame.variable(isLong ? Kind.Number.LONG : Kind.Number.INT, slot));
        return SymbolicArithmetic.value(variable, type.slotSize(), !changed.contains(slot));
    }

    private void copy(CopiedPart part) {
        int number = frame.copies().next();
        int line = frame.line();
        Map<Integer, Kind> objects = new HashMap<>(frame.objects());
        Set<Label> labels = shape.labels(part.from(), part.to());
        Label exit = part.noted().isEmpty() ? null : ((LabelTarget) shape.elements().get(part.exit())).label();
        boolean isRepeatable = isRepeatable(part);
        boolean restarts = !isRepeatable && frame.copies().isFirst(part.from());
        frame.emit("if (!(" + part.condition() + ")) goto S" + number + ";");
        if (exit != null) {
            frame.translation().gather();
            frame.variables().put(IndexCheck.FLAG, "unsigned");
            frame.emit(IndexCheck.FLAG + " = 0;");
        }
        Map<String, String> kept = exit == null || restarts ? Map.of()
                : keep(part, number, isRepeatable ? parameterSlots : Integer.MAX_VALUE);
        write(part, new Copies.Copy(part, labels, "_f" + number, exit, "N" + number, false));
        boolean ends = flow.isReachable();
        int lastLine = frame.line();
        if (ends) {
            frame.emit("goto E" + number + ";");
        }
        if (exit != null) {
            frame.label("N" + number);
            frame.emit("if (" + IndexCheck.FLAG + " == 0) goto " + flow.label(exit) + ";");
            kept.forEach((variable, before) -> frame.emit(variable + " = " + before + ";"));
        }
        frame.label("S" + number);
        frame.line(line);
        if (isRepeatable) {
            frame.again();
        } else if (restarts) {
            frame.translation().restart();
            frame.translation().comeFirst(beginning.isTogether(part.from()));
            frame.emit("pgas_restart(cx);");
        } else {
            frame.objects().clear();
            frame.objects().putAll(objects);
            frame.stack().clear();
            flow.reach();
            write(part, new Copies.Copy(part, labels, "_s" + number, null, null, true));
        }
        frame.line(lastLine);
        if (ends) {
            frame.label("E" + number);
            flow.reach();
        }
    }

    /** True if nothing that the method has done up to a part has effects, so that it may do all of it again. */
    private boolean isRepeatable(CopiedPart part) {
        boolean isLooped = IntStream.range(part.from(), shape.elements().size())
                .anyMatch(i -> shape.targets(i).stream().anyMatch(target -> target < part.from()));
        Set<Integer> stored = shape.stores(0, part.from()).keySet();
        return frame.isPlain() && frame.copies().isEmpty() && !isLooped && stored.stream().noneMatch(slot -> slot < parameterSlots)
                && !frame.translation().effects().isAny(shape.elements(), 0, part.from());
    }

    private void write(CopiedPart part, Copies.Copy copy) {
        frame.copies().begin(copy);
        translate(part.from(), part.to());
        frame.copies().end();
    }

    /** Keeps what the part changes of the local variables in slots below {@code end}; returns the copies by variable. */
    private Map<String, String> keep(CopiedPart part, int number, int end) {
        Map<String, String> kept = new LinkedHashMap<>();
        Map<Integer, Kind> locals = flow.locals(((LabelTarget) shape.elements().get(part.from())).label());
        for (int slot : shape.stores(part.from(), part.to()).keySet()) {
            Kind kind = slot < end ? locals.get(slot) : null;
            if (kind != null) {
                String variable = frame.variable(kind, slot);
                String before = "k" + number + "_" + variable;
                frame.variables().put(before, kind.cpp());
                frame.emit(before + " = " + variable + ";");
                kept.put(variable, before);
            }
        }
        return kept;
    }
}
