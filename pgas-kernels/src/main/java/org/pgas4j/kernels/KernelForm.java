package org.pgas4j.kernels;

/** Use that a kernel makes of its body. */
public enum KernelForm {
    /** Calls it for each index of a loop. */
    LOOP(1, false),
    /** Combines its values of type double for each index of a loop; each block leaves one result. */
    REDUCE_DOUBLES(1, false),
    /** The same with values of type long. */
    REDUCE_LONGS(1, false),
    /** Calls it once for each thread of a grid. */
    GRID(0, false),
    /** Calls it for each index of a space of one dimension. */
    SPACE_1(1, true),
    /** The same of two dimensions. */
    SPACE_2(2, true),
    /** The same of three. */
    SPACE_3(3, true),
    /** Combines its values of type double for each index of a space of one dimension. */
    SPACE_DOUBLES_1(1, true),
    /** The same of two dimensions. */
    SPACE_DOUBLES_2(2, true),
    /** The same of three. */
    SPACE_DOUBLES_3(3, true),
    /** Combines its values of type long for each index of a space of one dimension. */
    SPACE_LONGS_1(1, true),
    /** The same of two dimensions. */
    SPACE_LONGS_2(2, true),
    /** The same of three. */
    SPACE_LONGS_3(3, true);

    private final int indices;
    private final boolean isSpace;

    KernelForm(int indices, boolean isSpace) {
        this.indices = indices;
        this.isSpace = isSpace;
    }

    /** Number of indices that the body has as its last parameters. */
    public int indices() {
        return indices;
    }

    /** True for loops over an index space. */
    public boolean isSpace() {
        return isSpace;
    }

    /** C++ type of the values that are combined; null if there are none. */
    String combined() {
        return switch (this) {
            case REDUCE_DOUBLES, SPACE_DOUBLES_1, SPACE_DOUBLES_2, SPACE_DOUBLES_3 -> "double";
            case REDUCE_LONGS, SPACE_LONGS_1, SPACE_LONGS_2, SPACE_LONGS_3 -> "long long";
            case LOOP, GRID, SPACE_1, SPACE_2, SPACE_3 -> null;
        };
    }
}
