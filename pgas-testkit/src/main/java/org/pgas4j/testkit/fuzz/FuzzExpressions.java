package org.pgas4j.testkit.fuzz;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import org.pgas4j.testkit.fuzz.FuzzScope.Variable;

/** Random Java expressions. */
final class FuzzExpressions {

    private static final String[] INTS = {"0", "1", "-1", "2", "7", "31", "32", "-13", "255", "65536", "Integer.MIN_VALUE",
        "Integer.MAX_VALUE", "0x5bd1e995", "'x'"};
    private static final String[] LONGS = {"0L", "1L", "-1L", "3L", "63L", "64L", "-77L", "4294967296L", "Long.MIN_VALUE",
        "Long.MAX_VALUE", "0x9E3779B97F4A7C15L"};
    private static final String[] FLOATS = {"0f", "-0.0f", "1f", "-1.5f", "0.1f", "3e38f", "1e-45f", "Float.NaN",
        "Float.POSITIVE_INFINITY", "Float.NEGATIVE_INFINITY", "Float.MIN_VALUE", "Float.MAX_VALUE", "2147483648f", "16777217f"};
    private static final String[] DOUBLES = {"0.0", "-0.0", "1.0", "-2.5", "0.1", "1e308", "4.9e-324", "Double.NaN",
        "Double.POSITIVE_INFINITY", "Double.NEGATIVE_INFINITY", "Double.MIN_NORMAL", "Double.MAX_VALUE", "9.223372036854775807e18",
        "2147483647.5", "1e-300"};
    private static final String[] INT_METHODS = {"Integer.bitCount(@I)", "Long.bitCount(@L)", "Integer.numberOfLeadingZeros(@I)",
        "Long.numberOfLeadingZeros(@L)", "Integer.numberOfTrailingZeros(@I)", "Long.numberOfTrailingZeros(@L)",
        "Integer.rotateLeft(@I, @I)", "Integer.rotateRight(@I, @I)", "Integer.reverse(@I)", "Integer.reverseBytes(@I)",
        "Integer.highestOneBit(@I)", "Integer.lowestOneBit(@I)", "Integer.signum(@I)", "Long.signum(@L)", "Math.abs(@I)",
        "Math.min(@I, @I)", "Math.max(@I, @I)", "Math.floorMod(@I, @I | 1)", "Math.floorDiv(@I, @I | 1)", "Math.floorMod(@L, @I | 1)",
        "Math.round(@F)", "Float.floatToIntBits(@F)", "Float.compare(@F, @F)", "Double.compare(@D, @D)", "Integer.compare(@I, @I)",
        "Long.compare(@L, @L)", "Integer.compareUnsigned(@I, @I)", "Long.compareUnsigned(@L, @L)", "Integer.divideUnsigned(@I, @I | 1)",
        "Integer.remainderUnsigned(@I, @I | 1)", "Math.ceilDiv(@I, @I | 1)", "Math.getExponent(@F)", "Math.getExponent(@D)",
        "Long.hashCode(@L)", "Double.hashCode(@D)", "Math.clamp(@L, 3, 50)", "Math.absExact(@I)", "Math.addExact(@I, @I)",
        "Math.multiplyExact(@I, @I)", "Math.toIntExact(@L)", "Math.negateExact(@I)", "Byte.toUnsignedInt((byte) @I)",
        "Short.reverseBytes((short) @I)", "Integer.compress(@I, @I)", "java.util.Objects.checkIndex(@I, 9)", "Math.floorDiv(@I, @I)",
        "Math.floorMod(@I, @I)", "Math.subtractExact(@I, @I)", "Math.incrementExact(@I)", "Math.ceilMod(@I, @I | 1)",
        "Integer.expand(@I, @I)", "Integer.sum(@I, @I)", "Boolean.compare(@I > 0, @L < 0)", "Character.reverseBytes((char) @I)",
        "Float.floatToFloat16(@I / 64f)", "Byte.compareUnsigned((byte) @I, (byte) @I)", "Math.unsignedMultiplyExact(@I, @I)",
        "Integer.divideUnsigned(@I, @I)", "Math.ceilDivExact(@I, @I | 1)", "Long.signum(@L)"};
    private static final String[] LONG_METHODS = {"Long.rotateLeft(@L, @I)", "Long.rotateRight(@L, @I)", "Long.reverse(@L)",
        "Long.reverseBytes(@L)", "Long.highestOneBit(@L)", "Long.lowestOneBit(@L)", "Math.abs(@L)", "Math.min(@L, @L)",
        "Math.max(@L, @L)", "Math.floorMod(@L, @L | 1)", "Math.floorDiv(@L, @L | 1)", "Math.multiplyHigh(@L, @L)",
        "Math.unsignedMultiplyHigh(@L, @L)", "Math.multiplyFull(@I, @I)", "Math.round(@D)", "Double.doubleToLongBits(@D)",
        "Integer.toUnsignedLong(@I)", "Long.divideUnsigned(@L, @L | 1)", "Long.remainderUnsigned(@L, @L | 1)",
        "Math.clamp(@L, -5L, 500L)", "Math.addExact(@L, @L)", "Math.subtractExact(@L, @L)", "Math.multiplyExact(@L, @L)",
        "Math.multiplyHigh(@L, @L)", "Long.expand(@L, @L)", "Math.floorDiv(@L, @I)",
        "Math.negateExact(@L)", "Math.ceilDiv(@L, @L | 1)", "Long.sum(@L, @L)", "Math.absExact(@L)", "Math.multiplyExact(@L, @I)",
        "java.util.Objects.checkIndex(@L, 1000L)"};
    private static final String[] FLOAT_METHODS = {"Math.abs(@F)", "Math.min(@F, @F)", "Math.max(@F, @F)", "Math.fma(@F, @F, @F)",
        "Math.signum(@F)", "(float) Math.sqrt(@F)", "Float.intBitsToFloat(@I)", "Math.nextUp(@F)", "Math.scalb(@F, @I)",
        "Math.ulp(@F)", "Math.clamp(@F, -1f, 9f)", "Float.float16ToFloat((short) @I)", "Float.sum(@F, @F)",
        "Math.nextDown(@F)", "Float.max(@F, @F)"};
    private static final String[] DOUBLE_METHODS = {"Math.sqrt(@D)", "Math.abs(@D)", "Math.min(@D, @D)", "Math.max(@D, @D)",
        "Math.fma(@D, @D, @D)", "Math.floor(@D)", "Math.ceil(@D)", "Math.rint(@D)", "Math.signum(@D)", "Double.longBitsToDouble(@L)",
        "Math.nextDown(@D)", "Math.scalb(@D, @I)", "Math.ulp(@D)", "Math.clamp(@D, -1.0, 9.0)", "StrictMath.sqrt(@D)",
        "StrictMath.max(@D, @D)", "Math.toRadians(@D)", "Math.nextAfter(@D, @D)",
        "Math.toDegrees(@D)", "Double.min(@D, @D)", "Math.IEEEremainder(@D, @D)", "Math.copySign(@D, 1.0 * @I)"};
    private static final String[] TESTS = {"Double.isNaN(@D)", "Float.isInfinite(@F)", "Double.isFinite(@D)", "Float.isNaN(@F)"};

    private final Random random;
    private final FuzzScope scope;
    private int budget;
    private int yields;

    FuzzExpressions(Random random, FuzzScope scope) {
        this.random = random;
        this.scope = scope;
    }

    /** An expression of about {@code size} parts. */
    String of(FuzzType type, int size) {
        budget = size;
        return next(type);
    }

    private String next(FuzzType type) {
        if (budget-- <= 0 || random.nextInt(5) == 0) {
            return leaf(type);
        }
        if (type.isNumber()) {
            return number(type);
        }
        if (type.isSmall()) {
            return "(" + type.java() + ") (" + next(anyNumber()) + ")";
        }
        return type == FuzzType.BOOLEAN ? truth() : record(type);
    }

    private String leaf(FuzzType type) {
        Variable variable = scope.variable(one -> one.type() == type || type == FuzzType.INT && one.type().isSmall()
                || type == FuzzType.LONG && one.type() == FuzzType.INT || type == FuzzType.DOUBLE && one.type() == FuzzType.FLOAT);
        if (variable != null && random.nextInt(4) > 0) {
            return type == FuzzType.LONG && variable.type() == FuzzType.INT ? "(long) " + variable.name() : variable.name();
        }
        return switch (type) {
            case INT -> constant(INTS);
            case LONG -> constant(LONGS);
            case FLOAT -> constant(FLOATS);
            case DOUBLE -> constant(DOUBLES);
            case BOOLEAN -> random.nextBoolean() ? "true" : "false";
            case BYTE, SHORT, CHAR -> "(" + type.java() + ") " + constant(INTS);
            case PAIR -> "new Pair(" + constant(INTS) + ", " + constant(LONGS) + ")";
            case MIXED -> "new Mixed(" + constant(INTS) + ")";
            case NEST -> "Nest.of(" + constant(INTS) + ", " + constant(DOUBLES) + ")";
            case INTS -> throw new IllegalArgumentException("arrays are made by declarations");
        };
    }

    private String constant(String[] of) {
        String text = of[random.nextInt(of.length)];
        return text.startsWith("-") ? "(" + text + ")" : text;
    }

    private FuzzType anyNumber() {
        return FuzzType.values()[random.nextInt(FuzzType.BOOLEAN.ordinal())];
    }

    private String number(FuzzType type) {
        boolean integer = type == FuzzType.INT || type == FuzzType.LONG;
        return switch (random.nextInt(type == FuzzType.INT ? 15 : 14)) {
            case 0, 1, 2 -> binary(type, integer);
            case 3 -> integer ? shift(type) : binary(type, false);
            case 4 -> integer ? bitwise(type) : "(- " + next(type) + ")";
            case 5 -> divided(type, integer);
            case 6 -> converted(type);
            case 7 -> "(" + next(FuzzType.BOOLEAN) + " ? " + next(type) + " : " + next(type) + ")";
            case 8, 9 -> library(type);
            case 10 -> assigned(type);
            case 11 -> component(type);
            case 12 -> called(type);
            case 14 -> element();
            default -> chosen(type);
        };
    }

    private String binary(FuzzType type, boolean integer) {
        String operator = new String[] {" + ", " - ", " * "}[random.nextInt(3)];
        FuzzType narrow = FuzzType.values()[random.nextInt(type.ordinal() + 1)];
        String mixed = "(" + next(narrow) + operator + next(type) + ")";
        return integer && random.nextInt(8) == 0 ? "(" + (random.nextBoolean() ? "- " : "~") + mixed + ")" : mixed;
    }

    private String bitwise(FuzzType type) {
        return "(" + next(type) + new String[] {" & ", " | ", " ^ "}[random.nextInt(3)] + next(type) + ")";
    }

    private String shift(FuzzType type) {
        FuzzType by = random.nextBoolean() ? FuzzType.INT : FuzzType.LONG;
        return "(" + next(type) + new String[] {" << ", " >> ", " >>> "}[random.nextInt(3)] + next(by) + ")";
    }

    /** Divisors are 0 now and then: the fault must be the same. */
    private String divided(FuzzType type, boolean integer) {
        String operator = random.nextBoolean() ? " / " : " % ";
        String divisor = integer && random.nextInt(10) > 0 ? "(" + next(type) + " | 1)" : next(type);
        return "(" + next(type) + operator + divisor + ")";
    }

    private String converted(FuzzType type) {
        FuzzType from = FuzzType.values()[random.nextInt(FuzzType.PAIR.ordinal())];
        return from == FuzzType.BOOLEAN || from == type ? "((" + type.java() + ") (" + next(anyNumber()) + "))"
                : "((" + type.java() + ") " + next(from) + ")";
    }

    private String library(FuzzType type) {
        return filled(switch (type) {
            case INT -> INT_METHODS;
            case LONG -> LONG_METHODS;
            case FLOAT -> FLOAT_METHODS;
            default -> DOUBLE_METHODS;
        });
    }

    private String filled(String[] templates) {
        StringBuilder text = new StringBuilder();
        for (String part : templates[random.nextInt(templates.length)].split("(?=@)")) {
            if (part.startsWith("@")) {
                FuzzType type = switch (part.charAt(1)) {
                    case 'I' -> FuzzType.INT;
                    case 'L' -> FuzzType.LONG;
                    case 'F' -> FuzzType.FLOAT;
                    default -> FuzzType.DOUBLE;
                };
                text.append(next(type)).append(part.substring(2));
            } else {
                text.append(part);
            }
        }
        return text.toString();
    }

    /** An assignment, compound assignment or step inside an expression. */
    private String assigned(FuzzType type) {
        Variable variable = scope.variable(one -> one.isWritable() && (one.type() == type
                || type == FuzzType.INT && one.type().isSmall()));
        if (variable == null) {
            return leaf(type);
        }
        String name = variable.name();
        return switch (random.nextInt(5)) {
            case 0 -> "(" + name + "++)";
            case 1 -> "(--" + name + ")";
            case 2 -> "(" + name + " = " + next(variable.type()) + ")";
            default -> "(" + name + compound(type) + ")";
        };
    }

    /** Operator and right side of a compound assignment to a variable that computes as {@code type}. */
    String compound(FuzzType type) {
        boolean integer = type == FuzzType.INT || type == FuzzType.LONG;
        return switch (random.nextInt(integer ? 9 : 4)) {
            case 0 -> " += " + next(anyNumber());
            case 1 -> " -= " + next(anyNumber());
            case 2 -> " *= " + next(anyNumber());
            case 3 -> " /= " + (integer ? "(" + next(type) + " | 1)" : next(type));
            case 4 -> " %= " + "(" + next(type) + " | 1)";
            case 5 -> " <<= " + next(FuzzType.INT);
            case 6 -> " >>>= " + next(FuzzType.LONG);
            case 7 -> " ^= " + next(type);
            default -> " >>= " + next(FuzzType.INT);
        };
    }

    private String component(FuzzType type) {
        String nest = primary(FuzzType.NEST);
        return switch (type) {
            case INT -> random.nextBoolean() ? primary(FuzzType.PAIR) + ".x()" : primary(FuzzType.MIXED) + ".s()";
            case LONG -> random.nextBoolean() ? primary(FuzzType.PAIR) + ".y()" : nest + ".pair().total()";
            case FLOAT -> primary(FuzzType.MIXED) + ".f()";
            default -> random.nextBoolean() ? nest + ".mixed().d()" : nest + ".weight()";
        };
    }

    private String element() {
        Variable array = scope.variable(one -> one.type() == FuzzType.INTS);
        if (array == null) {
            return leaf(FuzzType.INT);
        }
        String element = array.name() + "[" + next(FuzzType.INT) + (random.nextInt(6) == 0 ? "]" : " & 3]");
        return switch (random.nextInt(6)) {
            case 0 -> "(" + element + "++)";
            case 1 -> "(" + element + compound(FuzzType.INT) + ")";
            case 2 -> array.name() + ".length";
            default -> element;
        };
    }

    private String primary(FuzzType record) {
        Variable variable = scope.variable(one -> one.type() == record);
        return variable == null || random.nextInt(3) == 0 ? "(" + next(record) + ")" : variable.name();
    }

    private String called(FuzzType type) {
        FuzzScope.Method method = scope.method(type);
        return method == null ? leaf(type)
                : method.parameters().stream().map(this::next).collect(Collectors.joining(", ", method.name() + "(", ")"));
    }

    private String chosen(FuzzType type) {
        String selector = "0 + " + next(FuzzType.INT) + (random.nextBoolean() ? "" : " & 3");
        int last = ++yields; // nested ones need names of their own
        return "(switch (" + selector + ") { case 0 -> " + next(type) + "; case 1, -7 -> { " + type.java() + " y" + last + " = "
                + next(type) + "; yield y" + last + "; } case Integer.MAX_VALUE, 2 -> " + next(type)
                + "; default -> " + next(type) + "; })";
    }

    private String truth() {
        FuzzType type = anyNumber();
        return switch (random.nextInt(9)) {
            case 0 -> "(!" + next(FuzzType.BOOLEAN) + ")";
            case 1 -> "(" + next(FuzzType.BOOLEAN) + " && " + next(FuzzType.BOOLEAN) + ")";
            case 2 -> "(" + next(FuzzType.BOOLEAN) + " || " + next(FuzzType.BOOLEAN) + ")";
            case 3 -> "(" + next(FuzzType.BOOLEAN) + new String[] {" ^ ", " & ", " | ", " == "}[random.nextInt(4)]
                    + next(FuzzType.BOOLEAN) + ")";
            case 4 -> filled(TESTS);
            case 5 -> primary(FuzzType.MIXED) + ".z()";
            default -> "(" + next(type) + Arrays.asList(" < ", " <= ", " > ", " >= ", " == ", " != ").get(random.nextInt(6))
                    + next(type) + ")";
        };
    }

    private String record(FuzzType type) {
        String called = random.nextInt(4) == 0 ? called(type) : null;
        if (called != null) {
            return called;
        }
        if (random.nextInt(5) == 0) {
            return "(" + next(FuzzType.BOOLEAN) + " ? " + next(type) + " : " + next(type) + ")";
        }
        return switch (type) {
            case PAIR -> random.nextBoolean() ? "new Pair(" + next(FuzzType.INT) + ", " + next(FuzzType.LONG) + ")"
                    : primary(FuzzType.PAIR) + ".with(" + next(FuzzType.INT) + ")";
            case MIXED -> random.nextBoolean() ? "new Mixed(" + next(FuzzType.INT) + ")"
                    : "new Mixed(" + next(FuzzType.FLOAT) + ", " + next(FuzzType.DOUBLE) + ", " + next(FuzzType.BYTE) + ", "
                            + next(FuzzType.SHORT) + ", " + next(FuzzType.CHAR) + ", " + next(FuzzType.BOOLEAN) + ")";
            default -> random.nextBoolean() ? "Nest.of(" + next(FuzzType.INT) + ", " + next(FuzzType.DOUBLE) + ")"
                    : "new Nest(" + next(FuzzType.PAIR) + ", " + next(FuzzType.MIXED) + ", " + next(FuzzType.LONG) + ")";
        };
    }
}
