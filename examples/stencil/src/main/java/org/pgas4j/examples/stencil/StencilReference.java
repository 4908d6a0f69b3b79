package org.pgas4j.examples.stencil;

/** The same on the CPU, by one thread, on arrays, a stage after the other: a rank's rows and as many beside as they depend on. */
final class StencilReference {

    private final int isize;
    private final int first;
    private final int rows;
    private final int levels;
    private float[][][] field;

    /** Computes {@code steps} steps. */
    StencilReference(Domain domain, int steps) {
        int reach = Domain.HALO * steps;
        this.isize = domain.isize();
        this.first = Math.max(0, domain.rank() * domain.jsize() - reach);
        this.rows = Math.min(domain.ranks() * domain.jsize(), (domain.rank() + 1) * domain.jsize() + reach) - first;
        this.levels = domain.levels();
        this.field = new float[levels][rows][isize];
        for (int k = 0; k < levels; k++) {
            for (int j = 0; j < rows; j++) {
                for (int i = 0; i < isize; i++) {
                    field[k][j][i] = Domain.initial(i, first + j, k);
                }
            }
        }
        for (int step = 0; step < steps; step++) {
            for (int k = 0; k < levels; k++) {
                field[k] = stepped(field[k]);
            }
        }
    }

    /** A value; {@code j} counts the rows of all ranks. */
    float at(int i, int j, int level) {
        return field[level][j - first][i];
    }

    private float[][] stepped(float[][] in) {
        float[][] laplacian = new float[rows][isize];
        float[][] x = new float[rows][isize];
        float[][] y = new float[rows][isize];
        float[][] out = new float[rows][];
        for (int j = 1; j < rows - 1; j++) {
            for (int i = 1; i < isize - 1; i++) {
                laplacian[j][i] = ((in[j][i - 1] + in[j][i + 1]) + (in[j - 1][i] + in[j + 1][i])) - 4 * in[j][i];
            }
        }
        for (int j = 1; j < rows - 2; j++) {
            for (int i = 1; i < isize - 2; i++) {
                float east = laplacian[j][i + 1] - laplacian[j][i];
                x[j][i] = east * (in[j][i + 1] - in[j][i]) > 0 ? 0 : east;
                float north = laplacian[j + 1][i] - laplacian[j][i];
                y[j][i] = north * (in[j + 1][i] - in[j][i]) > 0 ? 0 : north;
            }
        }
        for (int j = 0; j < rows; j++) {
            out[j] = in[j].clone();
            for (int i = 2; i < isize - 2 && j >= 2 && j < rows - 2; i++) {
                out[j][i] = in[j][i] - Diffusion.COEFFICIENT * ((x[j][i] - x[j][i - 1]) + (y[j][i] - y[j - 1][i]));
            }
        }
        return out;
    }
}
