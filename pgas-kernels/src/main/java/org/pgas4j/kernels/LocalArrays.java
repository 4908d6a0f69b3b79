package org.pgas4j.kernels;

import java.lang.classfile.CodeModel;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import org.pgas4j.KernelRefusedException;

/**
 * Arrays of constant length that a method makes. Each place has memory of its own among the method's variables, which a loop uses
 * again: so a reference to such an array stays in one variable, into which that place stores it.
 */
final class LocalArrays {

    private static final long MAX_BYTES = 4096; // a thread's registers and local memory

    private final boolean areMade;
    private final BiFunction<String, String, KernelRefusedException> refused;
    private final Map<Integer, Integer> loads = new HashMap<>(); // time of the last load, by slot
    private int time;
    private int count;

    /** @param refused makes a refusal of what is done and the advice */
    LocalArrays(CodeModel code, BiFunction<String, String, KernelRefusedException> refused) {
        this.areMade = code.elementList().stream().anyMatch(NewPrimitiveArrayInstruction.class::isInstance);
        this.refused = refused;
    }

    /** An array that was made and has no variable yet. */
    Operand.Fresh fresh(Kind kind, String text) {
        return new Operand.Fresh(kind, text, ++time);
    }

    /** Checks the length of a new array, and names its memory. */
    String memory(KnownType type, Operand.Value length) {
        if (!length.text().matches("\\d+")) {
            throw refused.apply("allocates an array of a length that is no constant", "give a literal or a static final int; "
                    + "use memory of the block (KernelThread.sharedFloats) or a Buffer for more");
        }
        if (Long.parseLong(length.text()) > MAX_BYTES / type.elementBytes()) {
            throw refused.apply("allocates an array of " + length.text() + " elements, more than " + MAX_BYTES + " bytes",
                    "use memory of the block (KernelThread.sharedFloats) or a Buffer");
        }
        return "x" + count++;
    }

    /** Notes that a reference is read. */
    void load(int slot) {
        loads.put(slot, ++time);
    }

    /** Checks that a variable takes an array from the place that makes it. */
    void store(Operand operand, int slot, boolean isUsed) {
        if (operand instanceof Operand.Fresh fresh) {
            if (isUsed || loads.getOrDefault(slot, 0) > fresh.time()) {
                throw refused.apply("uses an array while it makes the next for the same variable",
                        "copy its elements to local variables before");
            }
        } else if (areMade && isArray(operand)) {
            throw refused.apply("copies a reference to an array", "copy its elements, or call a method for each array");
        }
    }

    /** Checks that no array is returned, whose memory ends with the method. */
    void giveBack(Operand operand) {
        if (areMade && (operand instanceof Operand.Fresh || isArray(operand))) {
            throw refused.apply("returns an array from a method that makes arrays", "let the caller make it and pass it");
        }
    }

    private static boolean isArray(Operand operand) {
        return operand instanceof Operand.Value value && value.kind() instanceof Kind.Known known && known.type().isLocal();
    }
}
