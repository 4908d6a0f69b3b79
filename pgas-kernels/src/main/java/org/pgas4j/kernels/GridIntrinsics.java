package org.pgas4j.kernels;

import java.util.HashMap;
import java.util.Map;

/** The methods of {@link org.pgas4j.GlobalElements} and its kin that kernels have in C++. */
final class GridIntrinsics {

    private static final Map<String, Intrinsic> METHODS = new HashMap<>();

    static {
        for (String kind : new String[] {"I", "J", "F", "D"}) {
            method("J", kind, "$1", "$2");
            method("JJ", kind, "$1, $2", "$3");
            method("JJJ", kind, "$1, $2, $3", "$4");
            atomics("J", kind, "$1", "$2, $3", "$3, $2");
            atomics("JJ", kind, "$1, $2", "$3, $4", "$4, $3");
            atomics("JJJ", kind, "$1, $2, $3", "$4, $5", "$5, $4");
        }
        METHODS.put("dimensions()I", new Intrinsic("$0->place.dimensions", true));
        METHODS.put("length(I)J", new Intrinsic("pgas_grid_length($0, $1, cx, $S)", false));
    }

    private GridIntrinsics() {
    }

    private static void method(String indices, String kind, String arguments, String value) {
        String place = "pgas_grid_at($0, " + arguments + ", cx, $S)";
        METHODS.put("get(" + indices + ")" + kind, new Intrinsic("*" + place, false));
        METHODS.put("put(" + indices + kind + ")V", new Intrinsic("*" + place + " = " + value, false));
        String sum = "pgas_fetch_add(" + place + ", " + value + ")";
        METHODS.put("getAndAdd(" + indices + kind + ")" + kind, new Intrinsic(sum, false));
        METHODS.put("addTo(" + indices + kind + ")V", new Intrinsic(sum, false));
        METHODS.put("rankOf(" + indices + ")I", new Intrinsic("pgas_grid_rank_of($0, " + arguments + ", cx, $S)", false));
    }

    private static void atomics(String indices, String kind, String arguments, String operation, String exchange) {
        String place = Intrinsic.ATOMIC + "pgas_grid_at($0, " + arguments + ", cx, $S), ";
        METHODS.put("atomic(" + indices + "Lorg/pgas4j/AtomicOp;" + kind + ")" + kind,
                new Intrinsic(place + operation + ", 0)", false));
        METHODS.put("compareAndExchange(" + indices + kind + kind + ")" + kind,
                new Intrinsic(place + "PGAS_ATOMIC_COMPARE_SWAP, " + exchange + ")", false));
    }

    /** The method, or null. */
    static Intrinsic of(String signature) {
        return METHODS.get(signature);
    }
}
