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
    /** Calls it once for each thread of blocks that are ranks. */
    BLOCKS(0, false),
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
    SPACE_LONGS_3(3, true),
    /** Combines its values of type double for the indices up to each. */
    SCAN_DOUBLES(1, false),
    /** The same with values of type long. */
    SCAN_LONGS(1, false),
    /** Combines, by itself, elements of type double up to each. */
    SCAN_DOUBLES_BY(2, false),
    /** The same with elements of type long. */
    SCAN_LONGS_BY(2, false),
    /** Is a part of another kernel, which combines elements of type double by it. */
    COMBINE_DOUBLES(2, false),
    /** The same with elements of type long. */
    COMBINE_LONGS(2, false);

    private final int indices;
    private final boolean isSpace;

    KernelForm(int indices, boolean isSpace) {
        this.indices = indices;
        this.isSpace = isSpace;
    }

    /** Number of indices, or of values, that the body has as its last parameters. */
    public int indices() {
        return indices;
    }

    /** True for loops over elements of a shared array. */
    boolean isLoop() {
        return this == LOOP || this == REDUCE_DOUBLES || this == REDUCE_LONGS;
    }

    /** True for loops over an index space. */
    public boolean isSpace() {
        return isSpace;
    }

    /** True for scans. */
    public boolean isScan() {
        return this == SCAN_DOUBLES || this == SCAN_LONGS || isOperator();
    }

    /** True for a function that kernels of others call. */
    boolean isPart() {
        return this == COMBINE_DOUBLES || this == COMBINE_LONGS;
    }

    /** True for a scan whose body combines two values. */
    boolean isOperator() {
        return this == SCAN_DOUBLES_BY || this == SCAN_LONGS_BY;
    }

    /** C++ type of the values that are combined; null if there are none. */
    String combined() {
        return switch (this) {
            case REDUCE_DOUBLES, SPACE_DOUBLES_1, SPACE_DOUBLES_2, SPACE_DOUBLES_3, SCAN_DOUBLES, SCAN_DOUBLES_BY,
                COMBINE_DOUBLES -> "double";
            case REDUCE_LONGS, SPACE_LONGS_1, SPACE_LONGS_2, SPACE_LONGS_3, SCAN_LONGS, SCAN_LONGS_BY, COMBINE_LONGS
                    -> "long long";
            case LOOP, GRID, BLOCKS, SPACE_1, SPACE_2, SPACE_3 -> null;
        };
    }
}
