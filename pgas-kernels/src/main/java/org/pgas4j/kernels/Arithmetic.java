package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.util.Map;

/** Operators of the Java virtual machine in C++. Integers wrap, which C++ allows for unsigned ones only: pgas_java.cuh does it. */
final class Arithmetic {

    private static final Map<String, String> INTEGER_CALLS = Map.of("ADD", "pgas_add", "SUB", "pgas_sub", "MUL", "pgas_mul",
            "SHL", "pgas_shl", "SHR", "pgas_shr", "USHR", "pgas_ushr");

    private static final Map<String, String> OPERATORS = Map.of("ADD", "+", "SUB", "-", "MUL", "*", "DIV", "/", "AND", "&", "OR", "|",
            "XOR", "^");

    private static final Map<String, String> REMAINDERS = Map.of("f", "fmodf", "d", "fmod");

    private Arithmetic() {
    }

    /** Kind that an operator computes with: by the first letter of its name. */
    static Kind.Number kind(Opcode opcode) {
        return switch (opcode.name().charAt(0)) {
            case 'I' -> Kind.Number.INT;
            case 'L' -> Kind.Number.LONG;
            case 'F' -> Kind.Number.FLOAT;
            default -> Kind.Number.DOUBLE;
        };
    }

    /** Name of an operator without the letter of its type. */
    static String name(Opcode opcode) {
        return opcode.name().substring(1);
    }

    /** True for a division or remainder of integers, which stops a kernel for a divisor of 0. */
    static boolean mayStop(Opcode opcode) {
        return switch (opcode) {
            case IDIV, IREM, LDIV, LREM -> true;
            default -> false;
        };
    }

    /** Value of an operator that stops no kernel. */
    static String expression(Opcode opcode, Operand.Value left, Operand.Value right) {
        Kind.Number kind = kind(opcode);
        String name = name(opcode);
        boolean integer = kind == Kind.Number.INT || kind == Kind.Number.LONG;
        if (name.equals("REM")) {
            return REMAINDERS.get(kind.letter()) + "(" + left.text() + ", " + right.text() + ")";
        }
        if (opcode == Opcode.LMUL && left.from() != null && right.from() != null) {
            return "pgas_wide(" + left.from().text() + ", " + right.from().text() + ")";
        }
        if (integer && INTEGER_CALLS.containsKey(name)) {
            return INTEGER_CALLS.get(name) + "(" + left.text() + ", " + right.text() + ")";
        }
        return left.part() + " " + OPERATORS.get(name) + " " + right.part();
    }

    /**
     * Sum or difference of ints, or product with a literal, in 64 bits; of nothing but local variables and literals, since what wraps in
     * between is not what it would be in 64 bits. Null for all others.
     */
    static String exact(Opcode opcode, Operand.Value left, Operand.Value right) {
        if (!left.isExact() || !right.isExact()) {
            return null;
        }
        return switch (opcode) {
            case IADD -> "(" + left.index() + " + " + right.index() + ")";
            case ISUB -> "(" + left.index() + " - " + right.index() + ")";
            case IMUL -> left.isFactor() || right.isFactor() ? "(" + left.index() + " * " + right.index() + ")" : null;
            default -> null;
        };
    }

    /** Sum or difference of two local variables or literals, as C++ has it, which must not wrap; null for all others. */
    static String plain(Opcode opcode, Operand.Value left, Operand.Value right) {
        boolean isPlain = left.isExact() && right.isExact() && left.atom() && right.atom();
        return !isPlain ? null : opcode == Opcode.IADD ? "(long long) (" + left.text() + " + " + right.text() + ")"
                : opcode == Opcode.ISUB ? "(long long) (" + left.text() + " - " + right.text() + ")" : null;
    }

    /** Value of a negation. */
    static String negation(Opcode opcode, Operand.Value value) {
        Kind.Number kind = kind(opcode);
        return kind == Kind.Number.INT || kind == Kind.Number.LONG ? "pgas_neg(" + value.text() + ")" : "-" + value.part();
    }

    /** Value of a conversion. */
    static String conversion(Opcode opcode, Operand.Value value) {
        return switch (opcode) {
            case I2B -> "(int) (signed char) " + value.part();
            case I2S -> "(int) (short) " + value.part();
            case I2C -> "(int) (unsigned short) " + value.part();
            case L2I -> "(int) " + value.part();
            case I2L -> "(long long) " + value.part();
            case I2F, L2F, D2F -> "(float) " + value.part();
            case I2D, L2D, F2D -> "(double) " + value.part();
            case F2I, D2I -> "pgas_to_int(" + value.text() + ")";
            case F2L, D2L -> "pgas_to_long(" + value.text() + ")";
            default -> throw new IllegalArgumentException(opcode.toString());
        };
    }

    /** Kind after a conversion: by the last letter of its name. */
    static Kind.Number target(Opcode opcode) {
        return switch (opcode.name().charAt(2)) {
            case 'L' -> Kind.Number.LONG;
            case 'F' -> Kind.Number.FLOAT;
            case 'D' -> Kind.Number.DOUBLE;
            default -> Kind.Number.INT;
        };
    }

    /**
     * Condition of a branch on a comparison. With NaN the comparison is {@code nan}; {@code !(a >= b)} is true then, where {@code a
     * < b} is not.
     */
    static String condition(String relation, Operand.Comparison of) {
        String left = of.left().part();
        String right = of.right().part();
        boolean holdsForNan = switch (relation) {
            case "<", "<=" -> of.nan() < 0;
            case ">", ">=" -> of.nan() > 0;
            default -> false; // == and != are as in C++
        };
        return holdsForNan ? "!(" + left + " " + opposite(relation) + " " + right + ")" : left + " " + relation + " " + right;
    }

    static String opposite(String relation) {
        return switch (relation) {
            case "<" -> ">=";
            case "<=" -> ">";
            case ">" -> "<=";
            case "==" -> "!=";
            case "!=" -> "==";
            default -> "<";
        };
    }

    /** Relation that a branch tests. */
    static String relation(Opcode opcode) {
        return switch (opcode) {
            case IFEQ, IF_ICMPEQ -> "==";
            case IFNE, IF_ICMPNE -> "!=";
            case IFLT, IF_ICMPLT -> "<";
            case IFGE, IF_ICMPGE -> ">=";
            case IFGT, IF_ICMPGT -> ">";
            case IFLE, IF_ICMPLE -> "<=";
            default -> null;
        };
    }
}
