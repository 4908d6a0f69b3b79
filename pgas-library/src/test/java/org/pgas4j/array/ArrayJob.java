package org.pgas4j.array;

import org.pgas4j.ElementType;
import org.pgas4j.MemoryKind;
import org.pgas4j.Pgas;
import org.pgas4j.Team;

/** Program of {@link ArrayJobTest}: random operations on arrays of numbers and of records in all memory, products of matrices. */
final class ArrayJob {

    private ArrayJob() {
    }

    public static void main(String[] args) {
        Pgas.run(args, rank -> {
            for (MemoryKind kind : MemoryKind.values()) {
                new RandomArrays(rank, 77).run(kind, 12);
                new RandomRecords(rank, 78).run(kind, 12);
                try (Team team = rank.world().split(rank.rank() % 2)) {
                    GlobalMatrixTest.multiply(rank, team, ElementType.DOUBLE, kind, 20, 15, 600,
                            Distribution.blocks(team.ranks(), 20, 15), 1, 1);
                }
                GlobalMatrixTest.multiply(rank, rank.world(), ElementType.FLOAT, kind, 9, 31, 40,
                        Distribution.of(Axis.whole(9), Axis.blockCyclic(31, rank.ranks(), 4)), 0, 0);
            }
            if (rank.rank() == 0) {
                System.out.println("arrays as expected on " + rank.ranks() + " ranks in " + rank.processes() + " JVMs");
            }
        });
    }
}
