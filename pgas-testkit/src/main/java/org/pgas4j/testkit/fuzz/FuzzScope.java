package org.pgas4j.testkit.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** Variables and methods that a generated piece of code may use. */
final class FuzzScope {

    /** A variable. Those of loops are only read, so that loops end. */
    record Variable(String name, FuzzType type, boolean isWritable) {
    }

    /** A static method. */
    record Method(String name, FuzzType result, List<FuzzType> parameters) {
    }

    private final Random random;
    private final List<Variable> variables = new ArrayList<>();
    private final List<Method> methods;
    private int names;
    private int calls;

    /**
     * @param methods that may be called
     * @param calls   number of places that may call one
     */
    FuzzScope(Random random, List<Method> methods, int calls) {
        this.random = random;
        this.methods = methods;
        this.calls = calls;
    }

    /** Adds a variable of a new name. */
    Variable add(String prefix, FuzzType type, boolean isWritable) {
        Variable variable = new Variable(prefix + names++, type, isWritable);
        variables.add(variable);
        return variable;
    }

    /** Adds a variable. */
    void add(Variable variable) {
        variables.add(variable);
    }

    /** Number of variables, to which {@link #end} goes back. */
    int start() {
        return variables.size();
    }

    /** Drops the variables that were added since {@code start}. */
    void end(int start) {
        variables.subList(start, variables.size()).clear();
    }

    /** One of the variables, or null. */
    Variable variable(Predicate<Variable> wanted) {
        List<Variable> found = variables.stream().filter(wanted).toList();
        return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
    }

    /** One of the methods with that result, or null if there is none or too many were called. */
    Method method(FuzzType result) {
        List<Method> found = methods.stream().filter(method -> method.result() == result).toList();
        if (found.isEmpty() || calls <= 0) {
            return null;
        }
        calls--;
        return found.get(random.nextInt(found.size()));
    }
}
