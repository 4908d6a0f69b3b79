package org.pgas4j.examples.matmul.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgas4j.UsageException;

@Timeout(30)
class MatrixMarketReaderTest {

    /** Lines of a file, and the values of its columns. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "coordinate real general;% a comment;;2 3 3;1 1 1.5;% between entries;2 3 -2e1;1 2 1.0D+02| 1.5 0; 100 0; 0 -20",
        "coordinate integer symmetric;2 2 2;1 1 4;2 1 -7                                        | 4 -7; -7 0",
        "coordinate real skew-symmetric;2 2 1;2 1 3                                             | 0 3; -3 0",
        "coordinate pattern symmetric;2 2 2;2 1;2 2                                             | 0 1; 1 1",
        "coordinate real general;2 2 2;2 1 1;2 1 2                                              | 0 3; 0 0",
        "Array Double General;2 2;1;2;3;4                                                       | 1 2; 3 4",
        "array real symmetric;2 2;1;2;3                                                         | 1 2; 2 3",
        "array real skew-symmetric;2 2;3                                                        | 0 3; -3 0",
    })
    void shouldReadEveryKind(String lines, String columns) throws IOException {
        MatrixSource matrix = read("%%matrixmarket MATRIX " + lines.replace(';', '\n'));

        String[] expected = columns.split("; ");
        assertEquals(expected.length, matrix.columns());
        for (int j = 0; j < expected.length; j++) {
            assertArrayEquals(Stream.of(expected[j].split(" ")).mapToDouble(Double::parseDouble).toArray(), matrix.column(j));
        }
    }

    @Test
    void shouldReadTheMatrixThatComesWithTheExample() throws IOException {
        try (InputStream in = MatrixMarketReader.class.getResourceAsStream("/org/pgas4j/examples/matmul/bcsstk13.mtx");
             Arena arena = Arena.ofShared()) {
            SparseMatrix matrix = assertInstanceOf(SparseMatrix.class,
                    MatrixMarketReader.read(in, "bcsstk13.mtx", Long.MAX_VALUE, MatrixSource.SizeCheck.ANY, arena));

            assertEquals(2003, matrix.rows());
            assertEquals(2003, matrix.columns());
            assertEquals(83_883, matrix.stored());
        }
    }

    @Test
    void shouldRefuseTruncatedMatrixMarketNamingTheLine() {
        String message = refused("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n");

        assertEquals("m.mtx:5: the file ends after 2 of 3 entries; is it truncated?", message);
    }

    @Test
    void shouldRefuseTruncatedLastLineNamingTheLine() {
        assertEquals("m.mtx:3: '1 1' (expected: row column value)",
                refused("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1"));
    }

    @Test
    void shouldRefuseEntriesTheFileHasNoRoomFor() {
        String text = "%%MatrixMarket matrix coordinate real general\n100000 100000 1000000000\n1 1 1\n";

        String message = assertThrows(UsageException.class, () -> read(text, text.length())).getMessage();

        assertEquals("m.mtx:2: 1000000000 entries cannot be in a file of 77 bytes; is it truncated?", message);
    }

    @Test
    void shouldAskAboutTheSizeBeforeReadingEntries() {
        MatrixSource.SizeCheck no = (name, rows, columns) -> {
            throw new UsageException(name + " " + rows + "x" + columns);
        };
        String text = "%%MatrixMarket matrix array real general\n2147483647 2147483647\nrubbish";

        String message = assertThrows(UsageException.class, () -> read(text, Long.MAX_VALUE, no)).getMessage();

        assertEquals("m.mtx 2147483647x2147483647", message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "hello|                                                                     1: 'hello' (expected: %%",
        "%%MatrixMarket matrix coordinate real|                                     1: '%%MatrixMarket matrix",
        "%%MatrixMarket matrix sparse real general|                                 1: format 'sparse'",
        "%%MatrixMarket matrix array quaternion general|                            1: field 'quaternion'",
        "%%MatrixMarket matrix coordinate complex general|                          1: complex values",
        "%%MatrixMarket matrix coordinate real hermitian|                           1: hermitian matrices",
        "%%MatrixMarket matrix coordinate real diagonal|                            1: symmetry 'diagonal'",
        "%%MatrixMarket matrix array pattern general|                               1: a pattern has no values",
        "%%MatrixMarket matrix array real general|                                  2: the file ends before the",
        "%%MatrixMarket matrix array real general;2|                                2: '2' (expected: rows columns)",
        "%%MatrixMarket matrix array real general;0 2|                              2: rows: 0 (expected: 1..",
        "%%MatrixMarket matrix array real general;2 -1|                             2: columns: -1",
        "%%MatrixMarket matrix array real general;2 two|                            2: columns: 'two'",
        "%%MatrixMarket matrix array real symmetric;2 3|                            2: symmetric but 2 x 3",
        "%%MatrixMarket matrix coordinate real general;2 2 5|                       2: 5 entries in a 2 x 2",
        "%%MatrixMarket matrix coordinate real general;2 2 -1|                      2: -1 entries",
        "%%MatrixMarket matrix coordinate real general;2 2 1;3 1 1|                 3: row index 3 (expected: 1..2)",
        "%%MatrixMarket matrix coordinate real general;2 2 1;0 1 1|                 3: row index 0",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 3 1|                 3: column index 3",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1.5 1 1|               3: row: '1.5'",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 1 NaN|               3: value 'NaN'",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 1 -Infinity|         3: value '-Infinity'",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 1 1e999|             3: value 1e999 is too large",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 1 0x1p3|             3: value '0x1p3'",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 1 1.0d|              3: value '1.0d'",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 1 1 0|               3: '1 1 1 0' (expected:",
        "%%MatrixMarket matrix coordinate integer general;2 2 1;1 1 1.5|            3: value 1.5 in a file of int",
        "%%MatrixMarket matrix coordinate pattern general;2 2 1;1 1 1|              3: '1 1 1' (expected: row col",
        "%%MatrixMarket matrix coordinate real symmetric;2 2 1;1 2 1|               3: entry (1, 2) is above",
        "%%MatrixMarket matrix coordinate real skew-symmetric;2 2 1;1 1 1|          3: entry (1, 1) is on the diag",
        "%%MatrixMarket matrix coordinate real general;2 2 1;1 1 1;2 2 1|           4: '2 2 1' after the last of 1",
        "%%MatrixMarket matrix array real general;1 2;1|                            4: the file ends after 1 of 2",
        "%%MatrixMarket matrix array real general;1 1;1;2|                          4: '2' after the last of 1",
    })
    void shouldRefuseBadContentNamingFileAndLine(String lines, String message) {
        String found = refused(lines.replace(';', '\n') + "\n");

        assertTrue(found.startsWith("m.mtx:" + message), found);
    }

    private static String refused(String text) {
        UsageException exception = assertThrows(UsageException.class, () -> read(text));
        assertEquals(2, exception.exitCode());
        return exception.getMessage();
    }

    private static MatrixSource read(String text) throws IOException {
        return read(text, Long.MAX_VALUE);
    }

    private static MatrixSource read(String text, long bytes) throws IOException {
        return read(text, bytes, MatrixSource.SizeCheck.ANY);
    }

    private static MatrixSource read(String text, long bytes, MatrixSource.SizeCheck check) throws IOException {
        return MatrixMarketReader.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)), "m.mtx",
                bytes, check, Arena.ofAuto());
    }
}
