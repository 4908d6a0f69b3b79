package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.examples.matmul.io.RandomMatrix;

@Timeout(30)
class ColumnsTest {

    @ParameterizedTest
    @CsvSource({"2003, 4", "5, 4", "7, 7", "1, 1", "10, 3"})
    void shouldShareOutEveryColumnOnceInOrder(int n, int ranks) {
        long next = 0;
        for (int rank = 0; rank < ranks; rank++) {
            Columns columns = Columns.of(n, ranks, rank);
            assertEquals(next, columns.first());
            next += columns.count();
        }
        assertEquals(n, next);
    }

    @Test
    void shouldMakeARandomColumnTheSameWhoeverAsks() {
        double[] first = new double[50];
        double[] second = new double[50];

        new RandomMatrix(50, 3, 0).column(17, first);
        new RandomMatrix(50, 3, 0).column(17, second);

        assertArrayEquals(first, second);
    }

    @Test
    void shouldNameTheSeedGiven() {
        assertEquals("uniform in [-1, 1), seed 7", new RandomMatrix(2, 7, 1).description());
        double[] a = new double[2];
        double[] b = new double[2];
        new RandomMatrix(2, 7, 0).column(0, a);
        new RandomMatrix(2, 7, 1).column(0, b);
        assertFalse(Arrays.equals(a, b));
    }
}
