package org.pgas4j.kernels;

import java.lang.classfile.instruction.InvokeInstruction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;

/**
 * Lines that kernels print: calls of {@code printf}, whose last arguments javac boxes and puts into an array. The format is a constant,
 * and fits the values; in C++ it has their lengths.
 */
final class PrintTranslator {

    private static final int MAX_VALUES = 8;
    private static final int MAX_BYTES = 160;

    private final MethodFrame frame;

    PrintTranslator(MethodFrame frame) {
        this.frame = frame;
    }

    /** True for a call that prints a line. */
    static boolean isPrint(InvokeInstruction call) {
        return call.name().equalsString("printf")
                && Set.of(BlockIntrinsics.RANK, BlockIntrinsics.THREAD).contains(call.owner().asInternalName());
    }

    /** The next call that takes an array of objects as its last arguments: the one that a new array is for. */
    Optional<InvokeInstruction> callOfArguments() {
        return frame.code().elementList().stream().skip(frame.copies().position()).filter(InvokeInstruction.class::isInstance)
                .map(InvokeInstruction.class::cast).filter(call -> call.type().stringValue().contains("[Ljava/lang/Object;)")).findFirst();
    }

    /** Begins the arguments of a line; false if a new array is for something else. */
    boolean makeArguments() {
        if (callOfArguments().filter(PrintTranslator::isPrint).isEmpty()) {
            return false;
        }
        String length = frame.popValue().text();
        if (!length.matches("\\d{1,3}")) {
            return false;
        }
        if (Integer.parseInt(length) > MAX_VALUES) {
            throw frame.refused("prints a line of " + length + " values", "print up to " + MAX_VALUES + " in a line");
        }
        frame.push(new Operand.Arguments("v" + frame.copies().position() + "_", new Operand.Boxed[Integer.parseInt(length)]));
        return true;
    }

    /** Boxes an argument of a line; false if the box is for something else. */
    boolean box(InvokeInstruction call) {
        List<Operand> stack = frame.stack();
        if (stack.size() < 3 || !(stack.get(stack.size() - 3) instanceof Operand.Arguments)) {
            return false;
        }
        frame.push(new Operand.Boxed(frame.popValue(), call.owner().asInternalName().substring("java/lang/".length())));
        return true;
    }

    /** Keeps an argument in a variable of the method: what comes between it and the call may change what it is made of. */
    void store() {
        Operand given = frame.pop();
        Operand.Value index = frame.popValue();
        if (!(frame.pop() instanceof Operand.Arguments arguments)) {
            throw frame.refused("writes an array of objects", "use an array of numbers for each component");
        }
        if (!(given instanceof Operand.Boxed boxed)) {
            throw frame.refused("prints an object", given instanceof Operand.Text ? "write the text in the format" : "print its numbers");
        }
        int number = Integer.parseInt(index.text());
        Kind kind = boxed.value().kind();
        String variable = arguments.name() + number + "_" + kind.letter();
        frame.variables().put(variable, kind.cpp());
        frame.emit(variable + " = " + boxed.value().text() + ";");
        arguments.values()[number] = new Operand.Boxed(Operand.Value.fixed(kind, variable), boxed.type());
    }

    /** Makes one argument of format and values, which are the last two of a call. */
    void replaceLine(List<Operand> arguments) {
        Operand values = arguments.removeLast();
        Operand format = arguments.removeLast();
        if (!(values instanceof Operand.Arguments given)) {
            throw frame.refused("prints the values of an array", "write them in the call of printf");
        }
        if (!(format instanceof Operand.Text text) || !text.isWhole()) {
            throw frame.refused("prints by a format that is no constant", "write one in the call, and values behind it");
        }
        boolean isBlock = ((Operand.Value) frame.stack().getLast()).kind() instanceof Kind.Known known
                && known.type() == KnownType.GRID_RANK;
        String cpp = BlockIntrinsics.literal(format(text.value(), given.values()));
        StringBuilder types = new StringBuilder();
        Arrays.stream(given.values()).forEach(value -> types.append(type(value.type())));
        StringBuilder line = new StringBuilder(isBlock ? cpp
                : "PGAS_LINE(" + frame.translation().line(new KernelLine(text.value(), types.toString())) + ", " + cpp + ")");
        Arrays.stream(given.values()).forEach(value -> line.append(", ").append(value.value().text()));
        arguments.add(Operand.Value.fixed(new Kind.Known(KnownType.THREAD), line.toString()));
    }

    private static char type(String box) {
        return switch (box) {
            case "Long" -> 'J';
            case "Float", "Double" -> 'D';
            default -> 'I';
        };
    }

    /** The format with the lengths of the values. */
    private String format(String format, Operand.Boxed[] values) {
        Matcher matcher = LineFormat.CONVERSION.matcher(format);
        StringBuilder cpp = new StringBuilder();
        int count = 0;
        int end = 0;
        while (matcher.find()) {
            refuseSign(format, end, matcher.start());
            end = matcher.end();
            String converted = matcher.group();
            if (!converted.equals("%%")) {
                if (count < values.length) {
                    converted = conversion(matcher, values[count]);
                }
                count++;
            }
            matcher.appendReplacement(cpp, Matcher.quoteReplacement(converted));
        }
        refuseSign(format, end, format.length());
        matcher.appendTail(cpp);
        if (count != values.length) {
            throw frame.refused("prints " + values.length + " values by a format of " + count, "give each conversion one value");
        }
        if (cpp.toString().getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw frame.refused("prints by a format of more than " + MAX_BYTES + " bytes", "print two lines");
        }
        return cpp.toString();
    }

    private void refuseSign(String format, int from, int to) {
        int sign = format.substring(from, to).indexOf('%');
        if (sign >= 0) {
            throw frame.refused("prints by \"" + format.substring(from + sign, Math.min(format.length(), from + sign + 4))
                    + "\", which lines do not have", "use d, i, u, x, X, o or c of integers, f, e or g of reals, and %% for a percent sign");
        }
    }

    private String conversion(Matcher matcher, Operand.Boxed boxed) {
        char letter = matcher.group(4).charAt(0);
        String written = matcher.group();
        boolean isReal = boxed.type().equals("Float") || boxed.type().equals("Double");
        if (boxed.type().equals("Boolean") || boxed.type().equals("Character")) {
            throw frame.refused("prints an object of " + boxed.type() + " by " + written, "convert it to int");
        }
        if (letter == 'p' || isReal != LineFormat.isReal(letter)) {
            throw frame.refused("prints an object of " + boxed.type() + " by " + written,
                    isReal ? "use %f or %e" : "use %d, %u, %x or %o");
        }
        if (matcher.group(1).contains(" ") || matcher.group(1).contains("#") || !isReal && matcher.group(3) != null) {
            throw frame.refused("prints by " + written, "use the flags -, + and 0, a width, and of reals a precision");
        }
        String precision = matcher.group(3) == null ? "" : matcher.group(3);
        String length = boxed.type().equals("Long") && letter != 'c' ? "ll" : "";
        return "%" + matcher.group(1) + matcher.group(2) + precision + length + letter;
    }
}
