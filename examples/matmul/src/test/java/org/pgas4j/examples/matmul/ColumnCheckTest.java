package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.Matmul.Dtype;

@Timeout(30)
class ColumnCheckTest {

    private static final int ROWS = 40;
    private static final int INNER = 300;

    private static Inputs inputs(Dtype dtype) {
        return Inputs.load(null, null, new MatmulShape(ROWS, 6, INNER), 1, dtype, Arena.ofAuto(), (_, _, _) -> { });
    }

    /** Column 5 of the product, with {@code wrong} added to its third element, as the type of the result keeps it. */
    private static MemorySegment column(Dtype dtype, double wrong) {
        Inputs inputs = inputs(dtype);
        double[] sums = new double[ROWS];
        double[] right = inputs.b().column(5);
        for (int l = 0; l < INNER; l++) {
            double[] left = inputs.a().column(l);
            for (int i = 0; i < ROWS; i++) {
                sums[i] += dtype.kept(left[i]) * dtype.kept(right[l]);
            }
        }
        sums[3] += wrong;
        MemorySegment memory = Arena.ofAuto().allocate(8L * ROWS, 8);
        ElementType type = dtype.resultType();
        for (int i = 0; i < ROWS; i++) {
            switch (type) {
                case DOUBLE -> memory.set(ElementType.LAYOUT_DOUBLE, 8L * i, sums[i]);
                case FLOAT -> memory.set(ElementType.LAYOUT_FLOAT, 4L * i, (float) sums[i]);
                case INT -> memory.set(ElementType.LAYOUT_INT, 4L * i, (int) sums[i]);
                default -> memory.set(ElementType.LAYOUT_SHORT, 2L * i, type.toBits((float) sums[i]));
            }
        }
        return memory;
    }

    @ParameterizedTest
    @EnumSource(Dtype.class)
    void shouldAcceptARightColumnAndNoticeAWrongElement(Dtype dtype) {
        ColumnCheck check = new ColumnCheck(inputs(dtype), dtype, 2);

        assertEquals("all", check.method(6));
        assertTrue(check.residual(5, column(dtype, 0)) <= 1, dtype.toString());
        double wrong = dtype == Dtype.INT8 ? 1 : 200 * dtype.roundoff() * INNER;
        assertTrue(check.residual(5, column(dtype, wrong)) > ColumnCheck.LIMIT, dtype.toString());
        if (dtype != Dtype.INT8) {
            assertEquals(Double.POSITIVE_INFINITY, check.residual(5, column(dtype, Double.NaN)), dtype.toString());
        }
    }

    @Test
    void shouldTakeColumnsOfAllParts() {
        Inputs wide = Inputs.load(null, null, new MatmulShape(2, 1000, 3), 1, Dtype.F32, Arena.ofAuto(), (_, _, _) -> { });

        for (int parts : List.of(1, 3, 10)) {
            boolean[] seen = new boolean[parts];
            for (int column : new ColumnCheck(wide, Dtype.F32, parts).columns()) {
                seen[column / Math.ceilDiv(1000, parts)] = true;
            }
            for (boolean each : seen) {
                assertTrue(each, parts + " parts");
            }
        }
    }
}
