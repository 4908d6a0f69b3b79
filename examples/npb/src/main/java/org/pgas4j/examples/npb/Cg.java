package org.pgas4j.examples.npb;

import org.pgas4j.Rank;
import org.pgas4j.UsageException;
import org.pgas4j.examples.common.Answer;
import org.pgas4j.examples.common.CheckedExample;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The smallest eigenvalue of a sparse symmetric matrix by inverse iteration, each step of which is 25 iterations of conjugate
 * gradients. Rows are spread over the ranks; {@link HostCg} is the part to copy, {@link DeviceCg} the same for devices.
 */
@Command(name = "cg", header = "NPB CG: an eigenvalue by conjugate gradients with a sparse matrix.")
public final class Cg extends CheckedExample {

    private static final int STEPS = 15;
    private static final int ITERATIONS = 25;

    @Option(names = "--device-memory", description = "matrix and vectors in the memory of devices, which compute")
    private boolean deviceMemory;

    Cg() {
    }

    public static void main(String[] args) {
        new Cg().start(args);
    }

    private int order() {
        return (int) problem().of(1_400, 7_000, 14_000);
    }

    @Override
    protected long hostBytes(int ranks) {
        return deviceMemory ? 0 : (long) Double.BYTES * Math.ceilDiv(order(), ranks);
    }

    @Override
    protected long deviceBytes(int ranks) {
        return deviceMemory ? (long) Double.BYTES * Math.ceilDiv(order(), ranks) : 0;
    }

    @Override
    protected Answer solve(Rank rank) {
        int n = order();
        double shift = problem().of(10, 12, 20);
        int part = Math.ceilDiv(n, rank.ranks());
        int first = Math.min(n, part * rank.rank());
        int end = Math.min(n, first + part);
        if (deviceMemory && part * (rank.ranks() - 1L) >= n) {
            throw new UsageException("--device-memory: " + rank.ranks() + " ranks are too many for " + n + " rows");
        }
        CgMatrix matrix = CgMatrix.rows(n, (int) problem().of(7, 8, 11), shift, first, end);
        if (spoils(rank) && end > first) {
            matrix.values()[0] += 1e-3;
        }
        double zeta = 0;
        CgSolver solver = deviceMemory ? new DeviceCg(rank, matrix, n) : new HostCg(rank, matrix, n);

        long start = start(rank);
        for (int step = 0; step < STEPS; step++) {
            zeta = shift + 1 / solver.step(ITERATIONS);
        }
        long ns = since(rank, start);

        solver.free();
        return Answer.near(switch (problem()) {
            case S -> 8.5971775078648;
            case W -> 10.362595087124;
            case A -> 17.130235054029;
        }, zeta, 1e-10, ns);
    }
}
