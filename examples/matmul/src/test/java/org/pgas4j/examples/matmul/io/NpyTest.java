package org.pgas4j.examples.matmul.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgas4j.ElementType;
import org.pgas4j.UsageException;

@Timeout(30)
class NpyTest {

    private static final String C_F8 = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldReadRowMajorDoublesOfEveryVersion(int version) throws IOException {
        Path file = file(version, C_F8, doubles(1, 2, 3, 4, 5, 6));

        MatrixSource matrix = read(file);

        assertEquals(2, matrix.rows());
        assertEquals(3, matrix.columns());
        assertArrayEquals(new double[] {1, 4}, matrix.column(0));
        assertArrayEquals(new double[] {3, 6}, matrix.column(2));
    }

    @Test
    void shouldReadFortranOrderFloatsWithKeysInAnyOrder() throws IOException {
        ByteBuffer values = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        values.putFloat(1).putFloat(2).putFloat(3).putFloat(0.1f);
        Path file = file(1, "{ 'shape':(2,2),'fortran_order':True , 'descr':'<f4'}", values.array());

        MatrixSource matrix = read(file);

        assertArrayEquals(new double[] {1, 2}, matrix.column(0));
        assertArrayEquals(new double[] {3, 0.1f}, matrix.column(1));
    }

    @ParameterizedTest
    @EnumSource(value = ElementType.class, names = {"FLOAT", "DOUBLE"})
    void shouldReadBackWhatItWrote(ElementType type) throws IOException {
        try (Arena arena = Arena.ofShared()) {
            RandomMatrix random = new RandomMatrix(150, 7, 0);
            DenseMatrix matrix = new DenseMatrix(150, 150, type, arena.allocate(type.bytes(150 * 150), 8), "test");
            random.columns(0, 150, type, matrix.data());
            Path file = directory.resolve("c.npy");

            Npy.write(file, matrix);

            MatrixSource found = read(file);
            for (int j = 0; j < 150; j++) {
                assertArrayEquals(matrix.column(j), found.column(j));
            }
            assertFalse(Files.exists(directory.resolve("c.npy.part")));
        }
    }

    @Test
    void shouldWriteTheDocumentedBytes() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            DenseMatrix matrix = new DenseMatrix(1, 1, ElementType.DOUBLE, arena.allocate(8, 8), "test");
            Path file = directory.resolve("one.npy");

            Npy.write(file, matrix);

            byte[] bytes = Files.readAllBytes(file);
            assertEquals(128 + 8, bytes.length);
            assertArrayEquals(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0},
                    Arrays.copyOf(bytes, 10));
            assertEquals("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }",
                    new String(bytes, 10, 117, StandardCharsets.US_ASCII).strip());
            assertEquals('\n', bytes[127]);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 3), }| big-endian values '>f8' are not supported",
        "{'descr': 'O', 'fortran_order': False, 'shape': (2, 3), }| pickled objects are not supported",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }| values of type '<i8' are not supported",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 3), }| structured values are not supported",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }| shape (6,) (expected: two dimensions)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (), }| shape () (expected: two dimensions)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }| shape (1, 2, 3) (expected: two dimensions)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }| shape (0, 3) (expected: dimensions 1..",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 3), }| shape (99999999999, 3) (expected",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }| 48 bytes of values, a 2 x 4 matrix",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }| 48 bytes of values, a 2 x 2 matrix",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (2, 3), }| no good 'fortran_order' in the header",
        "{'fortran_order': False, 'shape': (2, 3), }| no good 'descr' in the header",
    })
    void shouldRefuseWhatItCannotReadNamingTheFile(String header, String message) throws IOException {
        Path file = file(1, header, doubles(1, 2, 3, 4, 5, 6));

        assertRefused(file, message);
    }

    @Test
    void shouldRefuseTruncatedFiles() throws IOException {
        byte[] whole = Files.readAllBytes(file(1, C_F8, doubles(1, 2, 3, 4, 5, 6)));
        for (int length : new int[] {6, 7, 9, 30}) {
            Path file = directory.resolve("cut" + length + ".npy");
            Files.write(file, Arrays.copyOf(whole, length));
            assertRefused(file, "the file ends in the header; is it truncated?");
        }
        Path file = directory.resolve("cut.npy");
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));
        assertRefused(file, "47 bytes of values, a 2 x 3 matrix of DOUBLE has 48; is the file truncated?");
    }

    @Test
    void shouldRefuseNanNamingItsPlace() throws IOException {
        assertRefused(file(1, C_F8, doubles(1, 2, 3, 4, Double.NaN, 6)), "element [1, 1] is NaN");
        assertRefused(file(1, C_F8, doubles(1, 2, Double.NEGATIVE_INFINITY, 4, 5, 6)), "element [0, 2] is -Infinity");
    }

    @Test
    void shouldRefuseUnknownVersion() throws IOException {
        assertRefused(file(4, C_F8, doubles(1, 2, 3, 4, 5, 6)), ".npy version 4");
    }

    @Test
    void shouldRefuseFilesOfNeitherKind() throws IOException {
        Path text = Files.writeString(directory.resolve("x.npy"), "hello, world, this is no matrix");
        Path empty = Files.writeString(directory.resolve("empty"), "");

        assertRefused(text, "neither Matrix Market (begins with %%MatrixMarket) nor NumPy .npy");
        assertRefused(empty, "empty file");
        assertRefused(directory.resolve("absent"), "no such file");
        assertRefused(directory, "is a directory");
    }

    /** A pipe into which nobody writes would be waited for for ever. */
    @Test
    void shouldRefuseWhatIsNoRegularFile() throws Exception {
        Path pipe = directory.resolve("pipe.npy");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor());
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> assertRefused(pipe, "is no regular file"));
        assertRefused(Path.of("/dev/zero"), "is no regular file");
    }

    private void assertRefused(Path file, String message) {
        UsageException exception = assertThrows(UsageException.class, () -> read(file));
        assertTrue(exception.getMessage().startsWith(file + ": " + message), exception.getMessage());
    }

    private static MatrixSource read(Path file) {
        return MatrixFiles.read(file, MatrixSource.SizeCheck.ANY, Arena.ofAuto());
    }

    private Path file(int version, String header, byte[] values) throws IOException {
        byte[] text = (header + "\n").getBytes(StandardCharsets.US_ASCII);
        int lengthBytes = version == 1 ? 2 : 4;
        ByteBuffer bytes = ByteBuffer.allocate(8 + lengthBytes + text.length + values.length)
                .order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(Npy.MAGIC.getBytes(StandardCharsets.ISO_8859_1)).put((byte) version).put((byte) 0);
        if (version == 1) {
            bytes.putShort((short) text.length);
        } else {
            bytes.putInt(text.length);
        }
        bytes.put(text).put(values);
        return Files.write(Files.createTempFile(directory, "m", ".npy"), bytes.array());
    }

    private static byte[] doubles(double... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        for (double value : values) {
            bytes.putDouble(value);
        }
        return bytes.array();
    }
}
