package org.pgas4j.io;

import org.pgas4j.SharedArray;
import org.pgas4j.array.GlobalArray;
import org.pgas4j.array.Section;

/**
 * Elements of an array and their place in a file, an item of the list forms of all ranks.
 *
 * @param offset   bytes from the file's start
 * @param elements of an array, a slice or a section
 */
public record FileElements(long offset, Elements elements) {

    /** Elements of a shared array or of a slice. */
    public static FileElements of(long offset, SharedArray array) {
        return new FileElements(offset, Elements.of(array));
    }

    /** Elements of a global array, without its ghost cells. */
    public static FileElements of(long offset, GlobalArray array) {
        return new FileElements(offset, Elements.of(array));
    }

    /** Elements of a section. */
    public static FileElements of(long offset, Section section) {
        return new FileElements(offset, Elements.of(section));
    }

    String shape() {
        return offset + ":" + elements.shape();
    }
}
