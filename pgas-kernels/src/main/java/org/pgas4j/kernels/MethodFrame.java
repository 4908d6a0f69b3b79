package org.pgas4j.kernels;

import java.lang.classfile.Attributes;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgas4j.KernelRefusedException;

/**
 * The C++ function of a method while it is written: its statements, its variables, and the operand stack as texts. A local variable
 * of the method is a C++ variable for each kind that its slot has.
 */
final class MethodFrame {
    static final String SELF = "self";             // the record that a constructor makes
    private static final int MAX_EXPRESSION = 120; // longer ones get a variable

    private final Translation translation;
    private final String owner;
    private final MethodModel method;
    private final CodeModel code;
    private final boolean isConstructor;
    private final String file;
    private final StringBuilder text = new StringBuilder();
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final Map<Integer, Kind> objects = new HashMap<>(); // kinds of local variables that are no numbers, by slot
    private final List<Operand> stack = new ArrayList<>();
    private final LocalArrays arrays;
    private final KnownRanges ranges;
    private final Copies copies;
    private final Map<String, Kind> parameters = new LinkedHashMap<>(); // by their variables
    private final Set<String> written = new HashSet<>(); // variables of buffers and arrays
    private int variableCount;
    private int line;
    private int printedLine;

    /** @param owner class of the method, in internal form */
    MethodFrame(Translation translation, String owner, MethodModel method, Copies copies) {
        this.translation = translation;
        this.owner = owner;
        this.method = method;
        this.code = method.code().orElseThrow();
        this.copies = copies;
        this.isConstructor = method.methodName().equalsString("<init>");
        this.file = translation.files().model(owner).findAttribute(Attributes.sourceFile())
                .map(source -> source.sourceFile().stringValue()).orElse(owner + ".class");
        this.line = lineFrom(code.elementList());
        this.arrays = new LocalArrays(code, this::refused);
        this.ranges = new KnownRanges(code, parameterSlots() + (method.flags().has(AccessFlag.STATIC) ? 0 : 1));
    }

    Translation translation() {
        return translation;
    }

    String owner() {
        return owner;
    }

    CodeModel code() {
        return code;
    }

    /** True for a constructor of a record, which returns it. */
    boolean isConstructor() {
        return isConstructor;
    }

    /** C++ types of the variables that are declared, by their names. */
    Map<String, String> variables() {
        return variables;
    }

    /** Notes that elements of what a variable holds are written. */
    void write(String variable) {
        written.add(variable);
    }

    /** Numbers of the parameters whose elements are written; all if it is not known. */
    Set<Integer> written() {
        Set<Integer> numbers = new HashSet<>();
        List<String> names = List.copyOf(parameters.keySet());
        for (int i = 0; i < names.size(); i++) {
            if (written.contains(names.get(i)) || !names.containsAll(written)) {
                numbers.add(i);
            }
        }
        return numbers;
    }

    /** Kinds of local variables that are no numbers, by slot. */
    Map<Integer, Kind> objects() {
        return objects;
    }

    List<Operand> stack() {
        return stack;
    }

    LocalArrays arrays() {
        return arrays;
    }

    KnownRanges ranges() {
        return ranges;
    }

    /** True if the instruction behind the one that is translated drops its result. */
    boolean dropsResult() {
        List<CodeElement> elements = code.elementList();
        for (int i = copies.position() + 1; i < elements.size(); i++) {
            if (elements.get(i) instanceof Instruction next) {
                return next.opcode() == Opcode.POP || next.opcode() == Opcode.POP2;
            }
        }
        return false;
    }

    /** The copies of parts that are being written. */
    Copies copies() {
        return copies;
    }

    /** Line of the program. */
    int line() {
        return line;
    }

    /** Notes the line of what follows. */
    void line(int number) {
        line = number;
    }

    /** Ends a block of statements and starts that of a label. */
    void label(String name) {
        text.append("    }\n").append(name).append(": {\n");
        printedLine = 0;
        ranges.meet();
    }

    /** The function. */
    String function(String name, String parameters, Kind result) {
        StringBuilder out = new StringBuilder();
        out.append("PGAS_FUNCTION ").append(result == null ? "void" : result.cpp()).append(' ').append(name).append('(')
                .append(parameters).append(") {\n");
        variables.forEach((variable, cpp) -> out.append("    ").append(cpp).append(' ').append(variable).append(";\n"));
        return out.append("    {\n").append(text).append("    }\n}\n\n").toString();
    }

    private static int lineFrom(List<CodeElement> elements) {
        return elements.stream().filter(LineNumber.class::isInstance).map(LineNumber.class::cast).mapToInt(LineNumber::line)
                .findFirst().orElse(0);
    }

    Kind kindOf(Class<?> type) {
        return translation.kind(type, site(null));
    }

    Kind result() {
        if (isConstructor) {
            return kindOf(translation.files().type(owner));
        }
        Class<?> type = translation.files().type(method.methodTypeSymbol().returnType());
        return type == void.class ? null : kindOf(type);
    }

    String parameters() {
        StringBuilder list = new StringBuilder("const pgas_context *cx");
        int slot = 0;
        if (isConstructor) {
            Kind kind = kindOf(translation.files().type(owner));
            variables.put(SELF, kind.cpp());
            objects.put(slot++, kind);
        } else if (!method.flags().has(AccessFlag.STATIC)) {
            slot += parameter(list, slot, translation.files().type(owner));
        }
        for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
            slot += parameter(list, slot, translation.files().type(type));
        }
        return list.toString();
    }

    /** Does the method again from its start, with all checks, and returns. */
    void again() {
        FarCall call = FarCall.of(parameters);
        emit("return " + translation.again(site(null), owner, method, call) + "(" + call.arguments() + ");");
    }

    /** True for a static method of numbers and buffers, which may have a thread of a kernel, too. */
    boolean isPlain() {
        return method.flags().has(AccessFlag.STATIC) && parameters.values().stream().allMatch(FarCall::takes);
    }

    /** Number of slots of local variables that a static method's parameters have. */
    int parameterSlots() {
        return method.methodTypeSymbol().parameterList().stream().mapToInt(type -> TypeKind.from(type).slotSize()).sum();
    }

    /** The instruction that is translated, in all forms of the method. */
    String place() {
        return owner + "." + method.methodName() + method.methodType() + " " + copies.position();
    }

    private int parameter(StringBuilder list, int slot, Class<?> type) {
        Kind kind = kindOf(type);
        if (!(kind instanceof Kind.Number)) {
            objects.put(slot, kind);
        }
        parameters.put(variable(kind, slot), kind);
        list.append(", ").append(kind.cpp()).append(' ').append(variable(kind, slot));
        return type == long.class || type == double.class ? 2 : 1;
    }

    KernelSite site(String what) {
        String called = method.methodName().stringValue();
        String shown = called.startsWith("lambda$") ? called.split("\\$")[1] : called;
        return new KernelSite(owner.replace('/', '.') + "." + shown, file, line, what);
    }

    KernelRefusedException refused(String what, String advice) {
        return translation.refused(site(null), what, advice);
    }

    String stop(String what) {
        return Integer.toString(translation.site(site(what)));
    }

    void emit(String statement) {
        if (line != printedLine) {
            text.append("#line ").append(line).append(" \"").append(file).append("\"\n");
            printedLine = line;
        }
        text.append("    ").append(statement).append('\n');
    }

    String variable(Kind kind, int slot) {
        return isConstructor && slot == 0 && !(kind instanceof Kind.Number) ? SELF : kind.letter() + slot;
    }

    String declared(Kind kind, String variable) {
        if (!isParameter(variable)) {
            variables.putIfAbsent(variable, kind.cpp());
        }
        return variable;
    }

    private boolean isParameter(String variable) {
        int slot = isConstructor || !method.flags().has(AccessFlag.STATIC) ? 1 : 0;
        if (slot == 1 && !isConstructor && variable.equals(variable(objects.get(0), 0))) {
            return true;
        }
        for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
            Class<?> of = translation.files().type(type);
            if (variable.equals(variable(kindOf(of), slot))) {
                return true;
            }
            slot += of == long.class || of == double.class ? 2 : 1;
        }
        return false;
    }

    void push(Kind kind, String expression, boolean atom, Set<String> reads) {
        push(new Operand.Value(kind, expression, atom, reads));
    }

    void push(Operand operand) {
        stack.add(operand instanceof Operand.Value value && value.text().length() > MAX_EXPRESSION
                ? temporary(value) : operand);
    }

    /** A variable that has a value from now on, of which the same is known. */
    Operand.Value temporary(Operand.Value value) {
        return temporary(value.kind(), value.text()).within(value.range());
    }

    Operand.Value temporary(Kind kind, String expression) {
        String variable = "t" + variableCount++;
        boolean pointer = kind.cpp().endsWith("*");
        emit((pointer ? "" : "const ") + kind.cpp() + (pointer ? "" : " ") + variable + " = " + expression + ";");
        return Operand.Value.fixed(kind, variable);
    }

    Operand pop() {
        return stack.removeLast();
    }

    Operand.Value popValue() {
        return switch (pop()) {
            case Operand.Value value -> value;
            case Operand.Comparison of -> temporary(Kind.Number.INT, "pgas_compare(" + of.left().text() + ", " + of.right().text()
                    + ", " + of.nan() + ")");
            case Operand.Fresh array -> Operand.Value.fixed(array.kind(), array.text());
            case Operand.Self self -> new Operand.Value(self.kind(), SELF, true, Set.of(SELF));
            case Operand.Arguments _, Operand.Boxed _ -> throw refused("keeps the values of a line in an object",
                    "write them in the call of printf");
            case Operand.Text _ -> throw refused("uses a string or null", "kernels have numbers and records; log on the host");
            case Operand.Exception thrown -> throw refused("keeps an exception of " + thrown.type().getName(), "throw it at once");
            case Operand.Allocated allocated -> throw refused("uses an object of " + allocated.type().getName()
                    + " before its constructor has ended", "give the constructor values");
        };
    }

    static Set<String> both(Operand.Value left, Operand.Value right) {
        if (left.reads().isEmpty()) {
            return right.reads();
        }
        if (right.reads().isEmpty()) {
            return left.reads();
        }
        Set<String> all = new HashSet<>(left.reads());
        all.addAll(right.reads());
        return all;
    }

    boolean isRead(String variable) {
        return stack.stream().anyMatch(operand -> operand instanceof Operand.Value value && value.reads().contains(variable));
    }

    /** Before {@code variable} changes: what the stack still has to read of it gets a variable. */
    void keep(String variable) {
        for (int i = 0; i < stack.size(); i++) {
            switch (stack.get(i)) {
                case Operand.Value value when value.reads().contains(variable) -> stack.set(i, temporary(value));
                case Operand.Comparison of when both(of.left(), of.right()).contains(variable) -> stack.set(i,
                        new Operand.Comparison(temporary(of.left().kind(), of.left().text()),
                                temporary(of.right().kind(), of.right().text()), of.nan()));
                default -> {
                }
            }
        }
    }

    static Kind.Number number(TypeKind kind) {
        return switch (kind.asLoadable()) {
            case LONG -> Kind.Number.LONG;
            case FLOAT -> Kind.Number.FLOAT;
            case DOUBLE -> Kind.Number.DOUBLE;
            default -> Kind.Number.INT;
        };
    }

    Operand.Value value(Operand operand) {
        stack.add(operand);
        return popValue();
    }

    List<Operand> arguments(MethodTypeDesc type) {
        List<Operand> arguments = new ArrayList<>();
        for (int i = 0; i < type.parameterCount(); i++) {
            arguments.addFirst(pop());
        }
        return arguments;
    }
}
