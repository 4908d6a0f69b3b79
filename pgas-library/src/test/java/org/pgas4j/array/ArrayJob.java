package org.pgas4j.array;

import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;

/** Program of {@link ArrayJobTest}: random operations on arrays in host and device memory. */
final class ArrayJob {

    private ArrayJob() {
    }

    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            for (MemoryKind kind : MemoryKind.values()) {
                new RandomArrays(rank, 77).run(kind, 12);
            }
            if (rank.rank() == 0) {
                System.out.println("arrays as expected on " + rank.ranks() + " ranks in " + rank.processes() + " JVMs");
            }
        });
    }
}
