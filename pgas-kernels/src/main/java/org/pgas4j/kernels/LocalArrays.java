package org.pgas4j.kernels;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.pgas4j.KernelRefusedException;

/**
 * Arrays of constant length that a method makes. Each place has memory of its own among the method's variables, which a loop uses
 * again: so a reference to such an array stays in one variable, into which that place stores it, or in another one as long as no array
 * is made, as in {@code for (double value : array)}.
 */
final class LocalArrays {

    private static final long MAX_BYTES = 4096; // a thread's registers and local memory

    private final CodeModel code;
    private final boolean areMade;
    private final BiFunction<String, String, KernelRefusedException> refused;
    private final Map<Integer, Integer> loads = new HashMap<>(); // time of the last load, by slot
    private int time;
    private int count;

    /** @param refused makes a refusal of what is done and the advice */
    LocalArrays(CodeModel code, BiFunction<String, String, KernelRefusedException> refused) {
        this.code = code;
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

    /**
     * Checks that a variable takes an array from the place that makes it, or for a part of the method that makes none.
     *
     * @param position of the instruction that stores it
     */
    void store(Operand operand, int slot, boolean isUsed, int position) {
        if (operand instanceof Operand.Fresh fresh) {
            if (isUsed || loads.getOrDefault(slot, 0) > fresh.time()) {
                throw refused.apply("uses an array while it makes the next for the same variable",
                        "copy its elements to local variables before");
            }
        } else if (areMade && isArray(operand) && !isShort(slot, position)) {
            throw refused.apply("copies a reference to an array", "copy its elements, or call a method for each array");
        }
    }

    /**
     * True if what a variable takes at a position is read only in a part that begins there and makes no array: so the memory is still
     * the same. Loops that end behind the last use belong to the part.
     */
    private boolean isShort(int slot, int position) {
        List<CodeElement> elements = code.elementList();
        MethodShape shape = new MethodShape(code);
        int next = position + 1;
        int last = position;
        for (; next < elements.size() && !isStore(elements.get(next), slot); next++) {
            last = isLoad(elements.get(next), slot) ? next : last;
        }
        for (int i = last + 1; i < elements.size(); i++) {
            if (isInto(shape.targets(i), position, last)) {
                last = i;
            }
        }
        int end = last;
        return last < next
                && elements.subList(position, end + 1).stream().noneMatch(NewPrimitiveArrayInstruction.class::isInstance)
                && IntStream.range(0, position).noneMatch(i -> isInto(shape.targets(i), position, end))
                && IntStream.range(position, elements.size()).noneMatch(i -> shape.targets(i).stream()
                        .anyMatch(target -> target < position && isReadFirst(slot, target, position)));
    }

    /** True if a variable is read in a part before it is stored there. */
    private boolean isReadFirst(int slot, int from, int to) {
        return code.elementList().subList(from, to).stream()
                .filter(element -> isStore(element, slot) || isLoad(element, slot)).findFirst().filter(element -> isLoad(element, slot)).isPresent();
    }

    private static boolean isInto(List<Integer> targets, int from, int to) {
        return targets.stream().anyMatch(target -> target > from && target <= to);
    }

    private static boolean isStore(CodeElement element, int slot) {
        return element instanceof StoreInstruction store && store.slot() == slot;
    }

    private static boolean isLoad(CodeElement element, int slot) {
        return element instanceof LoadInstruction load && load.slot() == slot;
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
