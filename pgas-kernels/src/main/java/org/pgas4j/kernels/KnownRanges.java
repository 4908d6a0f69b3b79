package org.pgas4j.kernels;

import java.lang.classfile.CodeModel;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Values that int variables of a method may have: up to the next label, which a jump may reach with others, and of variables that
 * one instruction alone sets everywhere behind it.
 */
final class KnownRanges {

    private final Set<Integer> once = new HashSet<>(); // slots
    private final Map<String, IntRange> here = new HashMap<>();
    private final Map<String, IntRange> everywhere = new HashMap<>();

    /** @param parameterSlots slots that have values before the first instruction */
    KnownRanges(CodeModel code, int parameterSlots) {
        Set<Integer> several = new HashSet<>();
        code.elementList().forEach(element -> {
            int slot = element instanceof StoreInstruction store ? store.slot()
                    : element instanceof IncrementInstruction increment ? increment.slot() : -1;
            if (slot >= 0 && (slot < parameterSlots || !once.add(slot))) {
                several.add(slot);
            }
        });
        once.removeAll(several);
    }

    IntRange of(String variable) {
        return here.getOrDefault(variable, everywhere.getOrDefault(variable, IntRange.ALL));
    }

    /** Takes over what an instruction sets a variable to. It may be translated several times, with more known or less. */
    void set(int slot, String variable, IntRange values) {
        here.put(variable, values);
        if (once.contains(slot)) {
            everywhere.merge(variable, values, IntRange::or);
        }
    }

    /** Notes that a comparison of a variable holds from here to the next label. */
    void hold(String variable, String relation, IntRange other) {
        here.put(variable, of(variable).where(relation, other));
    }

    /** Notes that jumps may come from elsewhere. */
    void meet() {
        here.clear();
    }
}
