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
    void shouldMakeTheSameRandomColumnOnEveryRank() {
        assertArrayEquals(new RandomMatrix(50, 3, 0).column(17), new RandomMatrix(50, 3, 0).column(17));
    }

    @Test
    void shouldNameTheSeedGiven() {
        assertEquals("uniform in [-1, 1), seed 7", new RandomMatrix(2, 7, 1).description());
        assertFalse(Arrays.equals(new RandomMatrix(2, 7, 0).column(0), new RandomMatrix(2, 7, 1).column(0)));
    }
}
