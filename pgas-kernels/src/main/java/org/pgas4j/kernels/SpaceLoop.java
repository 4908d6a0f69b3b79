package org.pgas4j.kernels;

import java.util.Arrays;
import java.util.List;

/**
 * Nested loops of a kernel over an index space of three dimensions, whose leading ones have one index if there are fewer. Threads
 * of a block form a tile. A step from one index to the next divides nothing.
 */
final class SpaceLoop {

    /** Declaration of the kernel's parameter. */
    static final String PARAMETER = ", pgas_space space";

    private static final String[] INDICES = {"i0", "i1", "i2"};

    private SpaceLoop() {
    }

    /** Names of the body's indices. */
    static String[] indices(KernelForm form) {
        return Arrays.copyOfRange(INDICES, INDICES.length - form.indices(), INDICES.length);
    }

    /** The loops around a statement. */
    static String text(List<Kind> captured, String statement) {
        StringBuilder text = new StringBuilder();
        for (int d = 0; d < INDICES.length; d++) {
            text.append("    const pgas_walk start").append(d).append(" = pgas_walk_from(&space, ").append(d).append(");\n");
            text.append("    long long nearest").append(d).append(" = 0;\n");
        }
        for (int d = 0; d < INDICES.length; d++) {
            text.append("""
                        for (pgas_walk wD = startD; wD.at < wD.to; pgas_walk_next(&wD)) {
                            const long long iD = pgas_walk_index(&wD);
                            if (pgas_walk_skips(&wD, iD)) {
                                continue;
                            }
                    """.replace("D", "" + d)).append(near(captured, d));
        }
        return text.append("            ").append(statement).append("\n    }}}\n").toString();
    }

    /** Keeps the block of each array near that the loop is in. */
    private static String near(List<Kind> captured, int dimension) {
        StringBuilder near = new StringBuilder();
        for (int i = 0; i < captured.size(); i++) {
            if (captured.get(i) instanceof Kind.Known known && known.type().isGrid()) {
                near.append("            pgas_grid_near<").append(dimension).append(">(&a").append(i).append(", w").append(dimension)
                        .append(".number);\n");
            }
        }
        return near.isEmpty() ? "" : "        if (wD.number != nearestD) {\n            nearestD = wD.number;\n"
                .replace("D", "" + dimension) + near + "        }\n";
    }
}
