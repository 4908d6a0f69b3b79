package org.pgas4j.testkit.fuzz;

import java.util.Random;
import org.pgas4j.testkit.fuzz.FuzzScope.Variable;

/** Random Java statements. Every loop ends after a few rounds. */
final class FuzzStatements {

    private final Random random;
    private final FuzzScope scope;
    private final FuzzExpressions expressions;
    private final StringBuilder text = new StringBuilder();
    private int loops;
    private int depth = 2;

    /** @param loops number of loops that may be written */
    FuzzStatements(Random random, FuzzScope scope, int loops) {
        this.random = random;
        this.scope = scope;
        this.expressions = new FuzzExpressions(random, scope);
        this.loops = loops;
    }

    /** A method with {@code count} statements before its return. */
    static String method(Random random, FuzzScope scope, FuzzScope.Method method, int count, int loops) {
        StringBuilder parameters = new StringBuilder();
        for (FuzzType type : method.parameters()) {
            Variable variable = scope.add("a", type, true);
            parameters.append(parameters.isEmpty() ? "" : ", ").append(type.java()).append(' ').append(variable.name());
        }
        FuzzStatements body = new FuzzStatements(random, scope, loops);
        for (int i = 0; i < count; i++) {
            body.statement(false);
        }
        return "    static " + method.result().java() + " " + method.name() + "(" + parameters + ") {\n" + body.text
                + "        return " + body.expressions.of(method.result(), 6) + ";\n    }\n";
    }

    private void line(String statement) {
        text.append("    ".repeat(depth)).append(statement).append('\n');
    }

    private void statement(boolean inLoop) {
        if (random.nextInt(8) == 0) {
            count();
            return;
        }
        switch (random.nextInt(inLoop ? 12 : 10)) {
            case 0, 1, 2 -> declare();
            case 3, 4, 5 -> assign();
            case 6 -> condition(inLoop);
            case 7, 8 -> loop(inLoop);
            case 9 -> choose(inLoop);
            case 10 -> line("if (" + expressions.of(FuzzType.BOOLEAN, 4) + ") { break; }");
            default -> line("if (" + expressions.of(FuzzType.BOOLEAN, 4) + ") { continue; }");
        }
    }

    private void declare() {
        if (random.nextInt(6) == 0) {
            line("int[] " + scope.add("w", FuzzType.INTS, true).name() + " = new int[4];");
            return;
        }
        FuzzType type = FuzzType.any(random);
        String value = expressions.of(type, 6);
        Variable variable = scope.add("v", type, true);
        line(type.java() + " " + variable.name() + " = " + value + ";");
    }

    private void assign() {
        Variable variable = scope.variable(Variable::isWritable);
        if (variable == null) {
            declare();
            return;
        }
        FuzzType type = variable.type();
        if (type == FuzzType.INTS) {
            line(random.nextInt(5) == 0 ? variable.name() + " = new int[4];"
                    : variable.name() + "[" + expressions.of(FuzzType.INT, 3) + " & 3]" + compound(FuzzType.INT) + ";");
        } else if (type.isNumber() || type.isSmall()) {
            FuzzType computed = type.isSmall() ? FuzzType.INT : type;
            switch (random.nextInt(3)) {
                case 0 -> line(variable.name() + (random.nextBoolean() ? "++;" : "--;"));
                case 1 -> line(variable.name() + compound(computed) + ";");
                default -> line(variable.name() + " = " + expressions.of(type, 8) + ";");
            }
        } else {
            line(variable.name() + " = " + expressions.of(type, 8) + ";");
        }
    }

    private String compound(FuzzType type) {
        expressions.of(FuzzType.INT, 0);
        return expressions.compound(type);
    }

    private void block(int count, boolean inLoop) {
        int start = scope.start();
        depth++;
        for (int i = 0; i < count; i++) {
            if (depth < 5) {
                statement(inLoop);
            } else {
                assign();
            }
        }
        depth--;
        scope.end(start);
    }

    private void condition(boolean inLoop) {
        line("if (" + expressions.of(FuzzType.BOOLEAN, 6) + ") {");
        block(1 + random.nextInt(2), inLoop);
        if (random.nextBoolean()) {
            line("} else {");
            block(1, inLoop);
        }
        line("}");
    }

    private void loop(boolean inLoop) {
        if (loops-- <= 0) {
            condition(inLoop);
            return;
        }
        int start = scope.start();
        FuzzType type = random.nextInt(3) == 0 ? FuzzType.LONG : FuzzType.INT;
        Variable counter = scope.add("k", type, false);
        String name = counter.name();
        int rounds = 1 + random.nextInt(4);
        switch (random.nextInt(4)) {
            case 0 -> {
                line(type.java() + " " + name + " = 0;");
                line("while (" + name + "++ < " + rounds + " && " + expressions.of(FuzzType.BOOLEAN, 3) + ") {");
                block(2, true);
                line("}");
            }
            case 1 -> {
                line(type.java() + " " + name + " = " + rounds + ";");
                line("do {");
                block(2, true);
                line("} while (--" + name + " > 0);");
            }
            default -> {
                line("for (" + type.java() + " " + name + " = " + -rounds + "; " + name + " < 1; " + name + "++) {");
                block(2, true);
                line("}");
            }
        }
        scope.end(start);
    }

    private String one(String... texts) {
        return texts[random.nextInt(texts.length)];
    }

    /** A loop whose counter is in the indices of arrays, now and then beyond their ends. */
    private void count() {
        if (loops-- <= 0) {
            assign();
            return;
        }
        Variable array = scope.variable(variable -> variable.type() == FuzzType.INTS);
        if (array == null) {
            array = scope.add("w", FuzzType.INTS, true);
            line("int[] " + array.name() + " = new int[4];");
        }
        Variable sum = sum();
        String free = "(" + expressions.of(FuzzType.INT, 3) + " & 3)";
        String other = "(" + expressions.of(FuzzType.INT, 3) + " & 3)";
        int start = scope.start();
        Variable counter = scope.add("k", random.nextInt(4) == 0 ? FuzzType.LONG : FuzzType.INT, false);
        String name = counter.name();
        String step = open(counter, free, other, array.name());
        depth++;
        String k = counter.type() == FuzzType.LONG ? "(int) " + name : name;
        boolean isReading = random.nextInt(3) == 0;
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            if (isReading) {
                line(sum.name() + " = " + sum.name() + " * 3 + " + array.name() + "[" + sum.name()
                        + one(" >>> 30", " >>> 30", " >>> 29", " & 3", " % 4") + "] + " + array.name() + "[" + k + "];");
            } else {
                use(array.name(), sum.name(), k);
            }
        }
        if (!step.isEmpty()) { // a break behind it is the last thing in the loop
            line(step);
            line("if (" + sum.name() + one(" % 3 == 1", " == 0", " > 100", " % 4 == " + name) + ") { break; }");
        }
        depth--;
        line("}");
        scope.end(start);
    }

    /** A new variable, or a parameter, which a loop that goes again must have as it was. */
    private Variable sum() {
        Variable parameter = random.nextInt(4) > 0 ? null
                : scope.variable(variable -> variable.type() == FuzzType.INT && variable.isWritable() && variable.name().startsWith("a"));
        if (parameter != null) {
            return parameter;
        }
        String value = expressions.of(FuzzType.INT, 3);
        Variable sum = scope.add("v", FuzzType.INT, true);
        line("int " + sum.name() + " = " + value + ";");
        return sum;
    }

    /** Opens a loop; returns the step that its body has to do, if any. */
    private String open(Variable counter, String free, String other, String array) {
        String type = counter.type().java();
        String name = counter.name();
        boolean isUp = random.nextInt(5) > 0;
        String first = isUp ? one("0", "0", "1", free, "-1") : one("3", "3", free, "4");
        String test = isUp ? name + one(" < ", " < ", " <= ") + one("4", "4", "3", other, array + ".length")
                : name + one(" >= ", " > ") + one("0", "0", other, "-1");
        String step = name + (isUp ? one("++", "++", " += 2", " += 3") : one("--", "--", " -= 2"));
        switch (random.nextInt(6)) {
            case 0 -> { // jumps lead to the start of the loop
                line(type + " " + name + " = " + first + ";");
                line("if (" + expressions.of(FuzzType.BOOLEAN, 3) + ") { " + name + " = " + one("2", "1", "-2", other) + "; }");
                line("for (; " + test + "; " + step + ") {");
                return "";
            }
            case 1 -> {
                line(type + " " + name + " = " + first + ";");
                line("while (" + test + ") {");
                return step + ";";
            }
            default -> {
                line("for (" + type + " " + name + " = " + first + "; " + test + "; " + step + ") {");
                return "";
            }
        }
    }

    private void use(String array, String sum, String k) {
        String by = expressions.of(FuzzType.INT, 2);
        String index = one(k, k, k, "3 - " + k, k + " / 2", k + " * 2 - " + k, "(" + k + " + 1) % 4", k + " + 1", k + " & 3");
        line(switch (random.nextInt(8)) {
            case 0 -> array + "[" + index + "] += " + by + ";";
            case 1 -> array + "[" + index + "] = " + array + "[" + k + "] ^ " + sum + ";";
            case 2 -> sum + " += pair(" + array + ", " + k + one("", "", " - 1") + ");";
            case 3 -> sum + " ^= stepped(" + array + ", " + k + ", " + by + ");";
            case 4 -> "if (" + expressions.of(FuzzType.BOOLEAN, 3) + ") { " + sum + " -= " + array + "[" + index + "]; }";
            case 5 -> sum + " += " + array + "[" + sum + " & " + one("3", "3", "3", "7") + "];";
            default -> sum + " = " + sum + " * 31 + " + array + "[" + index + "];";
        });
    }

    private void choose(boolean inLoop) {
        line("switch (" + expressions.of(FuzzType.INT, 4) + " & 7) {");
        for (int label : new int[] {0, 1, 3, 6}) {
            line("    case " + label + ": {");
            block(1, false);
            line("    }");
            if (random.nextBoolean()) {
                line("    break;");
            }
        }
        line("    default: {");
        block(1, false);
        line("    }");
        line("}");
    }
}
