package org.pgas4j.kernels;

import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tells whether instructions do something that must not be done twice: write memory, or wait for other threads. */
final class Effects {

    private final ClassFiles files;
    private final boolean isPrivate;
    private final Map<String, Boolean> ofMethods = new HashMap<>();

    /** @param isPrivate whether all arrays are memory of the thread, which it makes again when it starts again */
    Effects(ClassFiles files, boolean isPrivate) {
        this.files = files;
        this.isPrivate = isPrivate;
    }

    /** False only if nothing from one position to another has effects. */
    boolean isAny(List<CodeElement> elements, int from, int to) {
        return isAny(elements.subList(from, to));
    }

    private boolean isAny(List<CodeElement> elements) {
        return elements.stream().anyMatch(element -> switch (element) {
            case ArrayStoreInstruction _ -> !isPrivate;
            case MonitorInstruction _ -> true;
            case FieldInstruction field -> field.opcode() == Opcode.PUTSTATIC; // those of a record are a part of its value
            case InvokeInstruction call -> hasEffects(call);
            default -> false;
        });
    }

    private boolean hasEffects(InvokeInstruction call) {
        if (CallTranslator.isNullCheck(call) || CallTranslator.isBlockMemory(call)) {
            return false;
        }
        String owner = call.owner().asInternalName();
        String signature = call.name().stringValue() + call.type().stringValue();
        if (call.opcode() == Opcode.INVOKESTATIC) {
            Intrinsic intrinsic = Intrinsics.of(owner, signature);
            return intrinsic == null ? hasEffects(owner, call) : !intrinsic.isPure();
        }
        Class<?> receiver = files.type(call.owner().asSymbol());
        if (receiver.isRecord()) {
            return hasEffects(owner, call);
        }
        if (receiver == Record.class) {
            return false; // its constructor
        }
        KnownType type = KnownType.of(receiver);
        Intrinsic intrinsic = type == null ? null : Intrinsics.of(type, signature);
        return intrinsic == null || !intrinsic.isPure() && !intrinsic.isRead();
    }

    private boolean hasEffects(String owner, InvokeInstruction call) {
        String name = call.name().stringValue();
        String type = call.type().stringValue();
        String declaring = files.declaring(owner, name, type);
        if (declaring == null) {
            return true;
        }
        String method = declaring + '.' + name + type;
        Boolean known = ofMethods.putIfAbsent(method, true); // for now: one that calls itself has effects
        if (known != null) {
            return known;
        }
        MethodModel model = files.method(declaring, name, type);
        boolean has = model == null || model.code().isEmpty() || isAny(model.code().orElseThrow().elementList());
        ofMethods.put(method, has);
        return has;
    }
}
