package org.pgas4j.kernels;

/** Treatment of an index in one copy of a part of a method. */
enum IndexCheck {
    /** The thread stops if it is out of bounds. */
    STOP(", cx, $S"),
    /** It is known to be within bounds. */
    NONE(""),
    /** A flag is set if it is out of bounds, and another element is taken. */
    NOTE(", " + IndexCheck.FLAG);

    /** The flag. */
    static final String FLAG = "outside";

    private final String arguments;

    IndexCheck(String arguments) {
        this.arguments = arguments;
    }

    /** Further arguments of the function that finds an element. */
    String arguments() {
        return arguments;
    }

    /** C++ of an index. */
    String index(Operand.Value value) {
        return switch (this) {
            case STOP -> value.part();
            case NONE -> value.place();
            case NOTE -> value.narrow().part();
        };
    }
}
