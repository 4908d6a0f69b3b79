package org.pgas4j.kernels;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * C++ condition that all indices of a part of a method are within their arrays. Of several indices of an array only the outermost are
 * compared: those that differ from others by parameters that are not negative.
 */
final class RangeCondition {

    /** Elements of one type and one array. @param wraps whether their indices are ints that may wrap */
    private record Group(Symbol.Array array, String element, boolean wraps) {
    }

    private final Set<String> conditions = new LinkedHashSet<>();

    private RangeCondition() {
    }

    static String of(List<SymbolicRun.Access> accesses) {
        RangeCondition condition = new RangeCondition();
        Map<Group, Set<LinearForm>> groups = new LinkedHashMap<>();
        for (SymbolicRun.Access access : accesses) {
            Symbol.Integral index = access.index();
            groups.computeIfAbsent(new Group(access.array(), access.element(), index.wraps()), _ -> new LinkedHashSet<>())
                    .add(index.form());
            index.assumed().forEach(condition::assume);
        }
        groups.forEach((group, forms) -> condition.compare(group, List.copyOf(forms)));
        return String.join(" & ", condition.conditions);
    }

    private void add(String text) {
        conditions.add("(" + text + ")");
    }

    private void guard(LinearForm form) {
        form.terms().keySet().stream().map(Term::guard).filter(guard -> guard != null).forEach(this::add);
    }

    private void assume(LinearForm form) {
        guard(form);
        add("pgas_is_int(" + form.low() + ")");
        add("pgas_is_int(" + form.high() + ")");
    }

    private void compare(Group group, List<LinearForm> forms) {
        forms.forEach(this::guard);
        List<LinearForm> lowest = outermost(forms, -1);
        List<LinearForm> highest = outermost(forms, 1);
        String count = count(group);
        String first = group.array.type().isArray() ? group.array.text() + "->near" : "0";
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

    private static String count(Group group) {
        String array = group.array.text();
        String count = group.array.type().isLocal() ? "(long long) " + array + ".length"
                : group.array.type().isArray() ? "(" + array + "->near + (long long) " + array + "->count)"
                : "pgas_count<" + group.element + ">(" + array + ")";
        return group.wraps && !group.array.type().isLocal() ? "pgas_capped(" + count + ")" : count;
    }

    /** The forms that no other one exceeds in a direction. */
    private List<LinearForm> outermost(List<LinearForm> forms, long direction) {
        List<LinearForm> outer = new ArrayList<>(forms);
        for (LinearForm form : forms) {
            for (LinearForm other : outer) {
                LinearForm beyond = other == form ? null : other.plus(form, -1);
                if (beyond != null && isSteady(beyond, direction)) {
                    outer.remove(form);
                    beyond.terms().keySet().forEach(term -> add(term.low() + " >= 0"));
                    break;
                }
            }
        }
        return outer;
    }

    private static boolean isSteady(LinearForm difference, long direction) {
        return difference.constant() * direction >= 0 && difference.terms().entrySet().stream()
                .allMatch(entry -> entry.getKey().isSteady() && entry.getValue() * direction >= 0);
    }
}
