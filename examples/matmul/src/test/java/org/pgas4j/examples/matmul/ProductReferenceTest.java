package org.pgas4j.examples.matmul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.pgas4j.ElementType;
import org.pgas4j.examples.matmul.io.DenseMatrix;
import org.pgas4j.examples.matmul.io.MatrixMarketReader;
import org.pgas4j.examples.matmul.io.MatrixSource;
import org.pgas4j.examples.matmul.io.RandomMatrix;
import org.pgas4j.examples.matmul.io.SparseMatrix;

@Timeout(60)
class ProductReferenceTest {

    private static final int N = 83;   // not a multiple of any block
    private final MatrixSource a = new RandomMatrix(N, 1, 0);
    private final MatrixSource b = new RandomMatrix(N, 2, 0);

    @Test
    void shouldAcceptTheTripleLoop() throws IOException {
        SparseMatrix sparse = sparse();

        assertAccepts(ProductReference.dense(a, b), tripleLoop(a, b));
        assertAccepts(new ProductReference.ProbeReference(a, b), tripleLoop(a, b));
        assertAccepts(ProductReference.sparse(sparse, b), tripleLoop(sparse, b));
        assertEquals("sparse", ProductReference.of(sparse, b).method());
    }

    @Test
    void shouldMeasureTheSameErrorInFullAndByProbes() {
        DenseMatrix c = tripleLoop(a, b);
        for (int j = 0; j < N; j++) {
            add(c, j, (j * 7) % N, 0.01);
        }

        double full = ProductReference.dense(a, b).relativeError(c);
        double probes = new ProductReference.ProbeReference(a, b).relativeError(c);

        assertTrue(full > 1e-4, "full " + full);
        assertEquals(full, probes, 0.5 * full);
    }

    @Test
    void shouldNoticeOneWrongElement() {
        DenseMatrix wrong = tripleLoop(a, b);
        add(wrong, N - 1, 0, 1e-6);
        DenseMatrix nan = tripleLoop(a, b);
        add(nan, 3, 4, Double.NaN);

        for (ProductReference reference : List.of(ProductReference.dense(a, b), new ProductReference.ProbeReference(a, b))) {
            assertTrue(reference.relativeError(wrong) > reference.tolerance(ElementType.DOUBLE), reference.method());
            assertTrue(Double.isNaN(reference.relativeError(nan)), reference.method());
        }
    }

    @Test
    void shouldAcceptOnlyZeroWhereTheProductIsZero() throws IOException {
        SparseMatrix nilpotent = sparse("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 5\n");
        DenseMatrix c = tripleLoop(nilpotent, nilpotent);
        ProductReference reference = ProductReference.sparse(nilpotent, nilpotent);

        assertEquals(0, reference.relativeError(c));
        add(c, 0, 0, 25);
        assertEquals(1, reference.relativeError(c));
    }

    @Test
    void shouldAllowTheDocumentedErrorOnTheMatrixThatComesWithTheExample() {
        double norm = 4e13;

        assertEquals(1e-12, ProductReference.tolerance(ElementType.DOUBLE, 2003, norm, norm, norm * norm));
        assertEquals(1e-5, ProductReference.tolerance(ElementType.FLOAT, 2003, norm, norm, norm * norm));
    }

    private static void assertAccepts(ProductReference reference, DenseMatrix c) {
        double error = reference.relativeError(c);
        assertTrue(error <= 1e-14, reference.method() + " " + error);
        assertTrue(error <= reference.tolerance(ElementType.DOUBLE));
    }

    private static SparseMatrix sparse() throws IOException {
        StringBuilder text = new StringBuilder("%%MatrixMarket matrix coordinate real general\n" + N + " " + N + " "
                + 3 * N + "\n");
        for (int i = 0; i < 3 * N; i++) {
            text.append(i * 5 % N + 1).append(' ').append(i * 11 % N + 1).append(' ').append(i - 100.25).append('\n');
        }
        return sparse(text.toString());
    }

    private static SparseMatrix sparse(String text) throws IOException {
        return (SparseMatrix) MatrixMarketReader.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)), "m",
                Long.MAX_VALUE, MatrixSource.SizeCheck.ANY, Arena.ofAuto());
    }

    private static DenseMatrix tripleLoop(MatrixSource a, MatrixSource b) {
        int n = a.columns();
        MemorySegment memory = Arena.ofAuto().allocate(8L * n * n, 8);
        for (int j = 0; j < n; j++) {
            double[] right = b.column(j);
            for (int k = 0; k < n; k++) {
                double[] left = a.column(k);
                for (int i = 0; i < n; i++) {
                    long at = (long) j * n + i;
                    memory.setAtIndex(ValueLayout.JAVA_DOUBLE, at,
                            memory.getAtIndex(ValueLayout.JAVA_DOUBLE, at) + left[i] * right[k]);
                }
            }
        }
        return new DenseMatrix(n, n, ElementType.DOUBLE, memory, "triple loop");
    }

    private static void add(DenseMatrix matrix, int row, int column, double value) {
        long index = (long) column * matrix.rows() + row;
        matrix.data().setAtIndex(ValueLayout.JAVA_DOUBLE, index,
                matrix.data().getAtIndex(ValueLayout.JAVA_DOUBLE, index) + value);
    }
}
