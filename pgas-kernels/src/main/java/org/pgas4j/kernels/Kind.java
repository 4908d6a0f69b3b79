package org.pgas4j.kernels;

/** Type of a value in a kernel, as C++ declares it. */
sealed interface Kind {

    /** C++ type of a variable. */
    String cpp();

    /** Start of the names of variables of this kind. */
    String letter();

    /** Types with which the Java virtual machine computes; smaller integers are ints. */
    enum Number implements Kind {
        INT("int", "i"), LONG("long long", "l"), FLOAT("float", "f"), DOUBLE("double", "d");

        private final String cpp;
        private final String letter;

        Number(String cpp, String letter) {
            this.cpp = cpp;
            this.letter = letter;
        }

        @Override
        public String cpp() {
            return cpp;
        }

        @Override
        public String letter() {
            return letter;
        }
    }

    /** A record, which is a struct. */
    record Struct(RecordStruct struct) implements Kind {

        @Override
        public String cpp() {
            return struct.name();
        }

        @Override
        public String letter() {
            return "r_" + struct.name() + "_";
        }
    }

    /** An object of this project that kernels know, such as a shared array. */
    record Known(KnownType type) implements Kind {

        @Override
        public String cpp() {
            return type.isValue() ? type.cpp() : type.cpp() + " *";
        }

        @Override
        public String letter() {
            return "p_" + type.name().toLowerCase(java.util.Locale.ROOT) + "_";
        }
    }
}
