package org.pgas4j.testkit.fuzz;

import java.util.Random;

/** A type of generated methods, as Java writes it. */
enum FuzzType {
    INT("int"),
    LONG("long"),
    FLOAT("float"),
    DOUBLE("double"),
    BOOLEAN("boolean"),
    BYTE("byte"),
    SHORT("short"),
    CHAR("char"),
    /** A record with a compact constructor that has code. */
    PAIR("Pair"),
    /** A record of all small types whose constructor assigns conditional values. */
    MIXED("Mixed"),
    /** A record of records. */
    NEST("Nest"),
    /** An array that a method makes, of 4 elements. */
    INTS("int[]");

    private final String java;

    FuzzType(String java) {
        this.java = java;
    }

    String java() {
        return java;
    }

    boolean isNumber() {
        return ordinal() < BOOLEAN.ordinal();
    }

    boolean isSmall() {
        return this == BYTE || this == SHORT || this == CHAR;
    }

    /** One of those that methods take and give: all but arrays. */
    static FuzzType any(Random random) {
        return values()[random.nextInt(INTS.ordinal())];
    }
}
