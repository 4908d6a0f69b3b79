package org.pgas4j.kernels;

import java.lang.classfile.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Java's operators on {@link Symbol.Integral}s: what is known of the result. */
final class SymbolicArithmetic {

    private static final AtomicLong NAMES = new AtomicLong();
    private static final long MAX_INT = Integer.MAX_VALUE;

    private SymbolicArithmetic() {
    }

    /** A value that is known by its C++ expression alone. */
    static Symbol value(String text, int words, boolean isSteady) {
        return Symbol.Integral.of(words, Term.of(text, words == 2, isSteady), text);
    }

    private static Symbol ranged(int words, String low, String high, String guard, Symbol.Integral... of) {
        Term term = new Term("range " + NAMES.incrementAndGet(), "(" + low + ")", "(" + high + ")", guard, false);
        return new Symbol.Integral(words, LinearForm.of(term), null, false,
                Stream.of(of).flatMap(one -> one.assumed().stream()).distinct().toList());
    }

    /** Conditions under which the bounds of a form are right, and what else is to hold. */
    static String guarded(LinearForm form, String... further) {
        return Stream.concat(form.terms().keySet().stream().map(Term::guard).filter(guard -> guard != null), Stream.of(further))
                .distinct().map(guard -> "(" + guard + ")").collect(Collectors.joining(" & "));
    }

    private static String nullable(String guard) {
        return guard.isEmpty() ? null : guard;
    }

    static Symbol negation(Opcode opcode, Symbol value) {
        return switch (opcode) {
            case INEG -> binary(Opcode.ISUB, Symbol.Integral.constant(1, 0), value);
            case LNEG -> binary(Opcode.LSUB, Symbol.Integral.constant(2, 0), value);
            default -> new Symbol.Unknown(value.words());
        };
    }

    static Symbol convert(Opcode opcode, Symbol value, int words) {
        if (value instanceof Symbol.Integral of) {
            if (opcode == Opcode.I2L) {
                return new Symbol.Integral(2, of.form(), of.text() == null ? null : "(long long) (" + of.text() + ")", of.wraps(),
                        of.assumed());
            }
            if (opcode == Opcode.L2I) {
                return new Symbol.Integral(1, of.form(), of.text() == null ? null : "(int) (" + of.text() + ")", true, of.assumed());
            }
        }
        return new Symbol.Unknown(words);
    }

    static Symbol binary(Opcode opcode, Symbol left, Symbol right) {
        if (opcode == Opcode.LCMP) {
            return new Symbol.Order(left, right);
        }
        String name = Arithmetic.name(opcode);
        char type = opcode.name().charAt(0);
        int words = type == 'L' || type == 'D' ? 2 : 1;
        if (name.startsWith("CMP")) {
            return new Symbol.Unknown(1);
        }
        if (type != 'I' && type != 'L') {
            return new Symbol.Unknown(words);
        }
        boolean isMask = name.equals("AND") && right instanceof Symbol.Integral mask && mask.isConstant()
                && mask.form().constant() >= 0 && mask.form().constant() <= MAX_INT;
        if (left instanceof Symbol.Integral a && right instanceof Symbol.Integral b) {
            Symbol known = type == 'L' ? of(name, words, a.unwrapped(), b.words() == 2 ? b.unwrapped() : b) : of(name, words, a, b);
            if (known != null) {
                return known;
            }
        }
        return isMask ? ranged(words, "0LL", Literals.of(((Symbol.Integral) right).form().constant()), null)
                : new Symbol.Unknown(words);
    }

    private static Symbol of(String name, int words, Symbol.Integral left, Symbol.Integral right) {
        if (left.isConstant() && right.isConstant()) {
            return constant(name, words, left.form().constant(), right.form().constant());
        }
        return switch (name) {
            case "ADD" -> sum("pgas_add", words, left, right, 1);
            case "SUB" -> sum("pgas_sub", words, left, right, -1);
            case "MUL" -> product(words, left, right);
            case "SHL" -> right.isConstant() && right.form().constant() >= 0 && right.form().constant() <= 12
                    ? product(words, left, Symbol.Integral.constant(words, 1L << right.form().constant())) : null;
            case "DIV", "REM", "SHR", "AND" -> parts(name, words, left, right);
            default -> null;
        };
    }

    private static Symbol constant(String name, int words, long left, long right) {
        Long value = switch (name) {
            case "ADD" -> left + right;
            case "SUB" -> left - right;
            case "MUL" -> left * right;
            case "DIV" -> right == 0 ? null : (Long) (left / right);
            case "REM" -> right == 0 ? null : (Long) (left % right);
            case "AND" -> left & right;
            case "SHL" -> words == 1 ? (int) left << right : left << right;
            case "SHR" -> words == 1 ? (int) left >> right : left >> right;
            default -> null;
        };
        return value == null ? null : Symbol.Integral.constant(words, words == 1 ? (int) (long) value : value);
    }

    private static String text(String function, Symbol.Integral left, Symbol.Integral right) {
        return left.text() == null || right.text() == null ? null : function + "(" + left.text() + ", " + right.text() + ")";
    }

    private static List<LinearForm> assumed(Symbol.Integral left, Symbol.Integral right) {
        List<LinearForm> all = new ArrayList<>(left.assumed());
        right.assumed().stream().filter(form -> !all.contains(form)).forEach(all::add);
        return all;
    }

    private static Symbol sum(String function, int words, Symbol.Integral left, Symbol.Integral right, long factor) {
        LinearForm form = left.form().plus(right.form(), factor);
        String text = text(function, left, right);
        return form != null ? new Symbol.Integral(words, form, text, words == 1, assumed(left, right))
                : text == null || words == 1 ? null : value(text, words, false);
    }

    private static Symbol product(int words, Symbol.Integral left, Symbol.Integral right) {
        if (left.isConstant()) {
            return product(words, right, left);
        }
        String text = text("pgas_mul", left, right);
        if (right.isConstant()) {
            LinearForm form = left.form().times(right.form().constant());
            if (form != null) {
                return new Symbol.Integral(words, form, text, words == 1, left.assumed());
            }
            if (words == 1) {
                return null; // see Arithmetic.exact, which has the same limits
            }
        }
        if (text != null) {
            return value(text, words, isSteady(left) && isSteady(right));
        }
        return right.text() != null ? scaled(words, left, right) : left.text() != null ? scaled(words, right, left) : null;
    }

    private static boolean isSteady(Symbol.Integral value) {
        return value.form().terms().keySet().stream().allMatch(Term::isSteady) && value.form().constant() >= 0;
    }

    /** A value that changes times one that does not. */
    private static Symbol scaled(int words, Symbol.Integral value, Symbol.Integral factor) {
        Symbol.Integral exact = value.unwrapped();
        String low = exact.form().low();
        String high = exact.form().high();
        String by = "(long long) (" + factor.text() + ")";
        Symbol.Integral product = (Symbol.Integral) ranged(words, "pgas_mul(" + low + ", " + by + ")",
                "pgas_mul(" + high + ", " + by + ")",
                guarded(exact.form(), "pgas_scales(" + low + ", " + high + ", " + by + ")"), exact, factor);
        return new Symbol.Integral(words, product.form(), null, words == 1, product.assumed());
    }

    /** Quotient, remainder, shift to the right or mask by a constant that is positive. */
    private static Symbol parts(String name, int words, Symbol.Integral left, Symbol.Integral right) {
        if (!right.isConstant() || right.form().constant() <= 0 || right.form().constant() > MAX_INT
                || name.equals("SHR") && right.form().constant() > 31) {
            return null;
        }
        String operator = switch (name) {
            case "DIV" -> " / ";
            case "REM" -> " % ";
            case "SHR" -> " >> ";
            default -> " & ";
        };
        String by = Literals.of(right.form().constant());
        if (left.text() != null) {
            String text = "(" + left.text() + ")" + operator + (words == 1 ? Literals.of((int) right.form().constant()) : by);
            return value("(" + text + ")", words, false);
        }
        if (name.equals("AND")) {
            return null;
        }
        Symbol.Integral exact = left.unwrapped();
        String low = exact.form().low();
        String high = exact.form().high();
        if (name.equals("REM")) {
            return ranged(words, "0LL", Literals.of(right.form().constant() - 1), guarded(exact.form(), low + " >= 0"), exact);
        }
        return ranged(words, "(" + low + ")" + operator + by, "(" + high + ")" + operator + by,
                nullable(guarded(exact.form())), exact);
    }
}
