package org.pgas4j.kernels;

import java.lang.classfile.Label;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The copies of parts of a method that are being written, and how the instruction that is being translated is checked in them. */
final class Copies {

    /**
     * A copy.
     *
     * @param labels    of the part
     * @param suffix    of the names that they have in this copy
     * @param exit      label where the part goes on, and its name in this copy; or null
     * @param isChecked whether it has all checks
     */
    record Copy(CopiedPart part, Set<Label> labels, String suffix, Label exit, String exitName, boolean isChecked) {
    }

    private static final int MAX_DEPTH = 3;

    private final Translation.Form form;
    private final SymbolicCalls.Unchecked unchecked;
    private final List<Copy> copies = new ArrayList<>();
    private Beginning beginning;
    private int position;
    private int count;

    /** @param unchecked elements and calls that the form of the method does not check */
    Copies(Translation.Form form, SymbolicCalls.Unchecked unchecked) {
        this.form = form;
        this.unchecked = unchecked;
    }

    /** Notes where the method begins, before anything else is asked. */
    void begin(Beginning positions) {
        beginning = positions;
    }

    /** True if a thread comes to a position before it has done anything that must not be done twice. */
    boolean isFirst(int at) {
        return form == Translation.Form.FIRST && isEmpty() && beginning.has(at);
    }

    /** True if the threads of a warp that come to the method come to the instruction that is translated all or none. */
    boolean isTogether() {
        return beginning.isTogether(position);
    }

    /** True in a form with all checks, which is not for speed. */
    boolean isAgain() {
        return form == Translation.Form.CHECKED;
    }

    /** Number of a new pair of copies. */
    int next() {
        return count++;
    }

    void begin(Copy copy) {
        copies.add(copy);
    }

    void end() {
        copies.removeLast();
    }

    /** Notes the instruction that is translated next. */
    void at(int position) {
        this.position = position;
    }

    /** True outside of all copies. */
    boolean isEmpty() {
        return copies.isEmpty();
    }

    /** Number of the instruction that is translated. */
    int position() {
        return position;
    }

    /** True if parts may be copied here. */
    boolean isOpen() {
        return form != Translation.Form.CHECKED && copies.size() < MAX_DEPTH && !isChecked();
    }

    private boolean isChecked() {
        return form == Translation.Form.CHECKED || !copies.isEmpty() && copies.getLast().isChecked();
    }

    /** True if the element or call at a position is not checked here. */
    boolean isKnown(int at) {
        return !isChecked() && (unchecked.accesses().contains(at) || unchecked.calls().contains(at)
                || copies.stream().anyMatch(copy -> copy.part().unchecked().contains(at) || copy.part().calls().contains(at)
                        || copy.part().noted().containsKey(at)));
    }

    /** Check of the element that the instruction uses. */
    IndexCheck check() {
        if (isChecked()) {
            return IndexCheck.STOP;
        }
        if (unchecked.accesses().contains(position) || copies.stream().anyMatch(copy -> copy.part().unchecked().contains(position))) {
            return IndexCheck.NONE;
        }
        return copies.stream().anyMatch(copy -> copy.part().noted().containsKey(position)) ? IndexCheck.NOTE : IndexCheck.STOP;
    }

    /** True if the sum that the instruction computes does not wrap. */
    boolean isExact() {
        return !isChecked() && copies.stream().anyMatch(copy -> copy.part().sums().contains(position));
    }

    /** Form of the method that the instruction calls. */
    Translation.Form form() {
        if (isChecked()) {
            return Translation.Form.CHECKED;
        }
        boolean isFast = unchecked.calls().contains(position) || copies.stream().anyMatch(copy -> copy.part().calls().contains(position));
        return isFast ? Translation.Form.FAST : isFirst(position) ? Translation.Form.FIRST : Translation.Form.WHOLE;
    }

    /** Name of a label here. */
    String label(Label target, String name) {
        for (Copy copy : copies.reversed()) {
            if (copy.labels().contains(target)) {
                return name + copy.suffix();
            }
            if (target.equals(copy.exit())) {
                return copy.exitName();
            }
        }
        return name;
    }
}
