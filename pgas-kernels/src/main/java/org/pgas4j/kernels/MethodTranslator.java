package org.pgas4j.kernels;

import java.lang.classfile.Attributes;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.StackMapFrameInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.ObjectVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.SimpleVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.UninitializedVerificationTypeInfo;
import java.lang.classfile.attribute.StackMapFrameInfo.VerificationTypeInfo;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.ThrowInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgas4j.KernelRefusedException;
import org.pgas4j.kernel.KernelThread;

/**
 * Translates one method. Each run of instructions between two frames of its StackMapTable becomes a block with a label, in which
 * expressions are kept on a stack of their texts; what is on the stack between blocks is in variables named by its depth. A local
 * variable of the method is a C++ variable for each kind that its slot has.
 */
final class MethodTranslator {

    private static final int MAX_EXPRESSION = 120; // longer ones get a variable
    private static final String SELF = "self";     // the record that a constructor makes

    private static final Set<String> BOXES = Set.of("java/lang/Integer", "java/lang/Long", "java/lang/Float", "java/lang/Double",
            "java/lang/Boolean", "java/lang/Byte", "java/lang/Short", "java/lang/Character");

    private final Translation translation;
    private final String owner;
    private final MethodModel method;
    private final CodeModel code;
    private final String name;
    private final boolean isConstructor;
    private final String file;
    private final StringBuilder text = new StringBuilder();
    private final Map<String, String> variables = new LinkedHashMap<>();
    private final Map<Integer, Kind> objects = new HashMap<>(); // kinds of local variables that are no numbers, by slot
    private final Map<Label, StackMapFrameInfo> frames = new HashMap<>();
    private final Map<Label, Integer> labels = new HashMap<>();
    private final Map<Label, Set<Integer>> selves = new HashMap<>(); // depths of the stack at which a constructor's record is
    private final Map<Label, Class<?>> handlers = new HashMap<>();   // caught exceptions; null: of any class
    private final List<Operand> stack = new ArrayList<>();
    private final LocalArrays arrays;
    private int variableCount;
    private int line;
    private int printedLine;
    private boolean reachable = true;

    /**
     * @param owner class of the method, in internal form
     * @param name  of the function
     */
    MethodTranslator(Translation translation, String owner, MethodModel method, String name) {
        this.translation = translation;
        this.owner = owner;
        this.method = method;
        this.code = method.code().orElseThrow();
        this.name = name;
        this.isConstructor = method.methodName().equalsString("<init>");
        this.file = translation.files().model(owner).findAttribute(Attributes.sourceFile())
                .map(source -> source.sourceFile().stringValue()).orElse(owner + ".class");
        this.line = lineFrom(code.elementList());
        this.arrays = new LocalArrays(code, this::refused);
    }

    private static int lineFrom(List<CodeElement> elements) {
        return elements.stream().filter(LineNumber.class::isInstance).map(LineNumber.class::cast).mapToInt(LineNumber::line)
                .findFirst().orElse(0);
    }

    /** Appends the function to {@code out}, behind those that it calls. */
    Translation.Function translate(StringBuilder out) {
        code.findAttribute(Attributes.stackMapTable()).ifPresent(table -> table.entries().forEach(frame -> {
            frames.put(frame.target(), frame);
            labels.put(frame.target(), labels.size());
        }));
        code.exceptionHandlers().forEach(handler -> handlers.put(handler.handler(), handler.catchType()
                .<Class<?>>map(type -> translation.files().type(type.asInternalName())).orElse(null)));
        String parameters = parameters();
        Kind result = result();
        for (CodeElement element : code.elementList()) {
            translate(element);
        }
        out.append("PGAS_FUNCTION ").append(result == null ? "void" : result.cpp()).append(' ').append(name).append('(')
                .append(parameters).append(") {\n");
        variables.forEach((variable, cpp) -> out.append("    ").append(cpp).append(' ').append(variable).append(";\n"));
        out.append("    {\n").append(text).append("    }\n}\n\n");
        return new Translation.Function(name, result);
    }

    private Kind kindOf(Class<?> type) {
        return translation.kind(type, site(null));
    }

    private Kind result() {
        if (isConstructor) {
            return kindOf(translation.files().type(owner));
        }
        Class<?> type = translation.files().type(method.methodTypeSymbol().returnType());
        return type == void.class ? null : kindOf(type);
    }

    private String parameters() {
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

    private int parameter(StringBuilder list, int slot, Class<?> type) {
        Kind kind = kindOf(type);
        if (!(kind instanceof Kind.Number)) {
            objects.put(slot, kind);
        }
        list.append(", ").append(kind.cpp()).append(' ').append(variable(kind, slot));
        return type == long.class || type == double.class ? 2 : 1;
    }

    // ---- places, refusals, statements

    private KernelSite site(String what) {
        String called = method.methodName().stringValue();
        String shown = called.startsWith("lambda$") ? called.split("\\$")[1] : called;
        return new KernelSite(owner.replace('/', '.') + "." + shown, file, line, what);
    }

    private KernelRefusedException refused(String what, String advice) {
        return translation.refused(site(null), what, advice);
    }

    private String stop(String what) {
        return Integer.toString(translation.site(site(what)));
    }

    private void emit(String statement) {
        if (line != printedLine) {
            text.append("#line ").append(line).append(" \"").append(file).append("\"\n");
            printedLine = line;
        }
        text.append("    ").append(statement).append('\n');
    }

    private String variable(Kind kind, int slot) {
        return isConstructor && slot == 0 && !(kind instanceof Kind.Number) ? SELF : kind.letter() + slot;
    }

    private String declared(Kind kind, String variable) {
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

    // ---- the stack

    private void push(Kind kind, String expression, boolean atom, Set<String> reads) {
        if (expression.length() > MAX_EXPRESSION) {
            push(temporary(kind, expression));
        } else {
            stack.add(new Operand.Value(kind, expression, atom, reads));
        }
    }

    private void push(Operand operand) {
        stack.add(operand);
    }

    private Operand.Value temporary(Kind kind, String expression) {
        String variable = "t" + variableCount++;
        boolean pointer = kind.cpp().endsWith("*");
        emit((pointer ? "" : "const ") + kind.cpp() + (pointer ? "" : " ") + variable + " = " + expression + ";");
        return Operand.Value.fixed(kind, variable);
    }

    private Operand pop() {
        return stack.removeLast();
    }

    private Operand.Value popValue() {
        return switch (pop()) {
            case Operand.Value value -> value;
            case Operand.Comparison of -> temporary(Kind.Number.INT, "pgas_compare(" + of.left().text() + ", " + of.right().text()
                    + ", " + of.nan() + ")");
            case Operand.Fresh array -> Operand.Value.fixed(array.kind(), array.text());
            case Operand.Self self -> new Operand.Value(self.kind(), SELF, true, Set.of(SELF));
            case Operand.Text _ -> throw refused("uses a string or null", "kernels have numbers and records; log on the host");
            case Operand.Exception thrown -> throw refused("keeps an exception of " + thrown.type().getName(), "throw it at once");
            case Operand.Allocated allocated -> throw refused("uses an object of " + allocated.type().getName()
                    + " before its constructor has ended", "give the constructor values");
        };
    }

    private static Set<String> both(Operand.Value left, Operand.Value right) {
        if (left.reads().isEmpty()) {
            return right.reads();
        }
        if (right.reads().isEmpty()) {
            return left.reads();
        }
        Set<String> all = new java.util.HashSet<>(left.reads());
        all.addAll(right.reads());
        return all;
    }

    private boolean isRead(String variable) {
        return stack.stream().anyMatch(operand -> operand instanceof Operand.Value value && value.reads().contains(variable));
    }

    /** Before {@code variable} changes: what the stack still has to read of it gets a variable. */
    private void keep(String variable) {
        for (int i = 0; i < stack.size(); i++) {
            switch (stack.get(i)) {
                case Operand.Value value when value.reads().contains(variable) -> stack.set(i, temporary(value.kind(), value.text()));
                case Operand.Comparison of when both(of.left(), of.right()).contains(variable) -> stack.set(i,
                        new Operand.Comparison(temporary(of.left().kind(), of.left().text()),
                                temporary(of.right().kind(), of.right().text()), of.nan()));
                default -> {
                }
            }
        }
    }

    /** Puts the stack into the variables in which the block at {@code target} expects it. */
    private void leave(Label target) {
        for (int depth = 0; depth < stack.size(); depth++) {
            Operand operand = stack.get(depth);
            if (operand instanceof Operand.Self) {
                selves.computeIfAbsent(target, _ -> new java.util.HashSet<>()).add(depth);
            } else if (!(operand instanceof Operand.Allocated)) { // which has no value yet
                stack.set(depth, leave(depth, value(operand)));
            }
        }
    }

    private Operand.Value leave(int depth, Operand.Value value) {
        String variable = "s" + depth + "_" + value.kind().letter();
        variables.putIfAbsent(variable, value.kind().cpp());
        emit(variable + " = " + value.text() + ";");
        return value;
    }

    // ---- blocks

    private void begin(Label label) {
        if (handlers.containsKey(label)) {
            refuseHandler(label);
        }
        if (reachable) {
            leave(label);
        }
        StackMapFrameInfo frame = frames.get(label);
        text.append("    }\nL").append(labels.get(label)).append(": {\n");
        printedLine = 0;
        reachable = true;
        readLocals(frame.locals());
        stack.clear();
        for (VerificationTypeInfo type : frame.stack()) {
            stack.add(entered(label, type));
        }
    }

    private Operand entered(Label label, VerificationTypeInfo type) {
        int depth = stack.size();
        if (selves.getOrDefault(label, Set.of()).contains(depth)) {
            return new Operand.Self(objects.get(0));
        }
        if (type instanceof UninitializedVerificationTypeInfo allocated) {
            return new Operand.Allocated(allocatedAt(allocated.newTarget()));
        }
        Kind kind = kind(type);
        if (kind == null) {
            throw refused("has a value of no known kind", "use numbers and records");
        }
        return temporary(kind, "s" + depth + "_" + kind.letter());
    }

    private void refuseHandler(Label label) {
        boolean found = false;
        for (CodeElement element : code.elementList()) {
            if (element instanceof LineNumber number) {
                line = number.line();
            }
            if (found && element instanceof java.lang.classfile.Instruction) {
                break;
            }
            found |= element instanceof LabelTarget target && target.label().equals(label);
        }
        Class<?> type = handlers.get(label);
        if (type == null) {
            throw refused("has a finally block", "write what it does where it is due; an exception ends the launch");
        }
        throw refused("catches " + type.getName(), "test for the case before it happens; an exception ends the launch");
    }

    private Class<?> allocatedAt(Label label) {
        boolean found = false;
        for (CodeElement element : code.elementList()) {
            found |= element instanceof LabelTarget target && target.label().equals(label);
            if (found && element instanceof NewObjectInstruction made) {
                return translation.files().type(made.className().asInternalName());
            }
        }
        throw refused("allocates in an unknown place", "compile it with javac");
    }

    private void readLocals(List<VerificationTypeInfo> locals) {
        objects.clear();
        int slot = 0;
        for (VerificationTypeInfo type : locals) {
            if (isConstructor && slot == 0) {
                objects.put(0, kindOf(translation.files().type(owner)));
            } else if (type instanceof ObjectVerificationTypeInfo object) {
                Class<?> of = translation.files().type(object.className().asInternalName());
                if (of.isRecord() || KnownType.of(of) != null) {
                    objects.put(slot, kindOf(of));
                }
            }
            slot += type == SimpleVerificationTypeInfo.LONG || type == SimpleVerificationTypeInfo.DOUBLE ? 2 : 1;
        }
    }

    private Kind kind(VerificationTypeInfo type) {
        return switch (type) {
            case SimpleVerificationTypeInfo simple -> switch (simple) {
                case INTEGER -> Kind.Number.INT;
                case LONG -> Kind.Number.LONG;
                case FLOAT -> Kind.Number.FLOAT;
                case DOUBLE -> Kind.Number.DOUBLE;
                default -> null;
            };
            case ObjectVerificationTypeInfo object -> kindOf(translation.files().type(object.className().asInternalName()));
            case UninitializedVerificationTypeInfo _ -> null;
        };
    }

    // ---- instructions

    private void translate(CodeElement element) {
        switch (element) {
            case LineNumber number -> line = number.line();
            case LabelTarget target -> {
                if (frames.containsKey(target.label())) {
                    begin(target.label());
                }
            }
            case java.lang.classfile.Instruction instruction when reachable -> translate(instruction);
            default -> {
            }
        }
    }

    private void translate(java.lang.classfile.Instruction instruction) {
        switch (instruction) {
            case LoadInstruction load -> load(load);
            case StoreInstruction store -> store(store);
            case IncrementInstruction increment -> increment(increment);
            case ConstantInstruction constant -> constant(constant);
            case OperatorInstruction operator -> operator(operator.opcode());
            case ConvertInstruction convert -> {
                Operand.Value value = popValue();
                push(Arithmetic.target(convert.opcode()), Arithmetic.conversion(convert.opcode(), value), false, value.reads());
            }
            case BranchInstruction branch -> branch(branch);
            case TableSwitchInstruction table -> choose(table.cases(), table.defaultTarget());
            case LookupSwitchInstruction lookup -> choose(lookup.cases(), lookup.defaultTarget());
            case ReturnInstruction give -> giveBack(give);
            case InvokeInstruction call -> call(call);
            case FieldInstruction field -> field(field);
            case StackInstruction operation -> new StackOperation(operation.opcode()).apply(stack, this::atom);
            case NewObjectInstruction allocation -> allocate(allocation);
            case ThrowInstruction _ -> raise();
            case NewPrimitiveArrayInstruction array -> makeArray(array);
            case ArrayLoadInstruction load -> loadElement(load);
            case ArrayStoreInstruction _ -> storeElement();
            case InvokeDynamicInstruction dynamic -> dynamic(dynamic);
            case TypeCheckInstruction check -> check(check);
            case MonitorInstruction _ -> throw refused("uses synchronized", "use atomic operations of the arrays");
            case java.lang.classfile.instruction.NopInstruction _ -> {
            }
            default -> refuseAllocation(instruction);
        }
    }

    private void refuseAllocation(java.lang.classfile.Instruction instruction) {
        throw switch (instruction.opcode()) {
            case ANEWARRAY, MULTIANEWARRAY -> refused("allocates an array of objects",
                    "use an array of numbers for each component, with a constant length");
            default -> refused("uses " + instruction.opcode(), "compile it with javac");
        };
    }

    private Operand atom(Operand operand) {
        return operand instanceof Operand.Value value && !value.atom() ? temporary(value.kind(), value.text()) : operand;
    }

    private void load(LoadInstruction load) {
        if (load.typeKind() == TypeKind.REFERENCE) {
            Kind kind = objects.get(load.slot());
            if (isConstructor && load.slot() == 0) {
                push(new Operand.Self(kind));
                return;
            }
            if (kind == null) {
                throw refused("uses an object that is neither a record, a shared array nor a buffer",
                        "copy the numbers that it needs to local variables before the kernel");
            }
            arrays.load(load.slot());
            String variable = variable(kind, load.slot());
            stack.add(new Operand.Value(kind, variable, true, Set.of(variable)));
            return;
        }
        Kind kind = number(load.typeKind());
        String variable = declared(kind, variable(kind, load.slot()));
        stack.add(new Operand.Value(kind, variable, true, Set.of(variable)));
    }

    private static Kind.Number number(TypeKind kind) {
        return switch (kind.asLoadable()) {
            case LONG -> Kind.Number.LONG;
            case FLOAT -> Kind.Number.FLOAT;
            case DOUBLE -> Kind.Number.DOUBLE;
            default -> Kind.Number.INT;
        };
    }

    private void store(StoreInstruction store) {
        Operand stored = stack.getLast();
        Operand.Value value = popValue();
        arrays.store(stored, store.slot(), stack.contains(stored) || isRead(variable(value.kind(), store.slot())));
        if (!(value.kind() instanceof Kind.Number)) {
            objects.put(store.slot(), value.kind());
        }
        String variable = declared(value.kind(), variable(value.kind(), store.slot()));
        keep(variable);
        emit(variable + " = " + value.text() + ";");
    }

    private void increment(IncrementInstruction increment) {
        String variable = declared(Kind.Number.INT, variable(Kind.Number.INT, increment.slot()));
        keep(variable);
        emit(variable + " = pgas_add(" + variable + ", " + Literals.of(increment.constant()) + ");");
    }

    private void constant(ConstantInstruction constant) {
        switch (constant.constantValue()) {
            case Integer value -> push(Operand.Value.fixed(Kind.Number.INT, Literals.of(value)));
            case Long value -> push(Operand.Value.fixed(Kind.Number.LONG, Literals.of(value)));
            case Float value -> push(Operand.Value.fixed(Kind.Number.FLOAT, Literals.of(value)));
            case Double value -> push(Operand.Value.fixed(Kind.Number.DOUBLE, Literals.of(value)));
            case ClassDesc type -> throw refused("uses class " + type.displayName() + " as an object", "decide on the host");
            case Object other -> push(new Operand.Text(other.toString()));
        }
    }

    private void operator(Opcode opcode) {
        if (opcode == Opcode.ARRAYLENGTH) {
            Operand.Value array = popValue();
            push(Kind.Number.INT, array.part() + ".length", true, array.reads());
            return;
        }
        if (opcode.name().endsWith("NEG")) {
            Operand.Value value = popValue();
            push(value.kind(), Arithmetic.negation(opcode, value), false, value.reads());
            return;
        }
        Operand.Value right = popValue();
        Operand.Value left = popValue();
        switch (opcode) {
            case LCMP -> push(new Operand.Comparison(left, right, 0));
            case FCMPL, DCMPL -> push(new Operand.Comparison(left, right, -1));
            case FCMPG, DCMPG -> push(new Operand.Comparison(left, right, 1));
            default -> {
                if (Arithmetic.mayStop(opcode)) {
                    push(temporary(left.kind(), "pgas_" + Arithmetic.name(opcode).toLowerCase(java.util.Locale.ROOT) + "("
                            + left.text() + ", " + right.text() + ", cx, " + stop(null) + ")"));
                } else {
                    push(Arithmetic.kind(opcode), Arithmetic.expression(opcode, left, right), false, both(left, right));
                }
            }
        }
    }

    private String label(Label target) {
        return "L" + labels.get(target);
    }

    private void branch(BranchInstruction branch) {
        if (branch.opcode() == Opcode.GOTO || branch.opcode() == Opcode.GOTO_W) {
            leave(branch.target());
            emit("goto " + label(branch.target()) + ";");
            reachable = false;
            return;
        }
        String relation = Arithmetic.relation(branch.opcode());
        if (relation == null) {
            throw refused("compares references", "kernels have numbers and records; compare their components");
        }
        String condition;
        if (branch.opcode().name().startsWith("IF_")) {
            Operand.Value right = popValue();
            Operand.Value left = popValue();
            condition = left.part() + " " + relation + " " + right.part();
        } else if (stack.getLast() instanceof Operand.Comparison of) {
            pop();
            condition = Arithmetic.condition(relation, of);
        } else {
            condition = popValue().part() + " " + relation + " 0";
        }
        leave(branch.target());
        emit("if (" + condition + ") goto " + label(branch.target()) + ";");
    }

    private void choose(List<SwitchCase> cases, Label other) {
        Operand.Value value = popValue();
        leave(other);
        cases.forEach(one -> selves.put(one.target(), selves.getOrDefault(other, Set.of())));
        emit("switch (" + value.text() + ") {");
        cases.forEach(one -> emit("case " + Literals.of(one.caseValue()) + ": goto " + label(one.target()) + ";"));
        emit("default: goto " + label(other) + ";");
        emit("}");
        reachable = false;
    }

    private void giveBack(ReturnInstruction give) {
        if (give.typeKind() == TypeKind.REFERENCE) {
            arrays.giveBack(stack.getLast());
        }
        emit(isConstructor ? "return " + SELF + ";"
                : give.typeKind() == TypeKind.VOID ? "return;" : "return " + popValue().text() + ";");
        reachable = false;
    }

    private void raise() {
        if (!(pop() instanceof Operand.Exception thrown)) {
            throw refused("throws something that it did not make there", "throw new SomeException(\"constant text\")");
        }
        String what = thrown.type().getName() + (thrown.message() == null ? "" : ": " + thrown.message());
        emit("pgas_stop(cx, PGAS_THROWN, " + stop(what) + ", 0, 0);");
        reachable = false;
    }

    private void check(TypeCheckInstruction check) {
        if (check.opcode() == Opcode.INSTANCEOF) {
            throw refused("tests a class by instanceof", "kernels know the class of everything when they are translated");
        }
    }

    // ---- objects

    private void allocate(NewObjectInstruction allocation) {
        Class<?> type = translation.files().type(allocation.className().asInternalName());
        if (!type.isRecord() && !Throwable.class.isAssignableFrom(type) && type != StringBuilder.class) {
            throw refused("allocates an object of " + type.getName(), "use a record of numbers, which is a value in a kernel");
        }
        push(new Operand.Allocated(type));
    }

    private void construct(InvokeInstruction call) {
        List<Operand> arguments = arguments(call.typeSymbol());
        Operand made = pop();
        if (made instanceof Operand.Self) { // super() or this(...)
            if (call.owner().asInternalName().equals(owner)) {
                emit(SELF + " = " + invoke(call, arguments) + ";");
            }
            return;
        }
        Class<?> type = ((Operand.Allocated) made).type();
        Operand result = type == StringBuilder.class ? textOf(arguments)
                : type.isRecord() ? temporary(kindOf(type), invoke(call, arguments))
                : new Operand.Exception(type, arguments.stream().filter(Operand.Text.class::isInstance).map(Operand.Text.class::cast)
                        .map(Operand.Text::value).findFirst().orElse(null));
        if (!stack.isEmpty() && stack.getLast() instanceof Operand.Allocated) {
            stack.removeLast();
            push(result); // the copy that was made for it
        }
    }

    private String invoke(InvokeInstruction call, List<Operand> arguments) {
        String list = list(arguments);
        return translation.function(site(null), call.owner().asInternalName(), call.name().stringValue(), call.type().stringValue())
                .name() + list;
    }

    private String list(List<Operand> arguments) {
        StringBuilder list = new StringBuilder("(cx");
        arguments.forEach(argument -> list.append(", ").append(value(argument).text()));
        return list.append(')').toString();
    }

    private Operand.Value value(Operand operand) {
        stack.add(operand);
        return popValue();
    }

    private List<Operand> arguments(MethodTypeDesc type) {
        List<Operand> arguments = new ArrayList<>();
        for (int i = 0; i < type.parameterCount(); i++) {
            arguments.addFirst(pop());
        }
        return arguments;
    }

    private void field(FieldInstruction field) {
        String of = field.name().stringValue();
        switch (field.opcode()) {
            case GETSTATIC -> push(constantOf(field));
            case GETFIELD -> {
                Operand.Value record = popValue();
                if (!(record.kind() instanceof Kind.Struct struct)) {
                    throw refused("reads field " + of + " of an object", "copy it to a local variable before the kernel");
                }
                push(struct.struct().kind(of), struct.struct().read(record.part(), of), false, record.reads());
            }
            case PUTFIELD -> {
                Operand.Value value = popValue();
                if (!(pop() instanceof Operand.Self self && self.kind() instanceof Kind.Struct struct)) {
                    throw refused("writes field " + of, "kernels write arrays and local variables");
                }
                keep(SELF);
                emit(struct.struct().write(SELF, of, value.part()));
            }
            default -> throw refused("writes the static field " + of, "kernels write arrays and local variables");
        }
    }

    private Operand constantOf(FieldInstruction instruction) {
        String of = instruction.name().stringValue();
        if (of.equals("$assertionsDisabled")) {
            return Operand.Value.fixed(Kind.Number.INT, "1");
        }
        try {
            Field field = translation.files().type(instruction.owner().asInternalName()).getDeclaredField(of);
            if (field.getType().isEnum() || of.startsWith("$SwitchMap$")) {
                throw refused("uses an enum", "use its number: take ordinal() before the kernel");
            }
            if (!field.getType().isPrimitive()) {
                throw refused("reads the static field " + of + ", which is no number", field.getType().isArray()
                        ? "copy it to a shared array or a Buffer, or make it in the kernel" : "kernels have numbers and records");
            }
            if (!Modifier.isFinal(field.getModifiers())) {
                throw refused("reads the static field " + of + ", which is not final",
                        "copy it to a local variable before the kernel");
            }
            field.setAccessible(true);
            return switch (field.get(null)) {
                case Boolean value -> Operand.Value.fixed(Kind.Number.INT, value ? "1" : "0");
                case Character value -> Operand.Value.fixed(Kind.Number.INT, Literals.of((int) value));
                case Long value -> Operand.Value.fixed(Kind.Number.LONG, Literals.of(value));
                case Float value -> Operand.Value.fixed(Kind.Number.FLOAT, Literals.of(value));
                case Double value -> Operand.Value.fixed(Kind.Number.DOUBLE, Literals.of(value));
                case Object value -> Operand.Value.fixed(Kind.Number.INT, Literals.of(((java.lang.Number) value).intValue()));
            };
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            if (e instanceof KernelRefusedException refusal) {
                throw refusal;
            }
            throw refused("reads the static field " + of + ", which cannot be read: " + e, "pass it as a local variable");
        }
    }

    // ---- calls

    private void call(InvokeInstruction call) {
        if (call.name().equalsString("<init>")) {
            construct(call);
            return;
        }
        if (isBlockMemory(call)) {
            giveBlockMemory(call);
            return;
        }
        if (call.owner().asInternalName().equals("java/lang/StringBuilder")) {
            text(call);
            return;
        }
        if (call.name().equalsString("valueOf") && BOXES.contains(call.owner().asInternalName())) {
            throw refused("makes an object of " + call.owner().asInternalName().replace('/', '.'), "use the primitive type");
        }
        List<Operand> arguments = arguments(call.typeSymbol());
        boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
        if (!isStatic) {
            arguments.addFirst(value(pop()));
        }
        Intrinsic intrinsic = intrinsic(call, isStatic ? null : ((Operand.Value) arguments.getFirst()).kind());
        Class<?> type = translation.files().type(call.typeSymbol().returnType());
        Kind kind = type == void.class ? null : kindOf(type);
        if (intrinsic != null) {
            apply(intrinsic, arguments, kind);
            return;
        }
        if (!isStatic && !isTranslated(((Operand.Value) arguments.getFirst()).kind(), call)) {
            throw refused("calls " + call.owner().asInternalName().replace('/', '.') + "." + call.name().stringValue()
                    + ", which kernels do not have", "docs/kernels.md lists what they have");
        }
        String expression = invoke(call, arguments);
        if (kind == null) {
            emit(expression + ";");
        } else {
            push(temporary(kind, expression));
        }
    }

    /** The JDK's own classes make the texts of exceptions so. */
    private void text(InvokeInstruction call) {
        List<Operand> arguments = arguments(call.typeSymbol());
        String name = call.name().stringValue();
        if (!(pop() instanceof Operand.Text before) || !name.equals("append") && !name.equals("toString")) {
            throw refused("calls StringBuilder." + name, "kernels have numbers and records; make texts on the host");
        }
        push(new Operand.Text(before.value() + textOf(arguments).value()));
    }

    private static Operand.Text textOf(List<Operand> arguments) {
        StringBuilder all = new StringBuilder();
        arguments.forEach(argument -> all.append(argument instanceof Operand.Text of ? of.value() : "?"));
        return new Operand.Text(all.toString());
    }

    /** True for methods of records, and those of a thread that stand on others. */
    private boolean isTranslated(Kind receiver, InvokeInstruction call) {
        return receiver instanceof Kind.Struct || receiver instanceof Kind.Known known && known.type() == KnownType.THREAD
                && translation.files().method(call.owner().asInternalName(), call.name().stringValue(),
                        call.type().stringValue()) != null;
    }

    private static boolean isBlockMemory(InvokeInstruction call) {
        return call.owner().asInternalName().equals(KernelThread.class.getName().replace('.', '/'))
                && call.name().stringValue().startsWith("shared");
    }

    /** Memory of the block lies at a place of its own for each call, so its length must be known. */
    private void giveBlockMemory(InvokeInstruction call) {
        Operand.Value length = popValue();
        popValue();
        if (!length.text().matches("\\d+")) {
            throw refused("asks for memory of the block of a length that is no constant", "give a literal or a static final int");
        }
        Kind kind = kindOf(translation.files().type(call.typeSymbol().returnType()));
        KnownType type = ((Kind.Known) kind).type();
        long offset = translation.blockMemory(Long.parseLong(length.text()), type.elementBytes());
        push(arrays.fresh(kind, temporary(kind, type.cpp().replace("pgas_local", "pgas_shared") + "(" + offset + ", " + length.text()
                + ")").text()));
    }

    private Intrinsic intrinsic(InvokeInstruction call, Kind receiver) {
        String signature = call.name().stringValue() + call.type().stringValue();
        return receiver instanceof Kind.Known known ? Intrinsics.of(known.type(), signature)
                : Intrinsics.of(call.owner().asInternalName(), signature);
    }

    private void apply(Intrinsic intrinsic, List<Operand> arguments, Kind kind) {
        List<Operand.Value> values = arguments.stream().map(this::value).toList();
        String expression = intrinsic.expression(values, () -> stop(null));
        if (!intrinsic.isPure() && !values.isEmpty() && values.getFirst().kind() instanceof Kind.Known known && known.type() == KnownType.THREAD) {
            translation.useBlocks();
        }
        if (kind == null) {
            emit(expression + ";");
        } else if (intrinsic.isPure()) {
            Set<String> reads = new java.util.HashSet<>();
            values.forEach(value -> reads.addAll(value.reads()));
            push(kind, expression, false, reads);
        } else {
            push(temporary(kind, expression));
        }
    }

    /** Texts that only exceptions take: their values are not in the message of a kernel. */
    private void dynamic(InvokeDynamicInstruction dynamic) {
        if (!dynamic.name().equalsString("makeConcatWithConstants")) {
            throw switch (dynamic.name().stringValue()) {
                case "equals", "hashCode", "toString" -> refused("calls " + dynamic.name() + " of a record", "use its components");
                case "typeSwitch", "enumSwitch" -> refused("switches on objects", "switch on numbers");
                default -> refused("makes a lambda expression", "call a static method");
            };
        }
        arguments(dynamic.typeSymbol());
        push(new Operand.Text(String.valueOf(dynamic.bootstrapArgs().getFirst()).replace("\1", "?")));
    }

    private void makeArray(NewPrimitiveArrayInstruction array) {
        Operand.Value length = popValue();
        KnownType type = KnownType.of(translation.files().type(array.typeKind().upperBound().arrayType()));
        if (type == null) {
            throw refused("allocates an array of " + array.typeKind().upperBound().displayName(),
                    "use one of int, long, float or double");
        }
        String memory = arrays.memory(type, length);
        Kind kind = new Kind.Known(type);
        variables.put(memory + "[" + Math.max(1, Integer.parseInt(length.text())) + "]", type.elementCpp());
        push(arrays.fresh(kind, temporary(kind, "pgas_made(" + memory + ", " + length.text() + ")").text()));
    }

    private Operand.Value element() {
        Operand.Value index = popValue();
        Operand.Value array = popValue();
        if (!(array.kind() instanceof Kind.Known)) {
            throw refused("uses an array that is not memory of its block", "use KernelThread.sharedFloats and its kin, or a Buffer");
        }
        return new Operand.Value(array.kind(), "*pgas_element(" + array.text() + ", " + index.text() + ", cx, " + stop(null) + ")",
                false, Set.of());
    }

    private void loadElement(ArrayLoadInstruction load) {
        push(temporary(number(load.typeKind()), element().text()));
    }

    private void storeElement() {
        Operand.Value value = popValue();
        emit(element().text() + " = " + value.text() + ";");
    }
}
