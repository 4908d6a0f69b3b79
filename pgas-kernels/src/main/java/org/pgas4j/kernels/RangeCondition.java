package org.pgas4j.kernels;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * C++ condition that all indices of a part of a method are within their arrays. Of several indices of an array only the outermost are
 * compared: those that differ from others by a constant and parameters that have the right sign.
 */
final class RangeCondition {

    /** Elements of one type and one array. */
    private record Elements(Symbol.Array array, String type) {
    }

    /** Indices of elements. */
    private static final class Indices {
        private final Set<LinearForm> forms = new LinkedHashSet<>();
        private boolean wraps; // whether some are ints that may wrap
    }

    private final Map<Elements, Indices> used = new LinkedHashMap<>();
    private final Set<LinearForm> assumed = new LinkedHashSet<>(); // to be ints
    private final Map<Term, Long> least = new LinkedHashMap<>(); // of parameters
    private final Set<String> conditions = new LinkedHashSet<>();

    private RangeCondition() {
    }

    static String of(List<SymbolicRun.Access> accesses) {
        RangeCondition condition = new RangeCondition();
        for (SymbolicRun.Access access : accesses) {
            Symbol.Integral index = access.index();
            Indices indices = condition.used.computeIfAbsent(new Elements(access.array(), access.element()), _ -> new Indices());
            indices.forms.add(index.form());
            indices.wraps |= index.wraps();
            condition.assumed.addAll(index.assumed());
        }
        return condition.text();
    }

    private String text() {
        used.forEach(this::compare);
        List<LinearForm> open = new ArrayList<>();
        for (LinearForm form : assumed) {
            guard(form);
            if (used.entrySet().stream().noneMatch(of -> isAmong(form, of.getKey(), of.getValue()))) {
                open.add(form);
            }
        }
        outermost(open, -1).forEach(form -> add("pgas_is_int(" + form.low() + ")"));
        outermost(open, 1).forEach(form -> add("pgas_is_int(" + form.high() + ")"));
        least.forEach((term, value) -> add(term.low() + " >= " + value));
        return String.join(" & ", conditions);
    }

    private void add(String text) {
        conditions.add("(" + text + ")");
    }

    private void guard(LinearForm form) {
        form.terms().keySet().stream().map(Term::guard).filter(guard -> guard != null).forEach(this::add);
    }

    /** True for a form between indices that are compared with 0 and with a length of ints. */
    private boolean isAmong(LinearForm form, Elements of, Indices indices) {
        if (!indices.wraps && !of.array.type().isLocal()) {
            return false;
        }
        LinearForm above = indices.forms.stream().filter(index -> isBeyond(index, form, 1)).findFirst().orElse(null);
        LinearForm below = indices.forms.stream().filter(index -> isBeyond(index, form, -1)).findFirst().orElse(null);
        if (above == null || below == null) {
            return false;
        }
        expect(above, form);
        expect(below, form);
        return true;
    }

    private void compare(Elements of, Indices indices) {
        List<LinearForm> forms = List.copyOf(indices.forms);
        forms.forEach(this::guard);
        List<LinearForm> lowest = outermost(forms, -1);
        List<LinearForm> highest = outermost(forms, 1);
        String count = count(of, indices.wraps);
        String first = of.array.type().isArray() ? of.array.text() + "->near" : "0";
        for (LinearForm form : lowest) {
            if (highest.contains(form) && form.isFixed() && first.equals("0")) {
                add("(unsigned long long) (" + form.low() + ") < (unsigned long long) " + count);
            } else {
                add(form.low() + " >= " + first);
            }
        }
        for (LinearForm form : highest) {
            if (!(lowest.contains(form) && form.isFixed() && first.equals("0"))) {
                add(form.high() + " < " + count);
            }
        }
    }

    private static String count(Elements of, boolean wraps) {
        String array = of.array.text();
        String count = of.array.type().isLocal() ? "(long long) " + array + ".length"
                : of.array.type().isArray() ? "(" + array + "->near + (long long) " + array + "->count)"
                : "pgas_count<" + of.type + ">(" + array + ")";
        return wraps && !of.array.type().isLocal() ? "pgas_capped(" + count + ")" : count;
    }

    /** The forms that no other one exceeds in a direction. */
    private List<LinearForm> outermost(List<LinearForm> forms, long direction) {
        List<LinearForm> outer = new ArrayList<>(forms);
        for (LinearForm form : forms) {
            for (LinearForm other : outer) {
                if (other != form && isBeyond(other, form, direction)) {
                    outer.remove(form);
                    expect(other, form);
                    break;
                }
            }
        }
        return outer;
    }

    /** True if one form exceeds another one, or equals it, if {@link #expect} holds. */
    private static boolean isBeyond(LinearForm one, LinearForm other, long direction) {
        LinearForm difference = one.plus(other, -1);
        if (difference == null) {
            return false;
        }
        long sum = difference.constant() * direction;
        for (Map.Entry<Term, Long> entry : difference.terms().entrySet()) {
            if (!entry.getKey().isSteady() || entry.getValue() * direction < 0) {
                return false;
            }
            sum += entry.getValue() * direction;
        }
        return sum >= 0;
    }

    /** Adds that parameters in which two forms differ are not negative, or even 1 at least if their constants are the wrong way. */
    private void expect(LinearForm one, LinearForm other) {
        LinearForm difference = one.plus(other, -1);
        boolean isUp = difference.terms().values().stream().allMatch(factor -> factor > 0);
        long value = isUp && difference.constant() >= 0 || !isUp && difference.constant() <= 0 ? 0 : 1;
        difference.terms().keySet().forEach(term -> least.merge(term, value, Math::max));
    }
}
